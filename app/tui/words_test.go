package tui

import (
	"fmt"
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

	"rein/app/tui/text"
	"rein/event"
)

// A text that a user can read in the chat has a translation: what is passed to Words, and each sentence in the code of the chat that is not
// named here with its reason.
func TestEveryTextIsTranslated(t *testing.T) {
	words, used := text.WordsIn("zh"), map[string]bool{}
	for file, f := range filesOfTheChat(t) {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.KeyValueExpr: // the help of a command is English
				if key, ok := n.Key.(*ast.Ident); ok && slices.Contains([]string{"Short", "Long", "Example"}, key.Name) {
					return false
				}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && strings.Contains(f.Sel.Name, "Var") { // of a flag
					return false
				}
				if english, ok := passed(n); ok {
					if used[english] = true; words[english] == "" {
						t.Errorf("%s: %q has no translation in text/zh.txt", file, english)
					}
				}
			case *ast.BasicLit:
				english, err := strconv.Unquote(n.Value)
				if n.Kind != token.STRING || err != nil {
					return true
				}
				if words[english] != "" {
					used[english] = true
				} else if sentence.MatchString(english) && !slices.ContainsFunc(untranslated, func(s string) bool { return strings.Contains(english, s) }) {
					t.Errorf("%s: %q has no translation in text/zh.txt", file, english)
				}
			}
			return true
		})
	}
	for _, verb := range []string{"reads", "writes", "removes", "contacts", "runs"} { // of effects: see package guards
		used[fmt.Sprintf("  %-8s %%s", verb)] = true
	}
	played, err := os.ReadFile("../../cmd/rein/demo/script.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m) text: (.*)$`).FindAllStringSubmatch(string(played), -1) {
		if used[m[1]] = true; strings.Contains(m[1], " ") && words[m[1]] == "" {
			t.Errorf("demo/script.yaml: %q has no translation in text/zh.txt", m[1])
		}
	}
	for _, why := range []event.Stop{event.Done, event.MaxTurns, event.Budget, event.Cancelled, event.Waiting, event.Denied, event.Halted, event.Failed} {
		english := strings.ReplaceAll(string(why), "_", " ")
		if used[english] = true; words[english] == "" {
			t.Errorf("%q has no translation in text/zh.txt", english)
		}
	}
	for _, english := range slices.Sorted(maps.Keys(words)) {
		if !used[english] {
			t.Errorf("text/zh.txt: no text of the chat is %q", english)
		}
		if verbs := regexp.MustCompile(`%[a-z%]`); !slices.Equal(verbs.FindAllString(english, -1), verbs.FindAllString(words[english], -1)) {
			t.Errorf("text/zh.txt: the translation of %q has other arguments: %q", english, words[english])
		}
	}
}

// sentence is what two words in a literal show, or a word beside what is joined to it.
var sentence = regexp.MustCompile(`[A-Za-z]{2,}[,;:]? +[a-z%]|^ +[a-z]{2,}| [a-z]{2,}$`)

// untranslated are parts of texts that are the same in every language: names, commands, what a model or a program reads or is the error of another part.
var untranslated = []string{
	"git ", "/permissions allow ", "/permissions explain ", "/sessions name ", "/sessions delete ", "/permissions check", "rein ", // commands
	"[", "ref: refs", "\x1b", "ctrl+x ", "by %d", "image of", "%d min", "%.0f min", "%d days", " lines)", // what may follow a command, names, sizes
	"The user denied this call.", "The arguments were changed to ", "(no output)", "I ran this command", "… the rest of ", "is not shown", "too large", "so its outcome is unknown", // of results: the model reads them too
	"can be bound", "cannot be bound", "terminal.notify", "kept in ", "until the command ends", // errors in the settings, texts of guards
	"this terminal", "Press a key", "begins a chord", "types %q", "a paste of", // rein keys
	"the mode becomes ", "the mode stays plan", "Carry out this plan? ", // of the request about a plan, as the session words it
	"the user left", "the user went back", "nothing was chosen", "Answer with the word ready.", "the setup needs", // rein setup
	"nobody is there to answer", "sessions end in", "the events have ended", "the demo stopped", "(--max-turns)", "(--budget, ", "stopped: %s", "nobody was there to approve", "sh stats.sh", "the person leaves", "  because  ", "the request is gone", "(without a line break", // errors that end a command, and none; a mark
	"earlier step", "earlier message", "more line", "more row", "earlier line", // Count has them with a number
}

// filesOfTheChat are the parsed files of the chat, line by line too, and of the setup, without tests.
func filesOfTheChat(t *testing.T) map[string]*ast.File {
	files, rein := map[string]*ast.File{}, "../../cmd/rein/"
	for _, pattern := range []string{"*.go", "full/*.go", "input/*.go", "text/keys*.go", "block/call.go", "block/live.go", "block/message.go", "block/result.go", "block/w*.go",
		rein + "setup.go", rein + "demo.go", rein + "chat*.go", rein + "terminal*.go", rein + "screen.go", rein + "screen_re*.go", rein + "screen_words.go", rein + "attach*.go", rein + "trust_question.go", rein + "remote_place.go", rein + "remote_trouble.go", rein + "run_output.go",
		"../../guard/request_lines.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files[name] = f
		}
	}
	return files
}

// passed is the English text that a call looks up.
func passed(call *ast.CallExpr) (english string, ok bool) {
	name, at := "", 0
	switch f := call.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	switch name {
	case "Of", "say", "fact", "newPicker", "NewPager", "add":
	case "Count", "note":
		at = 1
	default:
		return "", false
	}
	if at >= len(call.Args) {
		return "", false
	}
	lit, ok := call.Args[at].(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	if english, _ = strconv.Unquote(lit.Value); name == "Count" {
		english = "%d " + english
	}
	return english, regexp.MustCompile(`[A-Za-z]{2}`).MatchString(strings.ReplaceAll(english, "%d", ""))
}
