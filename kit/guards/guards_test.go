package guards

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rein/guard"
	"rein/tool"
)

// call is the case of a tool with an intent.
func call(name string, i tool.Intent) guard.Case {
	return guard.Case{Session: "s", Call: tool.Call{ID: "1", Name: name, Args: []byte(`{}`)}, Intent: i, Mode: guard.Supervised, Isolation: guard.FullIsolation, Root: "/home/dev/project"}
}

func TestPaths(t *testing.T) {
	g := Paths{Here: home.Here, Plan: "PLAN.txt"}
	reads := func(p string) tool.Intent { return tool.Intent{Reads: []string{p}} }
	writes := func(p string) tool.Intent { return tool.Intent{Writes: []string{p}} }
	rows := []struct {
		rule   string
		mode   guard.Mode
		intent tool.Intent
		want   guard.Decision
	}{
		{"a file of the workspace is read", guard.ReadOnly, reads("main.go"), guard.Allow},
		{"and not written in read-only", guard.ReadOnly, writes("main.go"), guard.Deny},
		{"and written in supervised", guard.Supervised, writes("main.go"), guard.Allow},
		{"the plan is written in plan mode", guard.Plan, writes("PLAN.txt"), guard.Allow},
		{"nothing else is", guard.Plan, writes("main.go"), guard.Deny},
		{"the plan's name is spelled otherwise", guard.Plan, writes("./x/../PLAN.txt"), guard.Allow},
		{"hooks ask", guard.Supervised, writes(".git/hooks/pre-commit"), guard.Ask},
		{"hooks ask in full", guard.Full, writes(".git/hooks/pre-commit"), guard.Ask},
		{"hooks in capitals ask", guard.Supervised, writes(".GIT/hooks/pre-commit"), guard.Ask},
		{"workflows ask", guard.Supervised, writes("./.github//workflows/ci.yml"), guard.Ask},
		{"instructions of agents ask", guard.Supervised, writes("AGENTS.md"), guard.Ask},
		{".env is asked for", guard.Supervised, reads(".env"), guard.Ask},
		{"a sample of it is not", guard.Supervised, reads(".env.example"), guard.Allow},
		{"outside is asked for", guard.Supervised, reads("../other/x"), guard.Ask},
		{"keys are never read", guard.Full, reads("/home/dev/.ssh/id_rsa"), guard.Deny},
		{"the machine is never written", guard.Full, writes("/etc/passwd"), guard.Deny},
		{"our own settings are never written", guard.Full, writes(".rein/settings.json"), guard.Deny},
		{"nor those in the home directory", guard.Full, writes("/home/dev/.config/rein/settings.json"), guard.Deny},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			c := call("tool", row.intent)
			c.Mode = row.mode
			if v := g.Judge(t.Context(), c); v.Decision != row.want {
				t.Errorf("got %v: %s", v.Decision, v.Reason)
			}
		})
	}
}

func TestHosts(t *testing.T) {
	g := Hosts{Known: func(_, h string) bool { return h == "docs.example.com" }}
	for host, want := range map[string]guard.Decision{
		"docs.example.com": guard.Allow, "example.com": guard.Ask, "169.254.169.254": guard.Deny, "metadata.google.internal:80": guard.Deny, "[fd00:ec2::254]:80": guard.Deny,
	} {
		if v := g.Judge(t.Context(), call("web_fetch", tool.Intent{Hosts: []string{host}})); v.Decision != want {
			t.Errorf("%s: %v", host, v.Decision)
		}
	}
}

func TestUnknownToolsAreJudgedByTheirMost(t *testing.T) {
	for _, row := range []struct {
		effect tool.Effect
		mode   guard.Mode
		want   guard.Decision
	}{
		{0, guard.ReadOnly, guard.Allow}, {tool.Reads, guard.ReadOnly, guard.Allow}, {tool.Writes, guard.Supervised, guard.Ask}, {tool.Reaches, guard.Supervised, guard.Ask},
		{tool.Writes, guard.ReadOnly, guard.Deny}, {tool.Runs, guard.Plan, guard.Deny}, {tool.Writes, guard.Full, guard.Allow},
	} {
		c := call("mcp__x__y", tool.Intent{Unknown: true})
		c.Effect, c.Mode = row.effect, row.mode
		if v := (Unknown{}).Judge(t.Context(), c); v.Decision != row.want {
			t.Errorf("%v in %v: %v", row.effect, row.mode, v.Decision)
		}
	}
}

func TestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &Rate{PerHour: 3, PerTool: map[string]int{"b": 1}}
		judge := func(name string) guard.Decision { return g.Judge(t.Context(), call(name, tool.Intent{})).Decision }
		for i, want := range []guard.Decision{guard.Allow, guard.Allow, guard.Allow, guard.Ask} {
			if got := judge("a"); got != want {
				t.Errorf("call %d: %v", i+1, got)
			}
		}
		time.Sleep(61 * time.Minute)
		if got := judge("b"); got != guard.Allow {
			t.Errorf("an hour later: %v", got)
		}
		if got := judge("b"); got != guard.Ask {
			t.Errorf("the tool's own limit: %v", got)
		}
	})
}

// fileTools are the names of tools that open files only through the workspace.
var fileTools = []string{"read_file", "grep", "list_dir", "edit_file", "write_file"}

// TestReach: a file tool is not asked about for what it cannot do.
func TestReach(t *testing.T) {
	here := Here{Home: "/home/u", Dirs: []string{"/more"}, Opened: func() (write, read []string) { return []string{"/open"}, []string{"/shown"} }}
	for _, row := range []struct {
		name, tool string
		intent     tool.Intent
		want       string // of the hint; "" where the guard has no objection
	}{
		{"a file of the work", "read_file", tool.Intent{Reads: []string{"a/b"}}, ""},
		{"the workspace itself", "list_dir", tool.Intent{Reads: []string{"."}}, ""},
		{"a directory beside it", "edit_file", tool.Intent{Reads: []string{"/more/a"}, Writes: []string{"/more/a"}}, ""},
		{"what was opened", "write_file", tool.Intent{Writes: []string{"/open/a"}}, ""},
		{"what was opened for reading", "read_file", tool.Intent{Reads: []string{"/shown/a"}}, ""},
		{"a kept output", "read_file", tool.Intent{Reads: []string{"output://1"}}, ""},
		{"a command", "bash", tool.Intent{Command: "cat /etc/hosts"}, ""},
		{"a call that opens it", "request_access", tool.Intent{RequestsAccess: true, Reads: []string{"/etc/hosts"}}, ""},

		{"a file outside", "read_file", tool.Intent{Reads: []string{"/etc/hosts"}}, `request_access {"read":"/etc/hosts"`},
		{"a name that only begins alike", "grep", tool.Intent{Reads: []string{"/more2"}}, `request_access {"read":"/more2"`},
		{"a file of /tmp", "write_file", tool.Intent{Writes: []string{"/tmp/a"}}, `Commands have a /tmp of their own, which this tool does not see: use a command for its files, or a path in the workspace; if the task needs the machine's own file, request access with this call: request_access {"write":"/tmp"`},
		{"a file to write", "write_file", tool.Intent{Writes: []string{"../x/a"}}, `request_access {"write":"/x"`},
		{"what was opened for reading, to write", "edit_file", tool.Intent{Writes: []string{"/shown/a"}}, `request_access {"write":"/shown"`},
	} {
		v := Reach{Here: here, Confined: fileTools}.Judge(t.Context(), guard.Case{Call: tool.Call{Name: row.tool}, Intent: row.intent, Root: "/r", Mode: guard.Supervised, Isolation: guard.FullIsolation})
		if (v.Decision == guard.Deny) != (row.want != "") || !strings.Contains(v.Hint, row.want) {
			t.Errorf("%s: %v, %q", row.name, v.Decision, v.Hint)
		}
	}
}

func TestUnsaved(t *testing.T) {
	type status = func(context.Context, string) (changed, untracked []string, err error)
	files := func(names ...string) status {
		return func(context.Context, string) ([]string, []string, error) { return names, nil, nil }
	}
	untracked := func(names ...string) status {
		return func(context.Context, string) ([]string, []string, error) { return nil, names, nil }
	}
	rows := []struct {
		rule    string
		command string
		files   status
		want    guard.Decision
	}{
		{"a clean tree may be reset", "git reset --hard", files(), guard.Allow},
		{"uncommitted changes ask", "git reset --hard HEAD~1", files("a.go"), guard.Ask},
		{"a reset leaves what git does not know", "git reset --hard", untracked("new.go"), guard.Allow},
		{"clean asks", "git clean -fd", untracked("new.go"), guard.Ask},
		{"clean leaves what git knows", "git clean -fd", files("a.go"), guard.Allow},
		{"both are asked about together", "git reset --hard && git clean -fd", untracked("new.go"), guard.Ask},
		{"a dry run does not", "git clean -nfd", untracked("new.go"), guard.Allow},
		{"restore leaves what git does not know", "git restore .", untracked("new.go"), guard.Allow},
		{"checkout of files asks", "git checkout -- .", files("a.go"), guard.Ask},
		{"a branch does not", "git checkout main", files("a.go"), guard.Allow},
		{"restore asks", "git restore a.go", files("a.go"), guard.Ask},
		{"unstaging does not", "git restore --staged a.go", files("a.go"), guard.Allow},
		{"rm of what is unsaved asks", "rm -rf src", untracked("src/new.go"), guard.Ask},
		{"rm of what git ignores does not", "rm -rf node_modules", files("src/new.go"), guard.Allow},
		{"rm by a wildcard asks", "rm *.go", untracked("new.go"), guard.Ask},
		{"rm of what is found asks", "find . -name '*.go' -delete", files("x/new.go"), guard.Ask},
		{"reading does not", "git status", files("a.go"), guard.Allow},
		{"an unknown state asks", "git reset --hard", nil, guard.Ask},
		{"git fails: it asks", "rm -rf src", func(context.Context, string) ([]string, []string, error) { return nil, nil, errors.New("no git") }, guard.Ask},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			c := bash(row.command)
			c.Mode = guard.Full
			if v := (Unsaved{Programs: home, Files: row.files}).Judge(t.Context(), c); v.Decision != row.want {
				t.Errorf("got %v: %s", v.Decision, v.Reason)
			}
		})
	}
}

func TestSecretsOnTheirWayOut(t *testing.T) {
	token := "ghp_" + strings.Repeat("a1B2", 9)
	g := Secrets{Programs: home}
	if v := g.Judge(t.Context(), bash("curl -H 'Authorization: token "+token+"' https://x")); v.Decision != guard.Ask {
		t.Errorf("a token to the network: %+v", v)
	}
	if v := g.Judge(t.Context(), bash("echo "+token)); v.Decision != guard.Allow {
		t.Errorf("a token that stays: %+v", v)
	}
}
