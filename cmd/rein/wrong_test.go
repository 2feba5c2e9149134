package main

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// fromALibrary are words of libraries that no message may have.
var fromALibrary = regexp.MustCompile(`arg\(s\)|strconv|pflag|cobra|hujson|invalid syntax|invalid argument|json: |time: |yaml: |EOF|lstat|PathError`)

// choices are flags that take one of a few words, in every command that has them.
var choices = []string{"mode", "sandbox", "sandbox-backend", "isolation", "scope", "category", "role", "overlap", "missed", "start", "transport", "what", "effort"}

// TestEveryWrongCommandLine tries, for every command, a flag that is not there, each flag without a value and with wrong values,
// and numbers of arguments that it does not take: each ends with 2, a message in plain words, and how the command is used.
func TestEveryWrongCommandLine(t *testing.T) {
	root, out, n := newRoot(""), &bytes.Buffer{}, 0
	root.SetOut(out)
	root.SetErr(out)
	refused := func(path []string, args ...string) {
		n++
		out.Reset()
		line := append(slices.Clone(path), args...)
		if code := execute(t.Context(), root, line); code != exitUsage || !strings.HasPrefix(out.String(), "rein: ") || fromALibrary.Match(out.Bytes()) {
			t.Errorf("rein %s: exit code %d: %s", strings.Join(line, " "), code, out)
		}
	}
	walk(root, nil, func(c *cobra.Command, path []string) {
		if c.Runnable() { // nothing of this test may run
			c.RunE = func(*cobra.Command, []string) error { return errors.New("it ran") }
		}
		refused(path, "--no-such-flag")
		nine := strings.Fields("x x x x x x x x x")
		if c.Args == nil && c.Runnable() && !strings.ContainsAny(c.Use, "…") && c.Name() != "run" { // all words are the prompt
			t.Errorf("%s takes any number of arguments", c.CommandPath())
		}
		if c.Runnable() && c.ValidateArgs(nine) != nil {
			refused(path, nine...)
		}
		if c.Runnable() && c.ValidateArgs(nil) != nil {
			refused(path)
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.NoOptDefVal == "" {
				refused(path, "--"+f.Name)
			}
			for _, value := range wrongValues(f) {
				refused(path, "--"+f.Name+"="+value)
			}
		})
	})
	if t.Logf("%d command lines", n); n < 800 {
		t.Errorf("only %d command lines were tried", n)
	}
}

// wrongValues are texts that a flag must refuse before the command runs.
func wrongValues(f *pflag.Flag) []string {
	switch kind := f.Value.Type(); {
	case kind == "bool":
		return []string{"nonsense"}
	case strings.HasPrefix(kind, "string"):
		if slices.Contains(choices, f.Name) {
			return []string{"nonsense", ""}
		}
		return nil
	case kind == "duration":
		return []string{"nonsense", "-5s", "5", ""}
	default:
		return []string{"nonsense", "-5", "", "99999999999999999999999"}
	}
}

// walk visits the commands that a user may call.
func walk(c *cobra.Command, path []string, visit func(*cobra.Command, []string)) {
	visit(c, path)
	for _, below := range c.Commands() {
		if !below.Hidden {
			walk(below, append(slices.Clone(path), below.Name()), visit)
		}
	}
}

// TestOneCommandIsMadeAlone: the name in the table is that of the command, and no other is made beside it.
func TestOneCommandIsMadeAlone(t *testing.T) {
	all := 0
	for _, g := range commandGroups {
		for _, c := range g.commands {
			all++
			if made := newRoot(c.name).Commands(); len(made) != 1 || made[0].Name() != c.name {
				t.Errorf("%s: %v", c.name, made)
			}
		}
	}
	if made := newRoot("").Commands(); len(made) != all {
		t.Errorf("%d commands of %d", len(made), all)
	}
}
