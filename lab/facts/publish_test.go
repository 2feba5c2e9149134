package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The path of the module is replaced where it names the module or one of its packages, and nowhere else.
func TestRewrite(t *testing.T) {
	dir := t.TempDir()
	files := map[string][2]string{ // before and after
		"go.mod":           {"module rein\n\ngo 1.26\n", "module example.org/you/rein\n\ngo 1.26\n"},
		"doc.go":           {"// Package rein has rein/agent.\npackage rein\n", "// Package rein has example.org/you/rein/agent.\npackage rein\n"},
		"agent/agent.go":   {"package agent\n\nimport \"rein\"\n\nvar Name = \"rein\"\n", "package agent\n\nimport \"example.org/you/rein\"\n\nvar Name = \"rein\"\n"},
		"cmd/rein/main.go": {"package main\n\nimport (\n\t\"rein\"\n\t\"rein/agent\"\n)\n\nvar words = []string{\n\t\"rein\",\n}\n", "package main\n\nimport (\n\t\"example.org/you/rein\"\n\t\"example.org/you/rein/agent\"\n)\n\nvar words = []string{\n\t\"rein\",\n}\n"},
		"docs/x.md":        {"`rein run`, ~/.config/rein/agents, `rein/agent`\n", "`rein run`, ~/.config/rein/agents, `example.org/you/rein/agent`\n"},
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text[0]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}} {
		if _, err := output(dir, "git", args...); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := rewrite(dir, "rein", "example.org/you/rein"); n != len(files) || err != nil {
		t.Errorf("%d files, %v", n, err)
	}
	for name, text := range files {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != text[1] {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
