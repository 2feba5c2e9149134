package house

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// What the module, a package, a type and a function may hold, tests left out. A limit is lowered when the code is better than it, and
// never raised without a reason. sizes.txt lists what is larger, each with a limit of its own and the reason.
var limits = map[string]int{
	"packages":        85, // without those of lab
	"imports":         360,
	"chain":           11, // packages in the longest chain of imports
	"public-packages": 50,
	"public-names":    2200,
	"product-lines":   168_000, // without those of lab
	"core-lines":      26_000,
	"methods":         60, // of a type
	"fields":          25, // of a struct
	"function-lines":  60,
	"single-importer": 0, // a package that one package imports is files of that one, or has a reason
}

// Sizes reports what is larger than its limit, or than its limit in the list.
func (m *Module) Sizes(list *List) ([]string, error) {
	found, err := m.sizes()
	if err != nil {
		return nil, err
	}
	var problems []string
	for _, c := range found {
		if limit := list.limit(c); c.n > limit {
			problems = append(problems, message(c, limit))
		}
	}
	return problems, nil
}

func message(c count, limit int) string {
	if c.what == "single-importer" {
		return fmt.Sprintf("only %s imports %s: make it files of it, or give the reason in sizes.txt", c.last, c.where)
	}
	return fmt.Sprintf("%s has %d %s, at most %d", c.where, c.n, c.what, limit)
}

// sizes counts everything that is above the general limits.
func (m *Module) sizes() ([]count, error) {
	code, err := m.code()
	if err != nil {
		return nil, err
	}
	found := append(code.counts(), m.graphSizes()...)
	found = slices.DeleteFunc(found, func(c count) bool { return c.n <= limits[c.what] })
	sortCounts(found)
	return found, nil
}

// graphSizes measures the import graph.
func (m *Module) graphSizes() []count {
	imports := m.graph()
	edges := 0
	importers := map[string][]string{}
	for from, to := range imports {
		edges += len(to)
		for _, t := range to {
			importers[t] = append(importers[t], from)
		}
	}
	found := []count{
		{where: "module", what: "packages", n: len(imports)},
		{where: "module", what: "imports", n: edges},
		{where: "module", what: "chain", n: len(longest(imports))},
	}
	for name, by := range importers {
		if len(by) == 1 && !isLab(name) {
			found = append(found, count{where: cmp.Or(name, "rein"), what: "single-importer", n: 1, last: by[0]})
		}
	}
	return found
}

// code is what the source of the product holds.
type code struct {
	lines, core int
	public      map[string]int // packages that others import, with the names that they show
	methods     map[string]int // by type
	fields      map[string]int
	functions   map[string]int // lines of those that are too long
}

func (c *code) counts() []count {
	names := 0
	for _, n := range c.public {
		names += n
	}
	found := []count{
		{where: "module", what: "product-lines", n: c.lines},
		{where: "module", what: "core-lines", n: c.core},
		{where: "module", what: "public-packages", n: len(c.public)},
		{where: "module", what: "public-names", n: names},
	}
	for what, by := range map[string]map[string]int{"methods": c.methods, "fields": c.fields, "function-lines": c.functions} {
		for where, n := range by {
			found = append(found, count{where: where, what: what, n: n})
		}
	}
	return found
}

// code reads the source of the product: all but tests, test data and lab.
func (m *Module) code() (*code, error) {
	c := &code{public: map[string]int{}, methods: map[string]int{}, fields: map[string]int{}, functions: map[string]int{}}
	return c, m.files(func(name string, text []byte) error {
		dir := cleanDir(name)
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/") || isLab(dir) {
			return nil
		}
		lines := bytes.Count(text, []byte("\n"))
		c.lines += lines
		if place, ok := placeOf(dir); ok && place.floor == "core" && !slices.Contains(suites, dir) {
			c.core += lines
		}
		return c.read(dir, name, text)
	})
}

func cleanDir(name string) string {
	if dir := path.Dir(name); dir != "." {
		return dir
	}
	return ""
}

func (c *code) read(dir, name string, text []byte) error {
	positions := token.NewFileSet()
	file, err := parser.ParseFile(positions, name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	public := isPublic(dir)
	if public {
		c.public[dir] += 0
	}
	for _, d := range file.Decls {
		if public {
			c.public[dir] += exportedNames(d)
		}
		where := cmp.Or(dir, "rein") + "."
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				c.methods[where+receiver(d.Recv.List[0].Type)]++
			}
			if n := positions.Position(d.End()).Line - positions.Position(d.Pos()).Line + 1; n > limits["function-lines"] {
				c.functions[where+d.Name.Name] = n
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if t, ok := s.(*ast.TypeSpec); ok {
					if s, ok := t.Type.(*ast.StructType); ok {
						c.fields[where+t.Name.Name] = countFields(s.Fields)
					}
				}
			}
		}
	}
	return nil
}

// countFields counts the fields of a struct, those of structs that are written inside it too.
func countFields(list *ast.FieldList) int {
	n := 0
	for _, f := range list.List {
		n += max(1, len(f.Names))
		if inner, ok := f.Type.(*ast.StructType); ok {
			n += countFields(inner.Fields)
		}
	}
	return n
}

func exportedNames(d ast.Decl) int {
	n := 0
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Name.IsExported() {
			n++
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					n++
				}
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if name.IsExported() {
						n++
					}
				}
			}
		}
	}
	return n
}

func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return "?"
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
