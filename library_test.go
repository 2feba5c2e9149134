package rein_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the examples into docs/library.md")

// sourceOf finds what a code block shows: <!-- FILE DECLARATION… --> and the block after it.
var sourceOf = regexp.MustCompile("(?s)<!-- ([a-z_/]+\\.go) ([A-Za-z_ ]+) -->\n```go\n.*?```\n")

// TestTheGuideShowsWhatCompiles compares the code in docs/library.md with the examples that it is taken from.
func TestTheGuideShowsWhatCompiles(t *testing.T) {
	const name = "docs/library.md"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if shown, marked := strings.Count(string(text), "```go\n"), len(sourceOf.FindAll(text, -1)); shown != marked || shown == 0 {
		t.Errorf("%d blocks of Go, %d say where they come from", shown, marked)
	}
	want := sourceOf.ReplaceAllStringFunc(string(text), func(block string) string {
		m := sourceOf.FindStringSubmatch(block)
		code, err := declarations(m[1], strings.Fields(m[2])...)
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

// declarations gives the source of declarations in a file; of an example only its body.
func declarations(file string, names ...string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.ParseComments)
	if err != nil {
		return "", err
	}
	var all []string
	for _, name := range names {
		found := ""
		for _, d := range parsed.Decls {
			if named(d, name) {
				found = source(set, text, d)
				break
			}
		}
		if found == "" {
			return "", fmt.Errorf("%s has no %s", file, name)
		}
		all = append(all, found)
	}
	return strings.Join(all, "\n\n"), nil
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
