package server

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// What is embedded is what was built.
func TestThePageIsPacked(t *testing.T) {
	dist := os.DirFS("dist")
	if *update {
		pack(t, dist)
		archive, _ = os.ReadFile("dist.zip")
	}
	count := func(files fs.FS) (names int) {
		if err := fs.WalkDir(files, ".", func(_ string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				names++
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return names
	}
	if a, b := count(dist), count(pageFiles()); a != b {
		t.Fatalf("%d files are built, %d are packed: go test ./app/server -update", a, b)
	}
	if err := fs.WalkDir(dist, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		built, _ := fs.ReadFile(dist, name)
		if text, err := fs.ReadFile(pageFiles(), name); err != nil || !bytes.Equal(text, built) {
			t.Errorf("%s is not what was built (%v): go test ./app/server -update", name, err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func pack(t *testing.T, files fs.FS) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	w.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		f, err := w.Create(name) // without a time: the same files make the same archive
		if err == nil {
			_, err = f.Write(text)
		}
		return err
	})
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = os.WriteFile("dist.zip", out.Bytes(), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, h http.Handler, path string, change ...func(*http.Request)) *http.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "GET", path, nil)
	for _, c := range change {
		c(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func text(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// budget is how many bytes the first screen may have, packed.
const budget = 250_000

// What the browser loads before it shows the first view stays within the budget.
func TestTheFirstScreenIsSmall(t *testing.T) {
	h := pageHandler("")
	index := text(t, get(t, h, "/"))
	total := 0
	for _, m := range regexp.MustCompile(`(?:src|href)="\./([^"]+\.(?:js|css))"`).FindAllStringSubmatch(index, -1) {
		r := get(t, h, "/"+m[1], func(r *http.Request) { r.Header.Set("Accept-Encoding", "gzip") })
		n := len(text(t, r))
		t.Log(m[1], n)
		total += n
	}
	if total > budget || total < 10_000 {
		t.Errorf("the first screen has %d bytes, at most %d", total, budget)
	}
}

// The policy holds only for a page without inline code: no build may add any.
func TestThePageHasNoInlineCode(t *testing.T) {
	r := get(t, pageHandler(""), "/")
	index := text(t, r)
	for _, bad := range []string{`<script>`, `<style`, ` style=`, ` onload=`, `javascript:`, `http://`, `https://`} {
		if strings.Contains(index, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	policy := r.Header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self';", "style-src 'self';", "require-trusted-types-for 'script'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy has no %s", want)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Error(policy)
	}
}

func TestViewsAreThePage(t *testing.T) {
	h := pageHandler("/rein")
	for path, want := range map[string]int{"/": 200, "/s/20261122-1": 200, "/settings": 200, "/theme.js": 200, "/icon.svg": 200, "/assets/none.js": 404, "/../page.go": 200} {
		r := get(t, h, path)
		body := text(t, r)
		if r.StatusCode != want || strings.Contains(body, "package page") {
			t.Errorf("%s: %d, want %d", path, r.StatusCode, want)
		}
		if path == "/s/20261122-1" && !strings.Contains(body, `<base href="/rein/">`) {
			t.Error("the base path is not in the page:", body)
		}
	}
	r := httptest.NewRecorder()
	h.ServeHTTP(r, httptest.NewRequestWithContext(t.Context(), "POST", "/", nil))
	head := r.Header()
	if r.Code != http.StatusMethodNotAllowed || head.Get("Content-Type") != "application/problem+json" || head.Get("Allow") != "GET, HEAD" {
		t.Error(r.Code, head)
	}
}

// pageFiles with a hash in their name are kept forever; the page itself is asked for each time.
func TestPackedFilesAreTheFiles(t *testing.T) {
	h := pageHandler("")
	err := fs.WalkDir(pageFiles(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == "index.html" {
			return err
		}
		plain := text(t, get(t, h, "/"+name))
		r := get(t, h, "/"+name, func(r *http.Request) { r.Header.Set("Accept-Encoding", "gzip, br") })
		if kept := strings.Contains(r.Header.Get("Cache-Control"), "immutable"); kept != strings.HasPrefix(name, "assets/") {
			t.Errorf("%s: %s", name, r.Header.Get("Cache-Control"))
		}
		if r.Header.Get("Content-Encoding") != "gzip" {
			return nil
		}
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return err
		}
		if unpacked, err := io.ReadAll(z); err != nil || string(unpacked) != plain {
			t.Errorf("%s is another file when it is packed (%v)", name, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The browser takes the service worker, the manifest and the icons only with their types, and asks for the worker each time:
// an old one would keep an old page.
func TestWhatTheBrowserInstalls(t *testing.T) {
	h := pageHandler("/rein")
	for name, want := range map[string]string{"sw.js": "text/javascript; charset=utf-8", "manifest.webmanifest": "application/manifest+json", "icon-192.png": "image/png", "icon.svg": "image/svg+xml"} {
		r := get(t, h, "/"+name)
		if got := r.Header.Get("Content-Type"); r.StatusCode != http.StatusOK || got != want || r.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %d, %s, %s", name, r.StatusCode, got, r.Header.Get("Cache-Control"))
		}
	}
	worker := text(t, get(t, h, "/sw.js"))
	if err := fs.WalkDir(pageFiles(), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && name != "sw.js" && name != "index.html" && path.Ext(name) != ".md" && // licences: no page asks for them
			!strings.Contains(worker, `"`+name+`"`) {
			t.Errorf("the service worker does not keep %s", name)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}
