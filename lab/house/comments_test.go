package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExportedNamesHaveComments: what an embedder can name in a public package has a sentence that says what is true of it. A method that
// only makes a type fit an interface of the standard library needs none.
func TestExportedNamesHaveComments(t *testing.T) {
	m := load(t, "../..")
	for _, p := range m.Packages {
		if p.Command || !isPublic(p.Name) {
			continue
		}
		files, err := filepath.Glob(filepath.Join("../..", p.Name, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			set := token.NewFileSet()
			parsed, err := parser.ParseFile(set, file, text, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range uncommented(set, parsed) {
				t.Errorf("%s: %s has no comment", strings.TrimPrefix(file, "../../"), name)
			}
		}
	}
}

// ofInterfaces are methods whose meaning is that of an interface of the standard library.
var ofInterfaces = map[string]bool{"Error": true, "Unwrap": true, "String": true, "Len": true, "Less": true, "Swap": true, "Read": true, "Write": true, "Close": true,
	"MarshalJSON": true, "UnmarshalJSON": true, "MarshalText": true, "UnmarshalText": true, "Is": true}

// uncommented returns the exported names of a file without a comment. Functions on lines that follow each other share that of the first.
func uncommented(set *token.FileSet, f *ast.File) (names []string) {
	last, had := 0, false // line on which the last declaration ends, and whether it has a comment
	for _, d := range f.Decls {
		shares := had && set.Position(d.Pos()).Line == last+1
		if f, ok := d.(*ast.FuncDecl); ok {
			last, had = set.Position(d.End()).Line, f.Doc != nil || shares
		}
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Doc == nil && !shares && d.Name.IsExported() && (d.Recv == nil || ofExported(d.Recv) && !ofInterfaces[d.Name.Name]) {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
						names = append(names, s.Name.Name)
					}
				case *ast.ValueSpec:
					if s.Names[0].IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
						names = append(names, s.Names[0].Name)
					}
				}
			}
		}
	}
	return names
}

// ofExported reports whether a method is one of an exported type.
func ofExported(recv *ast.FieldList) bool {
	of := recv.List[0].Type
	if p, ok := of.(*ast.StarExpr); ok {
		of = p.X
	}
	if g, ok := of.(*ast.IndexExpr); ok {
		of = g.X
	}
	name, ok := of.(*ast.Ident)
	return ok && name.IsExported()
}
