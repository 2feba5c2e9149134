package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// errorSections says in which part of docs/troubleshooting.md the errors of a directory are, or why they are in none.
var errorSections = map[string]string{
	"cmd/rein":    "The command line",
	"app/session": "Sessions",
	"app/harness": "Sessions",
	"app/replay":  "Sessions",
	"journal":     "Sessions", "app/sessions": "Sessions", "agent": "Sessions", "event": "Sessions",
	"model":         "Models and keys",
	"kit/catalog":   "Models and keys",
	"kit/dialect":   "Models and keys",
	"app/settings":  "Settings and rules",
	"app/catalogue": "Settings and rules", "app/extend": "Settings and rules",
	"kit/sandbox": "Calls and the sandbox", "toolcall": "Calls and the sandbox", "guard": "Calls and the sandbox",
	"kit/guards": "Calls and the sandbox", "kit/shell": "Calls and the sandbox",
	"kit/network":   "The network",
	"kit/workspace": "Files, edits and undo", "kit/undo": "Files, edits and undo", "kit/edit": "Files, edits and undo", "kit/places": "Files, edits and undo",
	"kit/mcp": "Tool servers, editors and agents of others", "app/acp": "Tool servers, editors and agents of others", "app/mcpserver": "Tool servers, editors and agents of others",
	"app/server": "The server", "app/client": "The server",
	"kit/providers": "Models and keys",

	"kit/tools":             "no: errors of tools are for the model, and say what to try",
	"kit/document":          "no: the tool that reads a document says it to the model",
	"tool":                  "no: for the model, or for who writes a tool",
	"schema":                "no: for the model, or for who writes a tool",
	"hook":                  "no: for who writes a hook in Go",
	"redact":                "no: for who embeds it",
	"internal/jsontext":     "no: the text of a damaged JSON, which is shown with its place",
	"internal/plainfile":    "no: a file that is none, which the message names",
	"app/hooks":             "no: the message names the hook, its file and what it answered",
	"app/inbox":             "no: the message names the request",
	"app/memory":            "no: the message names the entry",
	"app/notify":            "no: the message names the channel",
	"app/schedule":          "no: the message names the task, or what cannot be read of its time",
	"app/tui":               "no: a notice in the chat that says what to do instead",
	"app/eval":              "no: the message names the case, the file and the line",
	"kit/telemetry":         "no: what fails is in the log, and stops nothing",
	"app/stats":             "no: the message names the session",
	"app/internal/database": "no: the message names the file",
}

// placeOfError finds the row for a directory: its own, or that of the nearest one above.
func placeOfError(dir string) string {
	for ; dir != "."; dir = path.Dir(dir) {
		if s, ok := errorSections[dir]; ok {
			return s
		}
	}
	return ""
}

// errorTexts returns the texts of the program, by directory, without tests and what only maintainers use. Those of errors are apart.
func errorTexts(t *testing.T) (texts, errors map[string]string) {
	t.Helper()
	texts, errors = map[string]string{}, map[string]string{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || strings.HasSuffix(d.Name(), "test") || d.Name() == "lab" || d.Name() == "web" || d.Name() == "testdata" || d.Name() == "temporal") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		source, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if s, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
					texts[path.Dir(name)] += s + "\n"
				}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && (f.Sel.Name == "Errorf" || f.Sel.Name == "New" && isName(f.X, "errors")) {
					errors[path.Dir(name)] = name
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts, errors
}

func isName(e ast.Expr, name string) bool {
	i, ok := e.(*ast.Ident)
	return ok && i.Name == name
}

// TestErrorsHaveAPlaceInTheDocuments holds docs/troubleshooting.md to the code: each directory with errors has a part of the page or a reason
// why not, and each message on the page is one of the program.
func TestErrorsHaveAPlaceInTheDocuments(t *testing.T) {
	texts, errors := errorTexts(t)
	page, err := fs.ReadFile(root, "docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	for dir, file := range errors {
		switch s := placeOfError(dir); {
		case s == "":
			t.Errorf("%s makes errors: name their part of docs/troubleshooting.md in errorSections, or a reason why they are in none", file)
		case !strings.HasPrefix(s, "no: ") && !strings.Contains(string(page), "\n## "+s+"\n"):
			t.Errorf("docs/troubleshooting.md has no part %q", s)
		}
	}
	all := ""
	for _, s := range texts {
		all += s
	}
	found := 0
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*`) \\|").FindAllStringSubmatch(string(page), -1) {
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			found++
			for part := range strings.SplitSeq(m[1], "…") {
				if part = strings.TrimSpace(regexp.MustCompile(`\d+$`).ReplaceAllString(part, "")); !strings.Contains(all, part) {
					t.Errorf("no message of the program has the words %q", part)
				}
			}
		}
	}
	if found < 40 {
		t.Errorf("%d messages were found: the search is wrong", found)
	}
}
