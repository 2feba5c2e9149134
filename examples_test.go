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

// partsOf are directories whose packages are parts of one package or program. The directory itself needs an example where it is
// no program.
var partsOf = []string{
	"agent",       // steps of the loop
	"cmd",         // programs
	"kit/shell", // what the shell guard knows
	"harness",     // what a harness is made of
	"model",       // providers
	"server",      // what the server is made of
	"toolkit",     // tools
	"tui",         // the terminal's front end
}

// standalone are packages below partsOf that have an example of their own.
var standalone = []string{
	"agent/budget", "agent/team", "kit/shell", "app/instructions", "app/slash", "app/stats", "kit/providers/anthropic", "kit/providers/bedrock",
	"lab/testkit", "kit/catalog", "kit/dialect", "kit/providers/gemini", "model/modeltest", "kit/providers/ollama", "kit/providers/openai", "kit/providers",
	"model/script", "kit/tools/browser", "kit/tools", "kit/tools", "kit/tools/code", "kit/tools/command", "kit/tools/files",
	"kit/tools/git", "kit/tools/lsp", "kit/tools/media", "kit/tools/memory", "kit/tools", "kit/tools/code", "kit/tools/web", "kit/tools/web",
}

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
		part := slices.ContainsFunc(partsOf, func(p string) bool { return dir == "tui" || strings.HasPrefix(dir, p+"/") })
		if !examples[dir] && (!part || slices.Contains(standalone, dir)) {
			t.Errorf("package %s has no example with output", dir)
		}
	}
	for _, dir := range standalone {
		if !packages[dir] {
			t.Errorf("there is no package %s", dir)
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
