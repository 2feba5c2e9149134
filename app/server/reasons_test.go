package server

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rein/kit/places"
)

// TestReasonsHaveChineseWords: each reason that a check can give is in the page's table, and the table has no other ones.
func TestReasonsHaveChineseWords(t *testing.T) {
	table, err := os.ReadFile("../tui/text/reasons.zh.txt")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for line := range strings.Lines(string(table)) {
		english, chinese, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " = ")
		if !ok || known[english] != "" {
			t.Errorf("%q is no row of its own", line)
		}
		for _, part := range regexp.MustCompile(`%[1-9]`).FindAllString(chinese, -1) {
			if n := int(part[1] - '0'); n > strings.Count(english, "%") {
				t.Errorf("%s: there is no %s", english, part)
			}
		}
		known[english] = chinese
	}
	given := reasonsOf(t, "../../guard", "../../guard/effect", "../../kit/guards", "../../kit/shell", "../../toolcall")
	for _, file := range []string{".git/config", ".hg/hgrc", ".envrc", ".vscode/tasks.json", "go.work", ".mcp.json", ".gitlab-ci.yml", "AGENTS.md", "x"} {
		given[places.WhenRun(file)] = true
	}
	for _, reason := range slices.Sorted(maps.Keys(given)) {
		if known[reason] == "" {
			t.Errorf("no words for: %s", reason)
		}
		delete(known, reason)
	}
	for reason := range known {
		t.Errorf("no check says: %s", reason)
	}
}

// reasonsOf collects the reasons in the source of some packages: what is given to Found, what is named Reason or Why, and what some functions
// return or take. Words that are not known are %.
func reasonsOf(t *testing.T, dirs ...string) map[string]bool {
	all := map[string]bool{}
	for _, dir := range dirs {
		files, err := filepath.Glob(dir + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		r := reasons{all: all, fixed: map[string]string{}}
		var parsed []*ast.File
		for _, name := range files {
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(name, "_test.go") {
				parsed = append(parsed, f)
			}
			ast.Inspect(f, r.constant)
		}
		for _, f := range parsed {
			ast.Inspect(f, r.visit)
		}
	}
	return all
}

type reasons struct {
	all   map[string]bool
	fixed map[string]string // constants
}

func (r reasons) constant(n ast.Node) bool {
	if v, ok := n.(*ast.ValueSpec); ok && len(v.Names) == 1 && len(v.Values) == 1 {
		if text := r.text(v.Values[0]); text != "%" {
			r.fixed[v.Names[0].Name] = text
		}
	}
	return true
}

func (r reasons) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		switch name := called(n); {
		case name == "Found" && len(n.Args) > 1:
			r.add(n.Args[1])
		case name == "deny" || name == "tooFast":
			r.add(n.Args[0])
		}
	case *ast.KeyValueExpr:
		if k, ok := n.Key.(*ast.Ident); ok && (k.Name == "Reason" || k.Name == "Why") {
			r.add(n.Value)
		}
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			if name := named(left); (name == "Reason" || name == "why") && len(n.Rhs) == len(n.Lhs) {
				r.add(n.Rhs[i])
			}
		}
	case *ast.ValueSpec:
		if n.Names[0].Name == "classWhy" {
			for _, v := range n.Values[0].(*ast.CompositeLit).Elts {
				r.add(v.(*ast.KeyValueExpr).Value)
			}
		}
	case *ast.FuncDecl:
		ast.Inspect(n, func(x ast.Node) bool {
			if out, ok := x.(*ast.ReturnStmt); ok && slices.Contains([]string{"loops", "reason", "open", "unknown", "pathWhy"}, n.Name.Name) {
				for _, v := range out.Results {
					r.add(v)
				}
			}
			return true
		})
	}
	return true
}

// add takes a reason. The page looks for the parts of one that are joined by semicolons, one by one.
func (r reasons) add(e ast.Expr) {
	text := strings.TrimSuffix(strings.TrimPrefix(r.text(e), "; "), "; %")
	if strings.HasPrefix(text, ", which") || strings.HasPrefix(text, ", outside") { // how a path is, behind what is done to it
		if strings.HasSuffix(text, "agents trust") {
			r.all["writes %"+text+": %"] = true // who runs it
			return
		}
		r.all["reads %"+text], r.all["writes %"+text] = true, true
		return
	}
	if strings.HasPrefix(text, " (") {
		return // a comment of the user, in what is there already
	}
	if text = strings.ReplaceAll(text, "%%%", "%"); strings.ContainsFunc(text, func(r rune) bool { return r >= 'a' && r <= 'z' }) && strings.Contains(text, " ") {
		r.all[strings.ReplaceAll(text, "%%", "%")] = true
	}
}

var verbs = regexp.MustCompile(`%[0-9]*[sdvqX]`)

// text is a text with % for what is not known before the program runs.
func (r reasons) text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return verbs.ReplaceAllString(text, "%")
		}
	case *ast.BinaryExpr:
		return r.text(e.X) + r.text(e.Y)
	case *ast.Ident:
		if text, ok := r.fixed[e.Name]; ok {
			return text
		}
	case *ast.CallExpr:
		if called(e) == "Sprintf" {
			return r.text(e.Args[0])
		}
	}
	return "%"
}

// called is the name of the function of a call.
func called(c *ast.CallExpr) string { return named(c.Fun) }

func named(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}
