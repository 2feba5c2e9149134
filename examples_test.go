package rein_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// public are the packages that others import, by directory: all below a name that ends in "/".
var public = []string{"tool", "event", "schema", "model/", "guard/", "hook", "redact", "toolcall", "journal/", "agent/", "kit/", "app/harness", "app/client"}

// TestEveryPublicPackageHasAnExample asks for a runnable example, with its output, in each package that works alone.
func TestEveryPublicPackageHasAnExample(t *testing.T) {
	packages, examples := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if base := entry.Name(); name != "." && (base == "internal" || base == "testdata" || base == "node_modules" || base == "web" && name == "web" || strings.HasPrefix(base, ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		dir := filepath.ToSlash(filepath.Dir(name))
		switch {
		case strings.HasSuffix(name, "_test.go"):
			examples[dir] = examples[dir] || runnable(t, name)
		case strings.HasSuffix(name, ".go"):
			packages[dir] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir := range packages {
		isPublic := slices.ContainsFunc(public, func(p string) bool {
			return dir == strings.TrimSuffix(p, "/") || strings.HasSuffix(p, "/") && strings.HasPrefix(dir, p)
		})
		if isPublic && !examples[dir] {
			t.Errorf("package %s has no example with output", dir)
		}
	}
	for _, p := range public {
		if !packages[strings.TrimSuffix(p, "/")] && p != "kit/" {
			t.Errorf("there is no package %s", p)
		}
	}
}

// runnable reports whether a test file has an example that the tests run: one with an output.
func runnable(t *testing.T, name string) bool {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Example") {
			continue
		}
		for _, c := range file.Comments {
			if text := strings.ToLower(c.Text()); c.Pos() > f.Pos() && c.End() < f.End() &&
				(strings.HasPrefix(text, "output:") || strings.HasPrefix(text, "unordered output:")) {
				return true
			}
		}
	}
	return false
}
