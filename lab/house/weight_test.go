package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestWeight holds what the core adds to the program of an embedder: packages, and bytes of the stripped file for Linux on amd64 beside
// a program that prints one line.
func TestWeight(t *testing.T) {
	if testing.Short() {
		t.Skip("it links three programs")
	}
	size := func(name string) int64 {
		file := filepath.Join(t.TempDir(), name)
		build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", file, "./testdata/weight/"+name)
		build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		s, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		return s.Size()
	}
	empty := size("empty")
	for _, row := range []struct {
		name     string
		packages int
		bytes    int64
	}{
		{"agent", 160, 3_700_000},
		{"toolcall", 145, 3_200_000},
	} {
		list := exec.Command("go", "list", "-deps", "./testdata/weight/"+row.name)
		list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		n, more := len(strings.Fields(string(out))), size(row.name)-empty
		t.Logf("%s: %d packages, %d bytes more than the %d of one that prints a line", row.name, n, more, empty)
		if n > row.packages || more > row.bytes {
			t.Errorf("%s: %d packages and %d bytes more than an empty program, at most %d and %d", row.name, n, more, row.packages, row.bytes)
		}
	}
}
