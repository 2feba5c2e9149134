package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
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
	"kit/jsonc":             "no: the file that is no JSON is named, with the place and what was expected",
	"internal/plainfile":    "no: a file that is none, which the message names",
	"app/inbox":             "no: the message names the request",
	"kit/script":            "no: the message names the script and the line",
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

// errorTexts returns the texts of the program, by directory, without tests and what only maintainers use, and the messages of errors.
func errorTexts() (texts map[string]string, messages map[string][]string, err error) {
	texts, messages = map[string]string{}, map[string][]string{}
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
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
					messages[path.Dir(name)] = append(messages[path.Dir(name)], messageOf(n.Args[0]))
				}
			}
			return true
		})
		return nil
	})
	return texts, messages, err
}

// messageOf is the text of a message, with … where it has a value.
func messageOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(e.Value); err == nil {
			return regexp.MustCompile(`%[-+# 0-9.\[\]]*[a-z]`).ReplaceAllString(strings.ReplaceAll(s, "%%", "%"), "…")
		}
	case *ast.BinaryExpr:
		return messageOf(e.X) + messageOf(e.Y)
	}
	return "…"
}

func isName(e ast.Expr, name string) bool {
	i, ok := e.(*ast.Ident)
	return ok && i.Name == name
}

// An advice is a row of docs/troubleshooting.md: words of messages, and what to do.
type advice struct {
	section, words, do string
}

var adviceRow = regexp.MustCompile("(?m)^\\| (`[^|]*`) \\| (.*) \\|$")

func advices(page string) (all []advice) {
	for part := range strings.SplitSeq(page, "\n## ") {
		section, _, _ := strings.Cut(part, "\n")
		for _, m := range adviceRow.FindAllStringSubmatch(part, -1) {
			for _, words := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(m[1], -1) {
				all = append(all, advice{section, words[1], m[2]})
			}
		}
	}
	return all
}

// fits reports whether a text has all words of an advice. A number in them is a value in the program.
func (a advice) fits(text string) bool {
	for part := range strings.SplitSeq(a.words, "…") {
		if part = strings.TrimSpace(regexp.MustCompile(`\d+$`).ReplaceAllString(part, "")); !strings.Contains(text, part) {
			return false
		}
	}
	return true
}

// errorsPage lists every message of the program with what to do: a message that is new changes the page.
func errorsPage(w pageWords) (string, error) {
	advicePage := "docs/troubleshooting.md"
	own := w.programWords()
	if own != nil {
		advicePage = "docs/zh/troubleshooting.md"
	}
	page, err := fs.ReadFile(root, advicePage)
	if err != nil {
		return "", err
	}
	_, messages, err := errorTexts()
	if err != nil {
		return "", err
	}
	all, sections, reasons := advices(string(page)), map[string][]string{}, []string{}
	for dir, of := range messages {
		section := placeOfError(dir)
		if reason, ok := strings.CutPrefix(section, "no: "); ok {
			reasons = append(reasons, fmt.Sprintf("| `%s` | %s |", dir, w.of(reason)))
			continue
		}
		section = w.of(section)
		for _, message := range of {
			if !regexp.MustCompile(`[a-z]{3}`).MatchString(message) {
				continue // it only puts others together
			}
			do := ""
			if i := slices.IndexFunc(all, func(a advice) bool { return a.section == section && a.fits(message) }); i >= 0 {
				do = strings.ReplaceAll(all[i].do, "](", "](../")
			}
			row := "| `" + inCode(message) + "`"
			if chinese := own.Command(message); chinese != message {
				row += " `" + inCode(chinese) + "`"
			}
			sections[section] = append(sections[section], row+" | "+do+" |")
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n", w.of("Messages of errors"), w.of("You get every message of an error of rein. `…` stands for a name, a number or the error of another part. A message without a second cell "+
		"says itself what to do. This page is made from the program and from [troubleshooting.md](../troubleshooting.md), which has the messages that need more words."))
	for _, section := range slices.Sorted(maps.Keys(sections)) {
		fmt.Fprintf(&b, "\n## %s\n| %s | %s |\n|---|---|\n", section, w.of("message"), w.of("do"))
		slices.Sort(sections[section])
		b.WriteString(strings.Join(slices.Compact(sections[section]), "\n") + "\n")
	}
	slices.Sort(reasons)
	fmt.Fprintf(&b, "\n## %s\n| %s | %s |\n|---|---|\n%s\n\n%s\n", w.of("Messages that are not here"), w.of("part"), w.of("why"), strings.Join(reasons, "\n"), w.of("Next: [troubleshooting.md](../troubleshooting.md)."))
	return b.String(), nil
}

// inCode is a message as code in a cell.
func inCode(message string) string { return strings.ReplaceAll(cell(message), "`", "'") }

// TestErrorsHaveAPlaceInTheDocuments holds docs/troubleshooting.md to the code: each directory with errors has a part of the page or a reason
// why not, and each message on the page is one of the program.
func TestErrorsHaveAPlaceInTheDocuments(t *testing.T) {
	texts, messages, err := errorTexts()
	if err != nil {
		t.Fatal(err)
	}
	page, err := fs.ReadFile(root, "docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	for dir := range messages {
		switch s := placeOfError(dir); {
		case s == "":
			t.Errorf("%s makes errors: name their part of docs/troubleshooting.md in errorSections, or a reason why they are in none", dir)
		case !strings.HasPrefix(s, "no: ") && !strings.Contains(string(page), "\n## "+s+"\n"):
			t.Errorf("docs/troubleshooting.md has no part %q", s)
		}
	}
	all := ""
	for _, s := range texts {
		all += s
	}
	found := advices(string(page))
	for _, a := range found {
		if !a.fits(all) {
			t.Errorf("no message of the program has the words %q", a.words)
		}
	}
	if len(found) < 40 {
		t.Errorf("%d messages were found: the search is wrong", len(found))
	}
}
