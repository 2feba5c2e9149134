package files

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
		f := checkSyntax(t.Context(), direct, row.name, row.text)
		if f == nil && row.line != 0 || f != nil && f.Line != row.line {
			t.Errorf("%s %q: %v, want line %d", row.name, row.text, f, row.line)
		}
	}
}

// direct runs a program without a sandbox: what it compiles is our own.
func direct(ctx context.Context, argv []string, input string) (string, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.Output()
	return string(out), err
}

func TestCheckPython(t *testing.T) {
	const bad = "def f():\n    return (1\nx = 2\n"
	if f := checkSyntax(t.Context(), nil, "a.py", bad); f != nil {
		t.Errorf("without a Runner there is a fault: %v", f)
	}
	f := checkSyntax(t.Context(), direct, "a.py", bad)
	if _, err := os.Stat("/usr/bin/python3"); err != nil {
		if f != nil {
			t.Errorf("without Python there is a fault: %v", f)
		}
		return
	}
	if f == nil || f.Line == 0 {
		t.Errorf("got %v", f)
	}
	if f := checkSyntax(t.Context(), direct, "a.py", "def f():\n    return 1\n"); f != nil {
		t.Errorf("a fault in a good text: %v", f)
	}
}

// The interpreter of the PATH may be one that a program of the workspace put there.
func TestPythonOfThePathIsNotRun(t *testing.T) {
	dir := t.TempDir()
	mark := filepath.Join(dir, "ran")
	if err := os.WriteFile(filepath.Join(dir, "python3"), []byte("#!/bin/sh\ntouch "+mark+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	checkSyntax(t.Context(), direct, "a.py", "x = (\n")
	if _, err := os.Stat(mark); err == nil {
		t.Error("the python3 of the PATH ran")
	}
}
