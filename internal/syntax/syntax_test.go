package syntax

import (
	"os/exec"
	"testing"
)

func TestCheck(t *testing.T) {
	for _, row := range []struct {
		name, text string
		line       int // zero: well formed
	}{
		{"a.go", "package a\n\nfunc f() {}\n", 0},
		{"a.go", "package a\n\nfunc f( {}\n", 3},
		{"a.json", "{\"a\": [1, 2]}\n", 0},
		{"a.json", "{\n\"a\": 1,\n}\n", 3},
		{"a.yaml", "a: 1\n---\nb: [x, y]\n", 0},
		{"a.yml", "a: 1\n\tb: 2\n", 2},
		{"a.toml", "[a]\nb = 1\n", 0},
		{"a.toml", "[a]\nb = \n", 2},
		{"a.txt", "func f( {", 0},
		{"a.py", "def f():\n    return 1\n", 0},
	} {
		f := Check(t.Context(), row.name, row.text)
		if f == nil && row.line != 0 || f != nil && f.Line != row.line {
			t.Errorf("%s %q: %v, want line %d", row.name, row.text, f, row.line)
		}
	}
}

func TestCheckPython(t *testing.T) {
	f := Check(t.Context(), "a.py", "def f():\n    return (1\nx = 2\n")
	if _, err := exec.LookPath("python3"); err != nil {
		if f != nil {
			t.Errorf("without Python there is a fault: %v", f)
		}
		return
	}
	if f == nil || f.Line == 0 {
		t.Errorf("got %v", f)
	}
}
