package redact

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// maxFalseAlarms bounds what is hidden in Go's own source tree, a hundred megabytes of code, hashes, test vectors
// and manuals: 47 in Go 1.26, all of them fixtures of its tests (passwords in URLs, Basic headers, shared secrets of
// key exchanges). Private keys and signed tokens in it are real ones, made for tests, and not counted.
const maxFalseAlarms = 60

func TestFalseAlarmsInGoItself(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all source of Go")
	}
	alarms, size := 0, 0
	walkSource(t, func(path string, text []byte) {
		size += len(text)
		hits, _ := builtin().scan(text, 0, true)
		for _, h := range hits {
			if h.kind == "private key" || h.kind == "json web token" {
				continue
			}
			alarms++
			t.Logf("%s: %s: %.80q", path, h.kind, text[max(0, h.at-10):h.to])
		}
	})
	if size < 10<<20 {
		t.Fatalf("only %d bytes of source found", size)
	}
	t.Logf("%d alarms in %d MB", alarms, size>>20)
	if alarms > maxFalseAlarms {
		t.Errorf("%d alarms, more than %d", alarms, maxFalseAlarms)
	}
}

// goSource is the source tree of the Go that runs the tests.
func goSource(t testing.TB) string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "src")
}

func walkSource(t testing.TB, visit func(path string, text []byte)) {
	err := filepath.WalkDir(goSource(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if info, err := d.Info(); err != nil || info.Size() > 4<<20 {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil {
			visit(path, text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
