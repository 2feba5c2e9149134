package guards

import (
	"encoding/json"
	"testing"

	"rein/guard"

	"rein/tool"
)

// TestRulesAboutArguments looks which calls of a server's tool a rule about one of its arguments covers.
func TestRulesAboutArguments(t *testing.T) {
	rows := []struct {
		rule, tool, args string
		allows, forbids  bool
	}{
		{"mcp__git__push(branch:main)", "mcp__git__push", `{"branch":"main","force":true}`, true, true},
		{"mcp__git__push(branch:main)", "mcp__git__push", `{"branch":"maintenance"}`, false, false},
		{"mcp__git__push(branch:main)", "mcp__git__pull", `{"branch":"main"}`, false, false},
		{"mcp__git(branch:main)", "mcp__git__pull", `{"branch":"main"}`, true, true},
		{"mcp__git__push(branch:feature/*)", "mcp__git__push", `{"branch":"feature/x"}`, true, true},
		{"mcp__git__push(branch:main)", "mcp__git__push", `{}`, false, false},
		{"mcp__git__push(force:true)", "mcp__git__push", `{"force":true}`, true, true},
		{"mcp__x__y(a.b:1)", "mcp__x__y", `{"a":{"b":1}}`, true, true},
		{"mcp__x__y(path:/a/*)", "mcp__x__y", `{"path":["/a/1","/b/2"]}`, false, true},
		{"mcp__x__y(path:/a/*)", "mcp__x__y", `{"path":["/a/1","/a/2"]}`, true, true},
		{"mcp__x__y(path:/a/*)", "mcp__x__y", `{"path":[]}`, false, false},
		{"mcp__git-hub__push(url:https://x.example/*)", "mcp__git-hub__push", `{"url":"https://x.example/a"}`, true, true},
	}
	for _, row := range rows {
		r, err := ParseRule(row.rule)
		if err != nil {
			t.Fatal(err)
		}
		c := guard.Case{Call: tool.Call{Name: row.tool, Args: json.RawMessage(row.args)}, Intent: tool.Intent{Unknown: true}}
		s := newSubject(c, Programs{})
		if got := r.permits(s); got != row.allows {
			t.Errorf("%s allows %s %s: %v", row.rule, row.tool, row.args, got)
		}
		if got := r.forbids(s); got != row.forbids {
			t.Errorf("%s forbids %s %s: %v", row.rule, row.tool, row.args, got)
		}
	}
}

// TestAllowNeedsTheServersName: a star in the name of a server would allow the tools of servers that come later.
func TestAllowNeedsTheServersName(t *testing.T) {
	for _, c := range []struct {
		decision guard.Decision
		tool     string
		want     bool
	}{
		{guard.Allow, "mcp__gh__get_*", true}, {guard.Allow, "mcp__*__get_a", false}, {guard.Allow, "mcp__*", false},
		{guard.Deny, "mcp__*__get_a", true}, {guard.Deny, "mcp__*", true}, {guard.Deny, "mcp__gh__put*", false},
	} {
		if got := (Rule{Decision: c.decision, Tool: c.tool}).names("mcp__gh__get_a"); got != c.want {
			t.Errorf("%v %s: %v", c.decision, c.tool, got)
		}
	}
}
