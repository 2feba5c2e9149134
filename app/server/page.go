package server

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	_ "embed" // the packed files
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
)

// The files are built from web/ (npm run build) into dist and committed, so that only Go is needed to build rein. What is
// embedded is dist.zip, a third of their size: go test ./app/server -update packs it.
//
//go:embed dist.zip
var archive []byte

// pagePolicy is the Content-Security-Policy of the page: scripts, styles and connections of its own only, no inline code, and
// no HTML from text.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; " +
	"manifest-src 'self'; font-src 'none'; frame-ancestors 'none'; base-uri 'self'; form-action 'self'; require-trusted-types-for 'script'; trusted-types rein"

// pageFiles returns the built files.
func pageFiles() fs.FS {
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil { // a test reads all of it
		panic(err)
	}
	return files
}

// pageHandler serves the page below a base path. Every path that is no file gives the page itself, which shows the view.
func pageHandler(base string) http.Handler {
	h := &handler{files: pageFiles(), base: base, packed: map[string][]byte{}}
	return h
}

type handler struct {
	files fs.FS
	base  string

	mu     sync.Mutex
	packed map[string][]byte // gzip of the files that were asked for
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		writeProblem(w, problem(http.StatusMethodNotAllowed, "method", "only GET and HEAD"))
		return
	}
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	text, err := fs.ReadFile(h.files, name)
	if err != nil {
		if strings.HasPrefix(name, "assets/") {
			http.Error(w, "no such file", http.StatusNotFound)
			return
		}
		name = "index.html"
		text, err = fs.ReadFile(h.files, name)
	}
	if err != nil {
		http.Error(w, "the page is not built: run npm run build in web/", http.StatusNotFound)
		return
	}
	head := w.Header()
	head.Set("Content-Security-Policy", pagePolicy)
	head.Set("Content-Type", contentType(name))
	head.Set("Vary", "Accept-Encoding")
	head.Set("Cache-Control", "no-cache")
	if strings.HasPrefix(name, "assets/") { // the name has a hash of the content
		head.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if name == "index.html" {
		text = bytes.Replace(text, []byte(`<base href="/">`), []byte(`<base href="`+h.base+`/">`), 1)
	}
	if len(text) > 1000 && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		head.Set("Content-Encoding", "gzip")
		text = h.gzip(name, text)
	}
	_, _ = w.Write(text) // the client is gone
}

// gzip packs a file once.
func (h *handler) gzip(name string, text []byte) []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	if packed, ok := h.packed[name]; ok {
		return packed
	}
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
	_, _ = z.Write(text)                                  // a buffer takes all
	_ = z.Close()
	h.packed[name] = b.Bytes()
	return b.Bytes()
}

func contentType(name string) string {
	switch path.Ext(name) {
	case ".js": // the system's table of types may be wrong
		return "text/javascript; charset=utf-8"
	case ".webmanifest":
		return "application/manifest+json"
	case ".svg":
		return "image/svg+xml"
	case ".png":
		return "image/png"
	}
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		return kind
	}
	return "application/octet-stream"
}
