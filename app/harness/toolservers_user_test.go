package harness

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"rein/app/extend"
	"rein/guard"
	"rein/kit/mcp"
	"rein/tool"
)

func TestArgumentsOfAPrompt(t *testing.T) {
	two := mcp.Prompt{Arguments: []mcp.Argument{{Name: "who", Required: true}, {Name: "how"}}}
	rows := map[string]struct {
		prompt     mcp.Prompt
		line, want string
	}{
		"by position, the last takes the rest": {two, "Mei very kindly", "map[how:very kindly who:Mei]"},
		"by name":                              {two, "how=loud Mei", "map[how:loud who:Mei]"},
		"in quotation marks":                   {two, `"Mei Lin"`, "map[who:Mei Lin]"},
		"an equals sign that is no name":       {two, "a=b", "map[who:a=b]"},
		"a missing one":                        {two, "how=loud", "the argument who is missing"},
		"none are taken":                       {mcp.Prompt{}, "Mei", `the prompt takes no arguments; it got "Mei"`},
		"none":                                 {mcp.Prompt{}, "", "map[]"},
	}
	for name, row := range rows {
		given, err := promptArguments(row.prompt, row.line)
		got := fmt.Sprint(given)
		if err != nil {
			got = err.Error()
		}
		if got != row.want {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}

func TestMentions(t *testing.T) {
	s := newToolServers(toolServerOptions{Entries: ToolServerEntries{mcp.ServerEntry{Name: "my notes", Command: "x"}, mcp.ServerEntry{Name: "docs", Command: "x"}}, State: t.TempDir()})
	defer s.Close()
	for message, want := range map[string]string{
		"see @docs:file:///a.txt, please":         "@docs:file:///a.txt",
		"(@docs:a) and @docs:a and \"@docs:b\".":  "@docs:a @docs:b",
		"@my_notes:note://today?":                 "@my_notes:note://today",
		"@other:a @docs @docs: mail@docs:a @a.go": "",
	} {
		var got []string
		for _, m := range s.Mentions(message) {
			got = append(got, m.Text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %s", message, got, want)
		}
	}
}

// TestOnlyTheUsersOwnCommandsAreApproved lists what could pass for one.
func TestOnlyTheUsersOwnCommandsAreApproved(t *testing.T) {
	s := newToolServers(toolServerOptions{State: t.TempDir()})
	defer s.Close()
	ask := guard.Verdict{Decision: guard.Ask}
	rows := map[string]struct {
		call tool.Call
		v    guard.Verdict
		want guard.Choice
	}{
		"the user's own":         {tool.Call{ID: extend.NewCallByUser(), Name: resourcesName}, ask, guard.Approved},
		"a call of the model":    {tool.Call{ID: "call_1", Name: resourcesName}, ask, guard.Abstain},
		"another tool":           {tool.Call{ID: extend.NewCallByUser(), Name: "bash"}, ask, guard.Abstain},
		"a tool of a server":     {tool.Call{ID: extend.NewCallByUser(), Name: "mcp__docs__delete"}, ask, guard.Abstain},
		"what only a person may": {tool.Call{ID: extend.NewCallByUser(), Name: resourcesName}, guard.Verdict{Decision: guard.Ask, PersonOnly: true}, guard.Abstain},
		"what is denied":         {tool.Call{ID: extend.NewCallByUser(), Name: resourcesName}, guard.Verdict{Decision: guard.Deny}, guard.Abstain},
	}
	for name, row := range rows {
		if a, err := s.Approve(context.Background(), guard.Case{Call: row.call}, row.v); err != nil || a.Choice != row.want {
			t.Errorf("%s: %v, %v", name, a.Choice, err)
		}
	}
}
