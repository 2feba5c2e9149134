package rein_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "write the examples into the documents")

// sourceOf finds what a code block shows: <!-- FILE DECLARATION… --> and the block after it.
var sourceOf = regexp.MustCompile("(?s)<!-- ([a-z_/]+\\.go) ([A-Za-z_ ]+) -->\n```go\n.*?```\n")

// TestTheGuideShowsWhatCompiles compares the code in documents with the examples that it is taken from.
func TestTheGuideShowsWhatCompiles(t *testing.T) {
	shown := guide{} // what a page of the guide shows may be used on the next ones
	for _, page := range []string{"library", "library_agents", "library_approvals", "library_models", "library_harness", "library_calls", "library_parts", "library_isolation"} {
		t.Run(page, func(t *testing.T) { showsWhatCompiles(t, "docs/"+page+".md", shown) })
	}
	t.Run("README", func(t *testing.T) { showsWhatCompiles(t, "README.md", guide{}) })
}

func showsWhatCompiles(t *testing.T, name string, g guide) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if shown, marked := strings.Count(string(text), "```go\n"), len(sourceOf.FindAll(text, -1)); shown != marked || shown == 0 {
		t.Errorf("%d blocks of Go, %d say where they come from", shown, marked)
	}
	want := sourceOf.ReplaceAllStringFunc(string(text), func(block string) string {
		m := sourceOf.FindStringSubmatch(block)
		code, err := g.declarations(m[1], strings.Fields(m[2])...)
		if err != nil {
			t.Error(err)
			return block
		}
		return fmt.Sprintf("<!-- %s %s -->\n```go\n%s\n```\n", m[1], m[2], code)
	})
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatalf("%s differs from the examples: go test . -run TestTheGuide -update", name)
	}
	if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// guide holds the names that the guide has shown so far, by file.
type guide map[string]map[string]bool

// declarations returns the source of declarations in a file; of an example only its body. A comment before them names the packages of rein
// that they use. It fails where they use something of the file that the guide does not show: a reader could not copy them.
func (g guide) declarations(file string, names ...string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.ParseComments)
	if err != nil {
		return "", err
	}
	if !strings.HasSuffix(parsed.Name.Name, "_test") {
		return "", fmt.Errorf("%s is of package %s: an example outside of it shows how others use the package", file, parsed.Name.Name)
	}
	if g[file] == nil {
		g[file] = map[string]bool{}
	}
	var all []string
	var shown []ast.Decl
	for _, name := range names {
		i := slices.IndexFunc(parsed.Decls, func(d ast.Decl) bool { return named(d, name) })
		if i < 0 {
			return "", fmt.Errorf("%s has no %s", file, name)
		}
		g[file][name] = true
		shown = append(shown, parsed.Decls[i])
		all = append(all, source(set, text, parsed.Decls[i]))
	}
	used := usedNames(shown)
	for _, d := range parsed.Decls {
		if name := nameOf(d); used[name] && !g[file][name] {
			return "", fmt.Errorf("%s: what is shown uses %s, which is not shown", file, name)
		}
	}
	return packages(parsed, used) + strings.Join(all, "\n\n"), nil
}

// module is the path of the module.
var module = sync.OnceValue(func() string {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		panic(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimPrefix(first, "module ")
})

// packages is a comment with the import paths of the packages of rein that are used.
func packages(file *ast.File, used map[string]bool) string {
	comment, line := "", "// import"
	for _, i := range file.Imports {
		full, _ := strconv.Unquote(i.Path.Value)
		if !strings.HasPrefix(full, module()+"/") || !used[path.Base(full)] {
			continue
		}
		if len(line)+len(full) > 120 {
			comment, line = comment+line+"\n", "//       "
		}
		line += " " + full
	}
	if line == "// import" {
		return ""
	}
	return comment + line + "\n"
}

// usedNames are all names in declarations.
func usedNames(all []ast.Decl) map[string]bool {
	used := map[string]bool{}
	for _, d := range all {
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok {
					used[x.Name] = true
					return false
				}
			case *ast.Ident:
				used[n.Name] = true
			}
			return true
		})
	}
	return used
}

// nameOf is the name of a function or of a type.
func nameOf(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return d.Name.Name
		}
	case *ast.GenDecl:
		if t, ok := d.Specs[0].(*ast.TypeSpec); ok {
			return t.Name.Name
		}
	}
	return ""
}

// named reports whether a declaration has that name. Methods are named TYPE_METHOD.
func named(d ast.Decl, name string) bool {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return d.Name.Name == name
		}
		t, ok := d.Recv.List[0].Type.(*ast.Ident)
		return ok && t.Name+"_"+d.Name.Name == name
	case *ast.GenDecl:
		t, ok := d.Specs[0].(*ast.TypeSpec)
		return ok && t.Name.Name == name
	}
	return false
}

func source(set *token.FileSet, text []byte, d ast.Decl) string {
	at := func(p token.Pos) int { return set.Position(p).Offset }
	f, isFunc := d.(*ast.FuncDecl)
	if !isFunc || !strings.HasPrefix(f.Name.Name, "Example") {
		return string(text[at(d.Pos()):at(d.End())])
	}
	body := strings.Trim(string(text[at(f.Body.Lbrace)+1:at(f.Body.Rbrace)]), "\n")
	lines := strings.Split(body, "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "\t")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
