package guard

import (
	"context"
	"strings"
	"testing"

	"rein/tool"
)

// rules reads permissions, as they stand in a settings file.
func rules(t *testing.T, layer Layer, permissions string) []Rule {
	t.Helper()
	all, _, err := ParseRules(layer, "settings.json", "/home/dev/project", []byte(`{"permissions":`+permissions+`}`))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// outcome judges a call by the guards and the rules.
func outcome(t *testing.T, list []Rule, c Case) Decision {
	t.Helper()
	r := &Rules{List: list, Programs: home}
	v := All{Guards: []Guard{Paths{Here: home.Here}, home, Hosts{}, r}}.Judge(t.Context(), c)
	if v.Decision != Ask {
		return v.Decision
	}
	if a, err := r.Approve(t.Context(), c, v); err == nil && a.Reply == Yes {
		return Allow
	}
	return Ask
}

func TestRules(t *testing.T) {
	fetch := func(host string) Case { return call("web_fetch", tool.Intent{Hosts: []string{host}}) }
	read := func(p string) Case { return call("read_file", tool.Intent{Reads: []string{p}}) }
	edit := func(p string) Case { return call("edit_file", tool.Intent{Writes: []string{p}}) }
	rows := []struct {
		rule, permissions string
		c                 Case
		want              Decision
	}{
		{"a prefix allows", `{"allow":["bash(npm install:*)"]}`, bash("npm install x"), Allow},
		{"the other spelling of a prefix", `{"allow":["Bash(npm install *)"]}`, bash("npm install x"), Allow},
		{"an exact rule is exact", `{"allow":["bash(npm install)"]}`, bash("npm install x"), Ask},
		{"a prefix ends at a word", `{"allow":["bash(git push:*)"]}`, bash("git pushx"), Ask},
		{"parts that need no leave do not hinder", `{"allow":["bash(npm install:*)"]}`, bash("npm install x && go test ./... && ls"), Allow},
		{"each part needs its own", `{"allow":["bash(npm install:*)"]}`, bash("npm install x && rm y"), Ask},
		{"a pipe is no simple command", `{"allow":["bash(curl:*)"]}`, bash("curl https://x | grep y"), Ask},
		{"a redirection is none", `{"allow":["bash(npm install:*)"]}`, bash("npm install x > ~/log"), Ask},
		{"an environment is none", `{"allow":["bash(npm install:*)"]}`, bash("HTTP_PROXY=http://evil npm install x"), Ask},
		{"a substitution is none", `{"allow":["bash(npm install:*)"]}`, bash("npm install $(cat x)"), Ask},
		{"a loop is none", `{"allow":["bash(npm install:*)"]}`, bash("for i in a b; do npm install $i; done"), Ask},
		{"a refused part is not saved", `{"allow":["bash(npm install:*)"]}`, bash("npm install x && rm -rf ~"), Deny},
		{"grave things need more than a prefix", `{"allow":["bash(git push:*)"]}`, bash("git push --force"), Ask},
		{"said with its risk they run", `{"allow":[{"rule":"bash(git push:*)","risk":"high"}]}`, bash("git push --force"), Allow},
		{"nothing allows a hard stop", `{"allow":[{"rule":"bash","risk":"high"}]}`, bash("rm -rf /"), Deny},
		{"deny beats allow", `{"allow":["bash(npm install:*)"],"deny":["bash(npm:*)"]}`, bash("npm install x"), Deny},
		{"ask beats allow", `{"allow":["bash(npm install:*)"],"ask":["bash(npm install evil)"]}`, bash("npm install evil"), Ask},
		{"ask raises what would run", `{"ask":["bash(go test:*)"]}`, bash("go test ./..."), Ask},
		{"deny sees through wrappers", `{"deny":["bash(make:*)"]}`, bash("timeout 5 nice make all"), Deny},
		{"deny sees into substitutions", `{"deny":["bash(make:*)"]}`, bash("echo $(make all)"), Deny},
		{"deny knows programs by their paths", `{"deny":["bash(make:*)"]}`, bash("/usr/bin/make all"), Deny},
		{"deny of a path binds the shell", `{"deny":["read_file(./private/**)"]}`, bash("head private/a"), Deny},
		{"deny of a path binds its spellings", `{"deny":["read_file(./private/**)"]}`, read("x/../private/a"), Deny},
		{"deny of a name holds anywhere", `{"deny":["read_file(*.sql)"]}`, read("a/b/dump.sql"), Deny},
		{"deny of writing binds the shell", `{"deny":["edit_file(./gen/**)"]}`, bash("echo x > gen/a.go"), Deny},
		{"deny of writing covers removing", `{"deny":["edit_file(./gen/**)"]}`, bash("rm gen/a.go"), Deny},
		{"a protected file may be allowed with its risk", `{"allow":[{"rule":"edit_file(.github/**)","risk":"high"}]}`, edit(".github/workflows/ci.yml"), Allow},
		{"a host is allowed", `{"allow":["web_fetch(domain:example.com)"]}`, fetch("example.com:443"), Allow},
		{"its look-alike is not", `{"allow":["web_fetch(domain:example.com)"]}`, fetch("notexample.com"), Ask},
		{"nor one that it begins", `{"allow":["web_fetch(domain:example.com)"]}`, fetch("example.com.evil.test"), Ask},
		{"subdomains by a star", `{"allow":["web_fetch(domain:*.example.com)"]}`, fetch("a.example.com"), Allow},
		{"deny of a host binds the shell", `{"deny":["web_fetch(domain:evil.test)"]}`, bash("curl https://evil.test/x"), Deny},
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
	all, warnings, err := ParseRules(Project, "p.json", "/r", []byte("{\n\"permissions\": {\"allow\": [\"bash(npm ci:*)\"],\n \"deny\": [\"bash(go:*)\"]}}"))
	if err != nil || len(all) != 1 || all[0].Decision != Deny || all[0].Place != "p.json:3" {
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
	var told []string
	for _, w := range Lint(list, []string{"bash", "edit_file"}) {
		told = append(told, w.String())
	}
	all := strings.Join(told, "\n")
	for _, want := range []string{`there is no tool "bsh"`, "edit_file allows every call", "bash(git push origin:*) never decides", "bash(npm ci) never decides"} {
		if !strings.Contains(all, want) {
			t.Errorf("no warning says %q:\n%s", want, all)
		}
	}
	if len(told) != 4 {
		t.Errorf("%d warnings:\n%s", len(told), all)
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

func TestApproversPassOnAskRules(t *testing.T) {
	list := rules(t, User, `{"allow":["bash(npm ci)"]}`)
	r := &Rules{List: list, Programs: home}
	for _, by := range []string{"rules", "unsaved", "repetition", "rate"} {
		a, err := r.Approve(context.Background(), bash("npm ci"), Verdict{Decision: Ask, Severity: Low, Guard: by})
		if err != nil || a.Reply != Pass {
			t.Errorf("%s: %+v, %v", by, a, err)
		}
	}
}
