package guards

import (
	"context"
	"strings"
	"testing"

	"rein/guard"

	"rein/tool"
)

// rules reads permissions as in a settings file.
func rules(t *testing.T, layer RuleLayer, permissions string) []Rule {
	t.Helper()
	all, _, err := ParseRules(layer, "settings.json", "/home/dev/project", []byte(`{"permissions":`+permissions+`}`))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// outcome judges a call by the guards and the rules.
func outcome(t *testing.T, list []Rule, c guard.Case) guard.Decision {
	t.Helper()
	r := &Rules{List: list, Programs: home}
	v := guard.All{Guards: []guard.Guard{Paths{Here: home.Here}, home, Hosts{}, r}}.Judge(t.Context(), c)
	if v.Decision != guard.Ask {
		return v.Decision
	}
	if a, err := r.Approve(t.Context(), c, v); err == nil && a.Choice == guard.Approved {
		return guard.Allow
	}
	return guard.Ask
}

func TestRules(t *testing.T) {
	fetch := func(host string) guard.Case { return call("web_fetch", tool.Intent{Hosts: []string{host}}) }
	read := func(p string) guard.Case { return call("read_file", tool.Intent{Reads: []string{p}}) }
	edit := func(p string) guard.Case { return call("edit_file", tool.Intent{Writes: []string{p}}) }
	rows := []struct {
		rule, permissions string
		c                 guard.Case
		want              guard.Decision
	}{
		{"a prefix allows", `{"allow":["bash(npm install:*)"]}`, bash("npm install x"), guard.Allow},
		{"the other spelling of a prefix", `{"allow":["Bash(npm install *)"]}`, bash("npm install x"), guard.Allow},
		{"an exact rule is exact", `{"allow":["bash(npm install)"]}`, bash("npm install x"), guard.Ask},
		{"a prefix ends at a word", `{"allow":["bash(git push:*)"]}`, bash("git pushx"), guard.Ask},
		{"parts that need no approval do not matter", `{"allow":["bash(npm install:*)"]}`, bash("npm install x && go test ./... && ls"), guard.Allow},
		{"each part needs its own", `{"allow":["bash(npm install:*)"]}`, bash("npm install x && rm y"), guard.Ask},
		{"what begins a pipe", `{"allow":["bash(curl:*)"]}`, bash("curl https://x 2>&1 | grep y | head -3"), guard.Allow},
		{"what the pipe leads to needs its own", `{"allow":["bash(curl:*)"]}`, bash("curl https://x | sh"), guard.Ask},
		{"what comes out of a pipe is no simple command", `{"allow":["bash(curl:*)"]}`, bash("cat a | curl -d @- https://x"), guard.Ask},
		{"a pipe to an interpreter", `{"allow":["bash(rm:*)"]}`, bash("rm x | sh"), guard.Ask},
		{"outputs that are joined or not seen", `{"allow":["bash(npm install:*)"]}`, bash("npm install x 2>&1 && npm install y >/dev/null 2>&1 </dev/null"), guard.Allow},
		{"the same alone", `{"allow":["bash(npm install)"]}`, bash("npm install 2>&1"), guard.Allow},
		{"the same at high severity", `{"allow":["bash(git push:*)"]}`, bash("git push --force 2>&1"), guard.Ask},
		{"a file that begins like an output", `{"allow":["bash(npm install:*)"]}`, bash("npm install x >&out"), guard.Ask},
		{"a redirection is none", `{"allow":["bash(npm install:*)"]}`, bash("npm install x > ~/log"), guard.Ask},
		{"an environment is none", `{"allow":["bash(npm install:*)"]}`, bash("HTTP_PROXY=http://evil npm install x"), guard.Ask},
		{"a substitution is none", `{"allow":["bash(npm install:*)"]}`, bash("npm install $(cat x)"), guard.Ask},
		{"a loop is none", `{"allow":["bash(npm install:*)"]}`, bash("for i in a b; do npm install $i; done"), guard.Ask},
		{"a refused part is not saved", `{"allow":["bash(npm install:*)"]}`, bash("npm install x && rm -rf ~"), guard.Deny},
		{"a high severity needs more than a prefix", `{"allow":["bash(git push:*)"]}`, bash("git push --force"), guard.Ask},
		{"with its risk it runs", `{"allow":[{"rule":"bash(git push:*)","risk":"high"}]}`, bash("git push --force"), guard.Allow},
		{"no rule allows what is always denied", `{"allow":[{"rule":"bash","risk":"high"}]}`, bash("rm -rf /"), guard.Deny},
		{"deny beats allow", `{"allow":["bash(npm install:*)"],"deny":["bash(npm:*)"]}`, bash("npm install x"), guard.Deny},
		{"ask beats allow", `{"allow":["bash(npm install:*)"],"ask":["bash(npm install evil)"]}`, bash("npm install evil"), guard.Ask},
		{"ask raises what would run", `{"ask":["bash(go test:*)"]}`, bash("go test ./..."), guard.Ask},
		{"deny sees through wrappers", `{"deny":["bash(make:*)"]}`, bash("timeout 5 nice make all"), guard.Deny},
		{"deny sees into substitutions", `{"deny":["bash(make:*)"]}`, bash("echo $(make all)"), guard.Deny},
		{"deny knows programs by their paths", `{"deny":["bash(make:*)"]}`, bash("/usr/bin/make all"), guard.Deny},
		{"deny of a path binds the shell", `{"deny":["read_file(./private/**)"]}`, bash("head private/a"), guard.Deny},
		{"deny of a path binds its spellings", `{"deny":["read_file(./private/**)"]}`, read("x/../private/a"), guard.Deny},
		{"deny of a name holds anywhere", `{"deny":["read_file(*.sql)"]}`, read("a/b/dump.sql"), guard.Deny},
		{"deny of writing binds the shell", `{"deny":["edit_file(./gen/**)"]}`, bash("echo x > gen/a.go"), guard.Deny},
		{"deny of writing covers removing", `{"deny":["edit_file(./gen/**)"]}`, bash("rm gen/a.go"), guard.Deny},
		{"a protected file may be allowed with its risk", `{"allow":[{"rule":"edit_file(.github/**)","risk":"high"}]}`, edit(".github/workflows/ci.yml"), guard.Allow},
		{"a host is allowed", `{"allow":["web_fetch(domain:example.com)"]}`, fetch("example.com:443"), guard.Allow},
		{"its look-alike is not", `{"allow":["web_fetch(domain:example.com)"]}`, fetch("notexample.com"), guard.Ask},
		{"nor one that it begins", `{"allow":["web_fetch(domain:example.com)"]}`, fetch("example.com.evil.test"), guard.Ask},
		{"subdomains by a star", `{"allow":["web_fetch(domain:*.example.com)"]}`, fetch("a.example.com"), guard.Allow},
		{"deny of a host binds the shell", `{"deny":["web_fetch(domain:evil.test)"]}`, bash("curl https://evil.test/x"), guard.Deny},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			if got := outcome(t, rules(t, User, row.permissions), row.c); got != row.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestMCPRulesNameServersAndTools(t *testing.T) {
	c := call("mcp__git__push", tool.Intent{Unknown: true})
	for text, want := range map[string]bool{"mcp__git__push": true, "mcp__git": true, "mcp__git__*": true, "mcp__gi": false, "mcp__git__pus": false} {
		r, err := ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.permits(newSubject(c, home)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestAProjectCanOnlyTighten(t *testing.T) {
	all, warnings, err := ParseRules(Project, "p.json", "/r", []byte("{\n\"permissions\": {\"allow\": [\"bash(npm:*)\"],\n \"deny\": [\"bash(go:*)\"]}}"))
	if err != nil || len(all) != 1 || all[0].Decision != guard.Deny || all[0].Source != "p.json:3" {
		t.Errorf("got %+v, %v", all, err)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0].String(), "p.json:2") {
		t.Errorf("warnings %v", warnings)
	}
}

func TestRulesThatStopTheStart(t *testing.T) {
	for name, text := range map[string]string{
		"broken JSON":                    `{"permissions":{"allow":["bash(ls)"`,
		"permissions are no object":      `{"permissions":["bash"]}`,
		"a rule without its parenthesis": `{"permissions":{"deny":["bash(rm"]}}`,
		"a rule without a tool":          `{"permissions":{"deny":["(rm)"]}}`,
		"an unknown field":               `{"permissions":{"deny":[{"rule":"bash","mach":[]}]}}`,
		"a test that fails":              `{"permissions":{"deny":[{"rule":"bash(rm:*)","match":["ls"]}]}}`,
		"a counter-test that fails":      `{"permissions":{"allow":[{"rule":"bash(npm install:*)","not_match":["npm install evil"]}]}}`,
		"an interpreter by prefix":       `{"permissions":{"allow":["bash(python:*)"]}}`,
		"a wrapper by prefix":            `{"permissions":{"allow":["bash(sudo:*)"]}}`,
		"git without a sub-command":      `{"permissions":{"allow":["bash(git:*)"]}}`,
		"docker run":                     `{"permissions":{"allow":["bash(docker run:*)"]}}`,
		"make":                           `{"permissions":{"allow":["bash(make:*)"]}}`,
		"a star that fits interpreters":  `{"permissions":{"allow":["bash(p* *)"]}}`,
		"a risk that is none":            `{"permissions":{"allow":[{"rule":"bash(ls)","risk":"yes"}]}}`,
	} {
		if _, _, err := ParseRules(User, "s.json", "/r", []byte(text)); err == nil || !strings.Contains(err.Error(), "s.json:1") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRulesOfOneProject(t *testing.T) {
	text := []byte(`{"permissions":{"projects":{"/a":{"allow":["bash(npm ci)"]},"/b":{"allow":["bash(x)"]}}}}`)
	all, _, err := ParseRules(User, "s.json", "/a", text)
	if err != nil || len(all) != 1 || all[0].Spec != "npm ci" {
		t.Errorf("got %+v, %v", all, err)
	}
}

func TestLint(t *testing.T) {
	list := rules(t, User, `{"allow":["bash(git push:*)","bash(git push origin:*)","bsh(x)","edit_file","bash(npm ci)"],"deny":["bash(npm:*)"]}`)
	var reported []string
	for _, w := range LintRules(list, []string{"bash", "edit_file"}) {
		reported = append(reported, w.String())
	}
	all := strings.Join(reported, "\n")
	for _, want := range []string{`there is no tool "bsh"`, "edit_file allows every call", "bash(git push origin:*) never decides", "bash(npm ci) never decides"} {
		if !strings.Contains(all, want) {
			t.Errorf("no warning contains %q:\n%s", want, all)
		}
	}
	if len(reported) != 4 {
		t.Errorf("%d warnings:\n%s", len(reported), all)
	}
}

// TestLintReportsRulesThatNeverDecide: a rule that cannot match, or never decides, is reported with the reason.
func TestLintReportsRulesThatNeverDecide(t *testing.T) {
	for _, row := range []struct{ name, rules, want string }{
		{"a line of two commands", `{"deny":["bash(cd x && rm:*)"]}`, "not a simple command"},
		{"a redirection", `{"allow":["bash(ls > x)"]}`, "not a simple command"},
		{"an assignment in front", `{"ask":["bash(CI=1 npm test:*)"]}`, "not a simple command"},
		{"a command that is always denied", `{"allow":["bash(rm -rf /)"]}`, "no rule allows this"},
		{"a high-risk command", `{"allow":["bash(git push --force:*)"]}`, `takes "risk": "high"`},
		{"a secret file", `{"allow":["read_file(~/.ssh/id_rsa)"]}`, "no rule allows this"},
		{"a protected file", `{"allow":["edit_file(.git/hooks/x)"]}`, `takes "risk": "high"`},
		{"no host", `{"deny":["web_fetch(https://example.com/x)"]}`, "names no host"},
		{"a tool without anything in parentheses", `{"deny":["todo(x)"]}`, "all its arguments as JSON"},
		{"a path below a denied one", `{"deny":["read_file(./private/**)"],"allow":["read_file(private/x)"]}`, "deny read_file(./private/**)"},
		{"another tool's path below a denied one", `{"deny":["edit_file(a/**)"],"allow":["write_file(a/b/*.md)"]}`, "deny edit_file(a/**)"},
		{"a host below a denied one", `{"deny":["web_fetch(domain:*.a.com)"],"allow":["web_fetch(domain:x.a.com)"]}`, "deny web_fetch"},
		{"a tool of a denied server", `{"deny":["mcp__gh"],"allow":["mcp__gh__list"]}`, "deny mcp__gh"},

		{"a high-risk command with risk: high", `{"allow":[{"rule":"bash(git push --force:*)","risk":"high"}]}`, ""},
		{"a star in a word", `{"allow":["bash(rm *.log)"]}`, ""},
		{"a wrapper in a deny rule", `{"deny":["bash(sudo:*)","bash(timeout 5 make)"]}`, ""},
		{"words in quotes", `{"allow":["bash(git commit -m 'a b':*)"]}`, ""},
		{"a path beside a denied one", `{"deny":["read_file(./private/**)"],"allow":["read_file(privately/x)"]}`, ""},
		{"a host with a port", `{"deny":["web_fetch(domain:a.com:8080)"],"allow":["web_fetch(domain:a.com)"]}`, ""},
	} {
		var list []Rule
		list = append(list, rules(t, User, row.rules)...)
		reported := LintRules(list, []string{"bash", "read_file", "edit_file", "write_file", "web_fetch", "todo"})
		switch {
		case row.want == "" && len(reported) > 0:
			t.Errorf("%s: %v", row.name, reported)
		case row.want != "" && (len(reported) != 1 || !strings.Contains(reported[0].Text, "never decides") || !strings.Contains(reported[0].Text, row.want)):
			t.Errorf("%s: want %q, got %v", row.name, row.want, reported)
		}
	}
}

// TestPortsInRules: a rule with a port is about that port, one without about all, and a lasting approval covers its own call.
func TestPortsInRules(t *testing.T) {
	for _, row := range []struct {
		rule, host string
		want       bool
	}{
		{"a.com:8080", "a.com:8080", true},
		{"a.com:8080", "a.com:9090", false},
		{"a.com:8080", "a.com", false},
		{"a.com", "a.com:8080", true},
		{"*.a.com:8080", "b.a.com:8080", true},
		{"[2606:4700::1]", "[2606:4700::1]:8080", true},
		{"[2606:4700::1]:8080", "[2606:4700::1]:8080", true},
		{"[2606:4700::1]:8080", "[2606:4700::1]:80", false},
		{"a.com:443", "a.com", false}, // it may be http
		{"*", "a.com:1", true},
	} {
		call := guard.Case{Call: tool.Call{Name: "web_fetch"}, Root: "/r", Mode: guard.Supervised, Isolation: guard.FullIsolation, Intent: tool.Intent{Hosts: []string{row.host}}}
		list := rules(t, User, `{"allow":["web_fetch(domain:`+row.rule+`)"]}`)
		if got := (&Rules{List: list}).Covers(call, guard.Low) != nil; got != row.want {
			t.Errorf("allow %s, %s: %v", row.rule, row.host, got)
		}
		list = rules(t, User, `{"deny":["web_fetch(domain:`+row.rule+`)"]}`)
		denied := (&Rules{List: list}).Judge(context.Background(), call).Decision == guard.Deny
		if want := row.want || row.rule == "a.com:443"; denied != want {
			t.Errorf("deny %s, %s: %v", row.rule, row.host, denied)
		}
	}
}

// TestOrderDoesNotMatter and adding a deny rule never lets more through.
func TestDenyOnlyTightens(t *testing.T) {
	base := rules(t, User, `{"allow":["bash(npm ci:*)","bash(git push:*)"]}`)
	deny := rules(t, Project, `{"deny":["bash(git push:*)"]}`)
	for _, cmd := range []string{"npm ci", "git push", "ls", "rm x", "git push && npm ci"} {
		before := outcome(t, base, bash(cmd))
		after := outcome(t, append(append([]Rule{}, base...), deny...), bash(cmd))
		turned := outcome(t, append(append([]Rule{}, deny...), base...), bash(cmd))
		if after < before || after != turned {
			t.Errorf("%q: %v, with a deny rule %v, with it first %v", cmd, before, after, turned)
		}
	}
}

func TestNoRuleApprovesWhatOnlyAPersonMay(t *testing.T) {
	r := &Rules{List: rules(t, User, `{"allow":["bash(npm ci)"]}`), Programs: home}
	a, err := r.Approve(t.Context(), bash("npm ci"), guard.Verdict{Decision: guard.Ask, Severity: guard.Low, PersonOnly: true})
	if err != nil || a.Choice != guard.Abstain {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestLimits keeps a caller to rules: what they do not name stays as it is, and no further command of a line passes.
func TestLimits(t *testing.T) {
	command := func(text string) guard.Case {
		return guard.Case{Call: tool.Call{Name: "bash", Args: []byte(`{}`)}, Intent: tool.Intent{Command: text}, Root: "/home/dev/project", Mode: guard.Supervised, Isolation: guard.FullIsolation}
	}
	write := func(name, path string) guard.Case {
		return guard.Case{Call: tool.Call{Name: name}, Intent: tool.Intent{Writes: []string{path}}, Root: "/home/dev/project"}
	}
	git := RuleLimits{Whose: "it", Only: []string{"Bash(git:*)", "Bash(wc -l)"}}
	files := RuleLimits{Whose: "it", Only: []string{"Edit(src/**)", "write_file"}, Deny: []string{"Bash(rm:*)"}, Ask: []string{"WebFetch"}}
	for _, row := range []struct {
		name   string
		limits RuleLimits
		c      guard.Case
		want   guard.Decision
	}{
		{"its program", git, command("git log -3"), guard.Allow},
		{"a line of its programs", git, command("git log -3 && git status"), guard.Allow},
		{"a pipe", git, command("git log | wc -l"), guard.Deny},
		{"another program", git, command("ls"), guard.Deny},
		{"another program beside it", git, command("git log && ls"), guard.Deny},
		{"another program in a substitution", git, command("git log $(ls)"), guard.Deny},
		{"another program through a wrapper", git, command("timeout 5 ls"), guard.Deny},
		{"another program in a function of its name", git, command("git() { ls; }; git log"), guard.Deny},
		{"a redirection", git, command("git log > x; git log"), guard.Deny},
		{"a shell in it", git, command("bash -c 'git log'"), guard.Deny},
		{"a program of that name elsewhere", git, command("./git log"), guard.Deny},
		{"what cannot be read", git, command("git log 'x"), guard.Deny},
		{"no command", git, write("bash", ""), guard.Deny},
		{"another tool", git, write("edit_file", "/home/dev/project/a"), guard.Allow},
		{"a path", files, write("edit_file", "/home/dev/project/src/a"), guard.Allow},
		{"another path", files, write("edit_file", "/home/dev/project/a"), guard.Deny},
		{"another path, with another tool that writes", files, write("apply_patch", "/home/dev/project/a"), guard.Deny},
		{"a tool without arguments in the list", files, write("write_file", "/home/dev/project/a"), guard.Allow},
		{"a rule that denies", files, command("ls; rm x"), guard.Deny},
		{"beside it", files, command("ls"), guard.Allow},
		{"a rule that asks", files, guard.Case{Call: tool.Call{Name: "web_fetch"}, Intent: tool.Intent{Hosts: []string{"example.com"}}}, guard.Ask},
		{"a text that is no rule", RuleLimits{Deny: []string{"(x"}}, command("ls"), guard.Deny},
		{"nothing", RuleLimits{}, command("rm -rf /"), guard.Allow},
	} {
		if v := row.limits.Judge(t.Context(), home.Prepare(row.c)); v.Decision != row.want || v.Decision != guard.Allow && v.Reason == "" {
			t.Errorf("%s: %+v", row.name, v)
		}
	}
}
