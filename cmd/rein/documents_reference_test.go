package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rein/app/tui/text"
)

var updateReference = flag.Bool("update", false, "write docs/reference from the program")

// referencePages write the pages of docs/reference, in English and in Chinese.
var referencePages = map[string]func(pageWords) (string, error){
	"commands": commandsPage, "exit_codes": exitCodesPage, "events": eventsPage, "http": httpPage, "settings_keys": settingsPage, "errors": errorsPage,
}

// TestReferenceIsThatOfTheProgram compares the pages of docs/reference and docs/zh/reference with what the code says. Each text that they
// translate has a row in docs/reference/zh.txt or, for what the program also shows, in app/tui/text/commands.zh.txt.
func TestReferenceIsThatOfTheProgram(t *testing.T) {
	chinese := chinesePageWords(t)
	for name, page := range referencePages {
		for dir, words := range map[string]pageWords{"docs/reference/": {}, "docs/zh/reference/": chinese} {
			want, err := page(words)
			if err != nil {
				t.Fatal(err)
			}
			file := "../../" + dir + name + ".md"
			if *updateReference {
				err = os.WriteFile(file, []byte(want), 0o644)
			}
			got, err2 := os.ReadFile(file)
			if err != nil || err2 != nil || string(got) != want {
				t.Errorf("%s is not what the program has: go test ./cmd/rein -run Reference -update (%v, %v)", file, err, err2)
				if name == "errors" {
					t.Log("a message that does not say by itself what to do needs a row in docs/troubleshooting.md")
				}
			}
		}
	}
	for english := range chinese.rows {
		if !chinese.used[english] {
			t.Errorf("docs/reference/zh.txt: no page of the reference has %q", english)
		}
	}
	for english, is := range chinese.missing {
		if is {
			t.Errorf("neither docs/reference/zh.txt nor, for commands, app/tui/text/commands.zh.txt has a row: %s = …", english)
		}
	}
}

// pageWords are the words of the pages of the reference in a language; the zero value is English.
type pageWords struct {
	rows          map[string]string
	used, missing map[string]bool
}

func chinesePageWords(t *testing.T) pageWords {
	t.Helper()
	table, err := fs.ReadFile(root, "docs/reference/zh.txt")
	if err != nil {
		t.Fatal(err)
	}
	w := pageWords{rows: map[string]string{}, used: map[string]bool{}, missing: map[string]bool{}}
	for line := range strings.Lines(string(table)) {
		english, own, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " = ")
		if _, twice := w.rows[english]; twice || !ok || own == "" {
			t.Errorf("docs/reference/zh.txt: a row is English = 中文, once: %q", line)
		}
		w.rows[english] = own
	}
	return w
}

// of is a text in the language; one that the table lacks is named by the test.
func (w pageWords) of(english string) string {
	if w.rows == nil || english == "" {
		return english
	}
	own, ok := w.rows[english]
	if w.used[english] = true; !ok {
		w.missing[english] = true
		return english
	}
	return own
}

// lines are the paragraphs and items of a text in the language: a row for each.
func (w pageWords) lines(english string) string {
	if w.rows == nil {
		return english
	}
	var out, one []string
	end := func() {
		if len(one) > 0 {
			body, item := strings.CutPrefix(strings.Join(one, " "), "- ")
			if body = w.of(body); item {
				body = "- " + body
			}
			out, one = append(out, body), nil
		}
	}
	for line := range strings.SplitSeq(english, "\n") {
		if line == "" || strings.HasPrefix(line, "- ") {
			end()
		}
		if line == "" {
			out = append(out, "")
		} else {
			one = append(one, strings.TrimSpace(line))
		}
	}
	return strings.Join(out, "\n")
}

// programWords are those that the program has itself.
func (w pageWords) programWords() text.Words {
	if w.rows == nil {
		return nil
	}
	return text.WordsIn("zh")
}

// cell is a text as one cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", `\<`).Replace(strings.TrimSpace(text))
}

// commandsPage lists every command with its flags.
func commandsPage(w pageWords) (string, error) {
	var b strings.Builder
	b.WriteString("# " + w.of("Commands") + "\n\n" + w.of("You get every command with its flags, as `rein help COMMAND` prints them. This page is made from the program.") + "\n")
	var write func(c *cobra.Command)
	write = func(c *cobra.Command) {
		if c.Hidden || c.Name() == "completion" {
			return
		}
		about := cmp.Or(c.Long, c.Short)
		fmt.Fprintf(&b, "\n## %s\n", c.CommandPath())
		if own := w.programWords(); own != nil {
			about = c.Long
			summary := own.Command(c.Short)
			w.missing[c.Short] = summary == c.Short
			fmt.Fprintf(&b, "%s\n\n", summary)
		}
		fmt.Fprintf(&b, "```text\n%s\n```\n", strings.TrimSpace(c.UseLine()+"\n\n"+strings.TrimSpace(about)))
		if c.Example != "" {
			fmt.Fprintf(&b, "```sh\n%s\n```\n", strings.TrimRight(c.Example, "\n"))
		}
		flags := 0
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" {
				return
			}
			if flags++; flags == 1 {
				fmt.Fprintf(&b, "\n| %s | %s |\n|---|---|\n", w.of("flag"), w.of("meaning"))
			}
			kind, usage := pflag.UnquoteUsage(f)
			name := strings.TrimSpace("--" + f.Name + " " + kind)
			if f.Shorthand != "" {
				name = "-" + f.Shorthand + ", " + name
			}
			fmt.Fprintf(&b, "| `%s` | %s |\n", name, cell(usage))
		})
		for _, sub := range c.Commands() {
			write(sub)
		}
	}
	write(newRoot(""))
	return b.String() + "\n" + w.of("Next: [exit_codes.md](exit_codes.md).") + "\n", nil
}

// comments returns the values and the comments of the constants in a file whose names fit.
func comments(name, fitting string, add func(value, comment string)) error {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
	if err != nil {
		return err
	}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			if lit, ok := v.Values[0].(*ast.BasicLit); ok && regexp.MustCompile(fitting).MatchString(v.Names[0].Name) {
				value, err := strconv.Unquote(lit.Value)
				if err != nil {
					value = lit.Value
				}
				add(value, v.Comment.Text())
			}
		}
	}
	return nil
}

const aboutExitCodes = `
- 1 is also what ` + "`rein doctor`" + ` gives where rein cannot start, and ` + "`rein call`" + ` for a call that failed.
- In a run the model reads a denial and continues. The code is 60 only if nobody was there to approve.
- ` + "`rein sandbox -- CMD`" + ` ends with the code of CMD, or with 128 and the number of the signal that ended it.
- With ` + "`--output-format json`, `--output-format stream-json` or `--json`" + `, a failure is a JSON object on standard output too. It has
  ` + "`is_error`, `error` or `result` with the message, and `exit_code`" + `. A command whose output shows the failure by itself prints no second object.

Next: [troubleshooting.md](../troubleshooting.md) for what to do.
`

func exitCodesPage(w pageWords) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n| %s | %s |\n|---|---|\n", w.of("Exit codes"), w.of("You get the reason for which a command ended, in every output format. This page is made from the program."), w.of("code"), w.of("meaning"))
	err := comments("cmd/rein/exit.go", "^exit", func(value, comment string) {
		fmt.Fprintf(&b, "| %s | %s |\n", value, cell(w.of(strings.TrimSpace(cmp.Or(comment, "done")))))
	})
	return b.String() + w.lines(aboutExitCodes), err
}

func eventsPage(w pageWords) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n| %s | %s |\n|---|---|\n", w.of("Events"), w.of("You get what a session records, one JSON object a line: in its journal, over HTTP, and in `rein sessions export ID -o FILE.json`. "+
		"Those marked (live) are shown and not recorded. The names after the colon are the fields that are set, in JSON in small letters. "+
		"This page is made from the program."), w.of("kind"), w.of("when"))
	err := comments("event/event.go", ".", func(value, comment string) {
		if comment != "" {
			fmt.Fprintf(&b, "| `%s` | %s |\n", value, cell(w.of(strings.TrimSpace(comment))))
		}
	})
	return b.String() + w.lines("\nEvery event has `kind`, `time` and `session`; recorded ones have `seq`, their number in the journal.\n\nNext: [http.md](http.md) for the stream of events.\n"), err
}

func httpPage(w pageWords) (string, error) {
	var d struct {
		Paths map[string]map[string]struct {
			Summary    string `json:"summary"`
			Role       string `json:"x-role"`
			Parameters []struct {
				Name string `json:"name"`
			} `json:"parameters"`
			RequestBody *struct{} `json:"requestBody"`
		} `json:"paths"`
	}
	text, err := fs.ReadFile(root, "app/server/api/openapi.json")
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n| %s | %s | %s | %s |\n|---|---|---|---|\n", w.of("The HTTP interface"), w.of("You get every operation of `rein serve`, with the role that it needs. `rein serve openapi` prints all of it with types. "+
		"This page is made from that description."), w.of("operation"), w.of("what it does"), w.of("role"), w.of("parameters"))
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			o := d.Paths[path][method]
			var names []string
			for _, p := range o.Parameters {
				if !strings.Contains(path, "{"+p.Name+"}") {
					names = append(names, "`"+p.Name+"`")
				}
			}
			if o.RequestBody != nil {
				names = append(names, w.of("a body"))
			}
			fmt.Fprintf(&b, "| `%s %s` | %s | %s | %s |\n", strings.ToUpper(method), path, cell(w.of(o.Summary)), o.Role, strings.Join(names, ", "))
		}
	}
	return b.String() + w.lines("\nNext: [server_api.md](../server_api.md) for the stream of events and for errors.\n"), nil
}
