package server

import (
	"bytes"
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

	"rein/event"
	"rein/kit/places"
	"rein/model"
)

// TestReasonsHaveChineseWords: each reason that a check can give is in the page's table, and the table has no other ones.
func TestReasonsHaveChineseWords(t *testing.T) {
	given := reasonsOf(t, reasons.visit, "../../guard", "../../guard/effect", "../../kit/guards", "../../kit/shell", "../../toolcall")
	for _, file := range []string{".git/config", ".hg/hgrc", ".envrc", ".vscode/tasks.json", "go.work", ".mcp.json", ".gitlab-ci.yml", "AGENTS.md", "x"} {
		given[places.WhenRun(file)] = true
	}
	for _, why := range []string{"its server changed the definition since it was first used", "its description looks as if it were meant to steer the model: %"} { // of tool servers
		given["the tool %: "+why] = true
	}
	given["an answer did not count, because %"] = true
	given["% cannot be opened to a program: %"], given["it belongs to the machine, is a home directory, or holds much more than what the command needs"] = true, true
	for _, why := range []string{"the rules, the mode or the sandbox settings have changed since the request was shown", "another directory is now at the path of the workspace", "the call is not the one that was answered"} { // of an answer
		given[why] = true
	}
	inStep(t, "reasons", given)
}

// TestMessagesHaveChineseWords: what a session says to its user by itself (notices, errors of providers, what hooks and the reviewer did, why a
// call did not run) is in a table too, which has nothing else.
func TestMessagesHaveChineseWords(t *testing.T) {
	given := reasonsOf(t, reasons.message, "../../agent", "../../event", "../../model", "../../toolcall", "../../journal", "../harness", "../sessions", "../../kit/providers/bedrock", "../../kit/providers/wire", "../../kit/workspace")
	for _, kind := range []model.ErrorKind{model.Auth, model.Quota, model.Rate, model.Overloaded, model.Server, model.BadRequest, model.NotFound, model.ContextLength, model.Network, model.Garbage, model.Stalled, model.WrongProtocol} {
		e := model.Error{Provider: "%", Kind: kind, Text: "%"}
		given[e.Error()] = true
		e.Status = 1
		given[strings.Replace(e.Error(), "1", "%", 1)] = true
	}
	for _, r := range []event.Review{{Verdict: "approved"}, {Verdict: "left"}, {Verdict: "unavailable"}} {
		given[r.String()] = true
		r.Reason = "%"
		given[r.String()] = true
	}
	for _, h := range []event.Hook{{}, {Error: "%"}, {Changed: true}, {Changed: true, Reason: "%"}, {Reason: "%"}} {
		h.Name, h.Event = "%", "%"
		given[h.String()] = true
	}
	for _, decision := range []string{"allow", "ask", "deny"} { // in place of what a hook says
		given[decision], given[decision+": %"] = true, true
	}
	for _, name := range []string{"this message", "this session", "today", "tokens", "US dollars", "seconds", "calls", "requests", "sub-agents", "The call of %", "A background job of %", "The hook %", "no reason was given", "Not run: %, and nobody is there to approve it.", "No answer: %.", "the hook % failed (%), and calls do not run without it"} { // of budgets, of changes of files, of a hook, of a call without an answer
		given[name] = true
	}
	for _, text := range []string{"the conversation was compacted: % → % tokens (%)", "not compacted: the conversation is short", // how a compaction ended
		"it was cut off", "sandbox backend: %", // an answer that comes from a server, and a record
		"% exists: choose another name, or add --force", "no such format: % (expected .md, .html or .json)", "no such mode: % (expected %)", // errors of commands, in the chat
		"your own settings have no rule %; rules of a project are in its .rein/settings.json", "removed: %   from %", "removed: %   from %; it applies from the next session",
		"it was deleted since", "it was made again since", "it was changed since it was made", "it was changed since", "it was changed since, and its content now is not kept: %", "its mode was changed since", // why an undo leaves a file
		"its attributes were changed since", "its directory has gone since", "its directory is not part of this workspace", "it was changed since, and it is not text", "the same lines were changed since: %", "git changed it since", "what is in it is not kept: %"} {
		given[text] = true
	}
	for _, text := range []string{"larger than the limit", "left out by an ignore file", "no regular file", "not readable", "on another file system", "more than the store may hold",
		"an object of git that could not be kept", "rein's own files", "outside of the workspace", // why an undo does not have a file
		"% for reading, until the command ends", "% for writing, until the command ends", "port % of this machine, until the command ends"} { // what an approval opens
		given[text] = true
	}
	for _, err := range []error{errKind, errLong, errNoAttachment} { // of the server itself
		given[err.Error()] = true
	}
	inStep(t, "messages", given)
}

// inStep compares what is given with a table.
func inStep(t *testing.T, name string, given map[string]bool) {
	table, err := os.ReadFile("../tui/text/" + name + ".zh.txt")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for line := range strings.Lines(string(table)) {
		english, chinese, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " = ")
		if !ok || known[english] != "" {
			t.Errorf("%q is no row of its own", line)
		}
		for _, part := range regexp.MustCompile(`[%{][1-9]`).FindAllString(chinese, -1) {
			if n := int(part[1] - '0'); n > strings.Count(english, "%") {
				t.Errorf("%s: there is no %s", english, part)
			}
		}
		known[english] = chinese
	}
	for _, english := range slices.Sorted(maps.Keys(given)) {
		if known[english] == "" {
			t.Errorf("%s.zh.txt has no words for: %s", name, english)
		}
		delete(known, english)
	}
	for english := range known {
		t.Errorf("%s.zh.txt: nothing says: %s", name, english)
	}
}

// reasonsOf collects the reasons in the source of some packages: what is given to Found, what is named Reason or Why, and what some functions
// return or take. Words that are not known are %.
func reasonsOf(t *testing.T, visit func(reasons, ast.Node) bool, dirs ...string) map[string]bool {
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
				ast.Inspect(f, r.constant)
			}
		}
		for _, f := range parsed {
			ast.Inspect(f, func(n ast.Node) bool { return visit(r, n) })
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
		case (name == "Found" || name == "Sends") && len(n.Args) > 1:
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

// message collects what a session says to its user: what is noticed, what is recorded for people, and what some functions return.
func (r reasons) message(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		name := n.Name.Name
		said := slices.Contains([]string{"cleaned", "cleanImage", "warning", "String"}, name) || name == "Error" && exceeded(n)
		ast.Inspect(n, func(x ast.Node) bool {
			switch x := x.(type) {
			case *ast.ReturnStmt:
				if said && len(x.Results) > 0 && (name != "String" || strings.Contains(r.text(x.Results[0]), " of the journal ")) {
					r.addWhole(x.Results[len(x.Results)-1])
				}
			case *ast.AssignStmt:
				switch {
				case name == "notice" && named(x.Lhs[0]) == "text":
					r.addWhole(x.Rhs[0])
				case name == "refusedError" && named(x.Lhs[0]) == "text" && x.Tok != token.ADD_ASSIGN:
					r.all[r.text(x.Rhs[0])+"."], r.all[r.text(x.Rhs[0])+": %"] = true, true
				}
			}
			return true
		})
	case *ast.CallExpr:
		at, ok := map[string]int{"notice": 0, "audit": 1, "void": 2, "paid": 0}[called(n)]
		if ok && at < len(n.Args) {
			r.addWhole(n.Args[at])
		}
		if called(n) == "append" && len(n.Args) > 1 && strings.HasSuffix(named(n.Args[0]), "notices") {
			r.addWhole(n.Args[1])
		}
	case *ast.CompositeLit:
		if named(n.Type) == "Error" { // of the workspace
			r.addTexts(n)
		}
		for _, kind := range n.Elts {
			if k, ok := kind.(*ast.KeyValueExpr); ok && named(k.Key) == "Kind" && slices.Contains([]string{"Notice", "Audit", "Damaged", "ApprovalVoid", "Denied"}, named(k.Value)) {
				r.addTexts(n)
			}
		}
	}
	return true
}

func (r reasons) addTexts(n *ast.CompositeLit) {
	for _, e := range n.Elts {
		if k, ok := e.(*ast.KeyValueExpr); ok && named(k.Key) == "Text" {
			r.addWhole(k.Value)
		}
	}
}

// addWhole takes a message, which is looked up as a whole.
func (r reasons) addWhole(e ast.Expr) {
	if text := strings.ReplaceAll(r.text(e), "%%", "%"); strings.ContainsFunc(text, func(r rune) bool { return r >= 'a' && r <= 'z' }) && strings.Contains(text, " ") {
		r.all[text] = true
	}
}

// exceeded reports whether a function is the text of a budget that is used.
func exceeded(n *ast.FuncDecl) bool {
	of, ok := n.Recv.List[0].Type.(*ast.StarExpr)
	return ok && named(of.X) == "BudgetExceeded"
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

var verbs = regexp.MustCompile(`%[0-9.]*[sdvqXf]`)

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

// TestWhatIsDoneHasWords: the page has words in each language for all that the audit log says.
func TestWhatIsDoneHasWords(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range []string{"en", "zh"} {
		words, err := os.ReadFile("../../web/src/words/" + language + ".ts")
		if err != nil {
			t.Fatal(err)
		}
		_, words, _ = bytes.Cut(words, []byte("auditWhat: {"))
		words, _, _ = bytes.Cut(words, []byte("}"))
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, what := range regexp.MustCompile(`What: "(\w+)"`).FindAllSubmatch(text, -1) {
				if !strings.HasSuffix(name, "_test.go") && !regexp.MustCompile(`\b`+string(what[1])+`: "`).Match(words) {
					t.Errorf("%s.ts has no words for %s of %s", language, what[1], name)
				}
			}
		}
	}
}
