package secretfiles

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rein/redact"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// found gives the mask after a whole search.
func found(t *testing.T, dir string) *redact.Filter {
	t.Helper()
	f := &Finder{Dirs: []string{dir}, Mask: redact.New(nil)}
	f.Look()
	<-f.first
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return f.Mask
}

// TestValuesAtAnyDepth is hole 4 of an attack: masks by path can be outnumbered, so values are masked wherever they are.
func TestValuesAtAnyDepth(t *testing.T) {
	dir := t.TempDir()
	for i := range 150 { // more directories than anybody masks by path
		write(t, filepath.Join(dir, fmt.Sprint("d", i), "a/b/c/d/e", ".env"), fmt.Sprintf("# local\nexport DB_PASSWORD='hid-d3n-%d-x'\nPORT=3000\nMODE=development\n", i))
	}
	write(t, filepath.Join(dir, "node_modules/x/build/.npmrc"), "//registry.test/:_authToken=npm-t0ken-value-77\n")
	write(t, filepath.Join(dir, "deploy/.netrc"), "machine h.test login me password 0ld-sch00l-pass\n")
	write(t, filepath.Join(dir, "deploy/.env.production"), "URL=https://me:pa55-of-url@db.test/x\nSECRET_KEY=development\nAUTH=http://localhost:3000\n")
	write(t, filepath.Join(dir, "main.go"), "const Token = \"not-a-file-of-secrets-9\"\n")
	mask := found(t, dir)
	for _, secret := range []string{"hid-d3n-0-x", "hid-d3n-149-x", "npm-t0ken-value-77", "pa55-of-url"} {
		if shown := mask.String("copy: " + secret); strings.Contains(shown, secret) {
			t.Errorf("%s is shown: %s", secret, shown)
		}
	}
	for _, open := range []string{"development", "http://localhost:3000", "3000", "not-a-file-of-secrets-9"} {
		if shown := mask.String(open); shown != open {
			t.Errorf("%s is hidden: %s", open, shown)
		}
	}
}

func TestASearchIsBounded(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, ".env"), "API_KEY=abcd-1234-efgh\n")
	f := &Finder{Dirs: []string{dir}, Mask: redact.New(nil), Time: time.Nanosecond}
	f.Look() // ends at once, without its files
	<-f.first
	if shown := f.Mask.String("abcd-1234-efgh"); strings.Contains(shown, "hidden") {
		t.Error("the limit of time does not hold")
	}
	f.Time = 0
	f.Look() // too soon
	if shown := f.Mask.String("abcd-1234-efgh"); strings.Contains(shown, "hidden") {
		t.Error("it looked again at once")
	}
	f.mu.Lock()
	f.ended = f.ended.Add(-2 * f.pause)
	f.mu.Unlock()
	f.Look()
	f.work.Wait()
	if shown := f.Mask.String("abcd-1234-efgh"); !strings.Contains(shown, "[hidden: API_KEY of .env]") {
		t.Error("not found:", shown)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
