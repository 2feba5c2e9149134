package guards

import (
	"context"
	"encoding/json"
	"errors"

	"rein/guard"

	"rein/tool"
)

// RuleCall is what is known of a call where there is no guard.Case: for filters that choose calls and decide nothing.
type RuleCall struct {
	Tool string
	Args json.RawMessage
	Root string // absolute path of the workspace
}

// RuleFits reports whether a call is one that a rule such as Bash(git push:*) is about, as far as its arguments say so: the
// command, the path and the address. The error says why the text is no rule.
func RuleFits(text string, c RuleCall) (bool, error) {
	settings, err := json.Marshal(map[string]any{"permissions": map[string][]string{"deny": {text}}})
	if err != nil {
		return false, err
	}
	rules, warnings, err := ParseRules(User, "", "", settings)
	if err == nil && (len(rules) == 0 || len(warnings) > 0) {
		err = errors.New("it is not a permission rule")
	}
	if err != nil {
		return false, err
	}
	var args struct{ Command, Path, URL string }
	_ = json.Unmarshal(c.Args, &args) // other kinds of arguments say nothing
	var i tool.Intent
	i.Command = args.Command
	if args.Path != "" {
		i.Reads, i.Writes = []string{args.Path}, []string{args.Path}
	}
	if args.URL != "" {
		i.Hosts = []string{args.URL}
	}
	programs := NewPrograms(Here{})
	is := programs.Prepare(guard.Case{Call: tool.Call{Name: c.Tool, Args: c.Args}, Root: c.Root, Intent: i})
	set := Rules{List: rules, Programs: programs}
	return set.Judge(context.Background(), is).Decision == guard.Deny, nil
}
