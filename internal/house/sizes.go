package house

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// What a package or a function may hold. sizes.txt lists those that are larger, each with a limit of its own.
const (
	maxFiles    = 25   // files of a package, tests left out
	maxLines    = 4000 // lines of a package, tests left out
	maxFunction = 60   // lines of a function
)

// Sizes reports packages and functions that are larger than their limit in the list.
func (m *Module) Sizes(list *List) ([]string, error) {
	found, err := m.sizes()
	if err != nil {
		return nil, err
	}
	var problems []string
	for _, c := range found {
		if limit := list.limit(c); c.n > limit {
			problems = append(problems, fmt.Sprintf("%s has %d %s, at most %d", c.where, c.n, c.what, limit))
		}
	}
	return problems, nil
}

// sizes counts everything that is above the general limits.
func (m *Module) sizes() ([]count, error) {
	var found []count
	type total struct{ files, lines int }
	packages := map[string]total{}
	err := m.files(func(name string, text []byte) error {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/") {
			return nil
		}
		dir := path.Dir(name)
		t := packages[dir]
		t.files, t.lines = t.files+1, t.lines+bytes.Count(text, []byte("\n"))
		packages[dir] = t
		functions, err := longFunctions(dir, name, text)
		found = append(found, functions...)
		return err
	})
	for dir, t := range packages {
		if t.files > maxFiles {
			found = append(found, count{where: dir, what: "files", n: t.files})
		}
		if t.lines > maxLines {
			found = append(found, count{where: dir, what: "lines", n: t.lines})
		}
	}
	sortCounts(found)
	return found, err
}

func longFunctions(dir, name string, text []byte) ([]count, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var found []count
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			if n := files.Position(f.End()).Line - files.Position(f.Pos()).Line + 1; n > maxFunction {
				found = append(found, count{where: dir + "." + f.Name.Name, what: "function-lines", n: n})
			}
		}
	}
	return found, nil
}

// files calls see with each file of the module: its path with slashes, and its bytes.
func (m *Module) files(see func(name string, text []byte) error) error {
	return filepath.WalkDir(m.Dir, func(full string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && full != m.Dir && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		switch filepath.Ext(full) {
		case ".go", ".md", ".txtar":
		default:
			return nil
		}
		name, err := filepath.Rel(m.Dir, full)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(full)
		if err != nil {
			return err
		}
		return see(filepath.ToSlash(name), text)
	})
}
