package main

import (
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
)

var updateReference = flag.Bool("update", false, "write docs/reference from the program")

// TestReferenceIsThatOfTheProgram compares the pages of docs/reference with what the code says.
func TestReferenceIsThatOfTheProgram(t *testing.T) {
	for name, page := range map[string]func() (string, error){"commands": commandsPage, "exit_codes": exitCodesPage, "events": eventsPage, "http": httpPage, "settings_keys": settingsPage, "errors": errorsPage} {
		want, err := page()
		if err != nil {
			t.Fatal(err)
		}
		file := "../../docs/reference/" + name + ".md"
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

// cell is a text as one cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", `\<`).Replace(strings.TrimSpace(text))
}

// commandsPage lists every command with its flags.
func commandsPage() (string, error) {
	var b strings.Builder
	b.WriteString("# Commands\n\nYou get every command with its flags, as `rein help COMMAND` prints them. This page is made from the program.\n")
	var write func(c *cobra.Command)
	write = func(c *cobra.Command) {
		if c.Hidden || c.Name() == "completion" {
			return
		}
		about := c.Long
		if about == "" {
			about = c.Short
		}
		fmt.Fprintf(&b, "\n## %s\n```text\n%s\n\n%s\n```\n", c.CommandPath(), c.UseLine(), strings.TrimSpace(about))
		if c.Example != "" {
			fmt.Fprintf(&b, "```sh\n%s\n```\n", strings.TrimRight(c.Example, "\n"))
		}
		flags := 0
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" {
				return
			}
			if flags++; flags == 1 {
				b.WriteString("\n| flag | meaning |\n|---|---|\n")
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
	write(newRoot())
	return b.String() + "\nNext: [exit_codes.md](exit_codes.md).\n", nil
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

func exitCodesPage() (string, error) {
	var b strings.Builder
	b.WriteString("# Exit codes\n\nYou get the reason for which a command ended, in every output format. This page is made from the program.\n\n| code | meaning |\n|---|---|\n")
	err := comments("cmd/rein/exit.go", "^exit", func(value, comment string) {
		if comment == "" {
			comment = "done"
		}
		fmt.Fprintf(&b, "| %s | %s |\n", value, cell(comment))
	})
	b.WriteString(`
- 1 is also what ` + "`rein doctor`" + ` gives where rein cannot start, and ` + "`rein call`" + ` for a call that failed.
- In a run the model reads a denial and continues. The code is 60 only if nobody was there to approve.
- ` + "`rein sandbox -- CMD`" + ` ends with the code of CMD, or with 128 and the number of the signal that ended it.
- With ` + "`--output-format json`, `--output-format stream-json` or `--json`" + `, a failure is a JSON object on standard output too. It has
  ` + "`is_error`, `error` or `result` with the message, and `exit_code`" + `. A command whose output shows the failure by itself prints no second object.

Next: [troubleshooting.md](../troubleshooting.md) for what to do.
`)
	return b.String(), err
}

func eventsPage() (string, error) {
	var b strings.Builder
	b.WriteString("# Events\n\nYou get what a session records, one JSON object a line: in its journal, over HTTP, and in `rein sessions export ID -o FILE.json`. " +
		"Those marked (live) are shown and not recorded. The names after the colon are the fields that are set, in JSON in small letters. " +
		"This page is made from the program.\n\n| kind | when |\n|---|---|\n")
	err := comments("event/event.go", ".", func(value, comment string) {
		if comment != "" {
			fmt.Fprintf(&b, "| `%s` | %s |\n", value, cell(comment))
		}
	})
	return b.String() + "\nEvery event has `kind`, `time` and `session`; recorded ones have `seq`, their number in the journal.\n\nNext: [http.md](http.md) for the stream of events.\n", err
}

func httpPage() (string, error) {
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
	b.WriteString("# The HTTP interface\n\nYou get every operation of `rein serve`, with the role that it needs. `rein serve openapi` prints all of it with types. " +
		"This page is made from that description.\n\n| operation | what it does | role | parameters |\n|---|---|---|---|\n")
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
				names = append(names, "a body")
			}
			fmt.Fprintf(&b, "| `%s %s` | %s | %s | %s |\n", strings.ToUpper(method), path, cell(o.Summary), o.Role, strings.Join(names, ", "))
		}
	}
	return b.String() + "\nNext: [server_api.md](../server_api.md) for the stream of events and for errors.\n", nil
}
