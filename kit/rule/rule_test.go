package rule

import (
	"context"
	"encoding/json"

	"rein/guard"
	"rein/kit/guards"
	"rein/tool"
)

// home is the machine of the tests.
var home = guards.Programs{Here: guards.Here{Home: "/home/dev", User: "dev"}}

// bash is the case of a command in a trusted workspace.
func bash(command string) guard.Case {
	c := call("bash", tool.Intent{Command: command, Unknown: true})
	c.Effect, c.Call.Args = tool.Runs, []byte(`{"command":`+quoteJSON(command)+`}`)
	return c
}

func quoteJSON(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

// call is the case of a tool with an intent.
func call(name string, i tool.Intent) guard.Case {
	return guard.Case{Session: "s", Call: tool.Call{ID: "1", Name: name, Args: []byte(`{}`)}, Intent: i, Mode: guard.Supervised, Isolation: guard.FullIsolation, Root: "/home/dev/project"}
}

func clean(context.Context, string) (changed, untracked []string, err error) { return nil, nil, nil }

// full is the full set of guards with these rules.
func full(list []Rule) *guards.Set {
	return guards.New(guards.Options{Here: home.Here, Unsaved: clean, Rules: &Set{List: list, Programs: home}})
}
