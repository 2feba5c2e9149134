package house

import (
	"bytes"
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
		{"agent", 150, 3_600_000},
		{"toolcall", 140, 3_010_000}, // answers that are filled in went over the end of a page of the file: 8 KB
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

// TestTheProgram holds the bytes of rein. What calls methods by a name that is only known when it runs makes the linker keep all methods of all
// types: text/template does, as soon as somebody uses it.
func TestTheProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("it links rein")
	}
	file := filepath.Join(t.TempDir(), "rein")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", file, "../../cmd/rein").CombinedOutput(); err != nil { // with the flags of the tests: all is compiled
		t.Fatalf("%v: %s", err, out)
	}
	program, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const most = 46_500_000 // 44.9 million with Go 1.26
	t.Logf("%d bytes", len(program))
	if len(program) > most {
		t.Errorf("rein has %d bytes, at most %d", len(program), most)
	}
	if name := "text/template.(*state).evalField"; bytes.Contains(program, []byte(name)) {
		t.Errorf("rein calls %s, and so keeps all methods: go build -ldflags=-dumpdep ./cmd/rein tells who", name)
	}
	if name := "goldmark/extension.init"; bytes.Contains(program, []byte(name)) {
		t.Errorf("rein has %s: expressions that each start compiles", name)
	}
}
