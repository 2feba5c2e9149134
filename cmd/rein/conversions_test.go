package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/app/settings"
	"rein/kit/guards"
)

// TestConversions has a row for each case of rules of other programs: what is written, what is reported, and calls that the rule that
// denies or asks is about, or not. Where a rule means something else here, it allows less.
func TestConversions(t *testing.T) {
	claude := func(decision, rule string) string {
		return `{"permissions":{"` + decision + `":["` + rule + `"]}}`
	}
	policy := func(rules ...string) string { return "[[rule]]\n" + strings.Join(rules, "\n[[rule]]\n") + "\n" }
	for _, c := range []struct {
		name, file, text string
		want             string // the permissions
		note             string // what the report says
		fits, not        string // a call that the first rule that denies or asks is about, and one that it is not
	}{
		{"1: an exact command", "settings.json", claude("allow", "Bash(npm run build)"), `{"allow":["bash(npm run build)"]}`, "each part of a line needs its own", "", ""},
		{"2: a program with any words", "settings.json", claude("allow", "Bash(npm test *)"), `{"allow":["bash(npm test *)"]}`, "", "", ""},
		{"2: a program that runs others", "settings.json", claude("allow", "Bash(git:*)"), `{}`, "left out: bash(git:*) would allow any program", "", ""},
		{"3: a star in the program's name", "settings.json", claude("allow", "Bash(ls*)"), `{"allow":["bash(ls*)"]}`, "write bash(ls:*) for the one program", "", ""},
		{"4: a star in the middle", "settings.json", claude("allow", "Bash(git * main)"), `{"allow":["bash(git * main)"]}`, "", "", ""},
		{"5: a program that is denied, in any part", "settings.json", claude("deny", "Bash(rm *)"), `{"deny":["bash(rm *)"]}`, "", `bash {"command":"make && timeout 5 rm -rf x"}`, `bash {"command":"rmdir x"}`},
		{"6: a tool that is denied", "settings.json", claude("deny", "Bash"), `{"deny":["bash"]}`, "", `bash {"command":"ls"}`, `read_file {"path":"a"}`},
		{"7: a file that is not read is not written", "settings.json", claude("deny", "Read(./.env)"), `{"deny":["read_file(./.env)","edit_file(./.env)"]}`, "", `read_file {"path":".env"}`, `read_file {"path":"a/.env"}`},
		{"8: one slash in the user's file", "home/.claude/settings.json", claude("deny", "Read(/secrets/**)"), `{"deny":["read_file(~/.claude/secrets/**)","edit_file(~/.claude/secrets/**)"]}`, "was //secrets/** meant?", "", ""},
		{"8: one slash in a project's file", "settings.json", claude("deny", "Read(/secrets/**)"), `{"deny":["read_file(./secrets/**)","edit_file(./secrets/**)"]}`, "here it is one from the workspace", `read_file {"path":"secrets/a"}`, `read_file {"path":"x/secrets/a"}`},
		{"9: a directory at any depth", "settings.json", claude("deny", "Read(secrets/**)"), `{"deny":["read_file(**/secrets/**)","edit_file(**/secrets/**)"]}`, "", `read_file {"path":"x/secrets/a"}`, `read_file {"path":"secret"}`},
		{"10: a directory that may be edited", "settings.json", claude("allow", "Edit(src/**)"), `{"allow":["edit_file(src/**)"]}`, "", "", ""},
		{"11: an absolute path", "settings.json", claude("allow", "Edit(//srv/x/**)"), `{"allow":["edit_file(//srv/x/**)"]}`, "", "", ""},
		{"12: paths that are never looked at", "settings.json", claude("allow", "Write(docs/**)"), `{}`, "never looked at there; left out", "", ""},
		{"13: sub-domains", "settings.json", claude("deny", "WebFetch(domain:*.x.org)"), `{"deny":["web_fetch(domain:*.x.org)"]}`, "", `web_fetch {"url":"a.x.org"}`, `web_fetch {"url":"x.org"}`},
		{"14: a tool server", "settings.json", claude("deny", "mcp__gh"), `{"deny":["mcp__gh"]}`, "", `mcp__gh__get_a {}`, `mcp__ghost__get {}`},
		{"14: some tools of a server", "settings.json", claude("deny", "mcp__gh__get_*"), `{"deny":["mcp__gh__get_*"]}`, "", `mcp__gh__get_a {}`, `mcp__gh__put {}`},
		{"15: an argument of a sub-agent", "settings.json", claude("deny", "Agent(model:opus)"), `{"deny":["agent(model:opus)"]}`, "", `agent {"task":"x","model":"opus"}`, `agent {"task":"x"}`},
		{"15: a kind of sub-agent", "settings.json", claude("deny", "Agent(Explore)"), `{"deny":["agent(agent:explore)"]}`, "", `agent {"task":"x","agent":"explore"}`, `agent {"task":"x","agent":"plan"}`},
		{"16: a mode", "settings.json", `{"permissions":{"defaultMode":"acceptEdits"}}`, `{}`, `see the setting "mode"`, "", ""},
		{"17: a skill with any words", "settings.json", claude("deny", "Skill(review *)"), `{"deny":["skill(name:review)"]}`, "", `skill {"name":"review","arguments":"x"}`, `skill {"name":"other"}`},
		{"18: words with alternatives, and their tests", "a.rules", "prefix_rule(pattern=[\"git\", [\"push\", \"commit\"]], decision=\"prompt\", match=[\"git push x\", [\"git\", \"commit\"]], not_match=[\"git log\"])\n",
			`{"ask":[{"rule":"bash(git push:*)","match":["git push x"],"not_match":["git log"]},{"rule":"bash(git commit:*)","match":["git commit"],"not_match":["git log"]}]}`, "", `bash {"command":"git push"}`, `bash {"command":"git pull"}`},
		{"19: a reason", "a.rules", "prefix_rule(pattern = [\"rm\"], decision = \"forbidden\", justification = \"use trash\")\n", `{"deny":[{"rule":"bash(rm:*)","why":"use trash"}]}`, "", `bash {"command":"rm x"}`, `bash {"command":"ls"}`},
		{"20: no questions and no sandbox", "config.toml", "approval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"\n", `{}`, `sandbox_mode is not a rule`, "", ""},
		{"21: a priority above a rule that denies", "p.toml", policy("toolName=\"run_shell_command\"\ncommandPrefix=\"npm\"\ndecision=\"allow\"\npriority=100", "toolName=\"run_shell_command\"\ncommandPrefix=\"npm publish\"\ndecision=\"deny\"\npriority=50"),
			`{"deny":["bash(npm publish:*)"]}`, "priorities are left out", `bash {"command":"npm publish"}`, `bash {"command":"npm ls"}`},
		{"22: a rule of some modes", "p.toml", policy("toolName=\"*\"\ndecision=\"ask_user\"\nmodes=[\"plan\"]\npriority=1"), `{}`, "only in some modes", "", ""},
		{"23: the last rule wins", "opencode.json", `{"permission":{"bash":{"*":"ask","npm ls *":"allow","git push *":"deny"}}}`, `{"allow":["bash(npm ls *)"],"deny":["bash(git push *)"]}`, "ask bash is left out", `bash {"command":"git push"}`, `bash {"command":"git log"}`},
		{"24: a rule that never counted", "opencode.json", `{"permission":{"bash":{"rm *":"deny","*":"allow"}}}`, `{"deny":["bash(rm *)"]}`, "never counted there", `bash {"command":"rm x"}`, `bash {"command":"ls"}`},
		{"25: the whole shell", "crush.json", `{"permissions":{"allowed_tools":["bash"]}}`, `{}`, "write out which", "", ""},
		{"25: the first word", "cli.json", `{"permissions":{"allow":["Shell(ls)"],"deny":["Shell(rm)"]}}`, `{"allow":["bash(ls:*)"],"deny":["bash(rm:*)"]}`, "", `bash {"command":"rm x"}`, `bash {"command":"ls"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, c.file)
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			var report strings.Builder
			im := &rulesImporter{Read: os.ReadFile, Tools: settings.ToolNames(), Report: &report, Home: filepath.Join(dir, "home")}
			if err := im.File(file); err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(im.Permissions())
			if err != nil || string(got) != c.want || !strings.Contains(report.String(), c.note) {
				t.Errorf("got  %s, %v\nwant %s\nnotes: %s", got, err, c.want, report.String())
			}
			for call, want := range map[string]bool{c.fits: true, c.not: false} {
				name, args, _ := strings.Cut(call, " ")
				rules := append(im.Permissions()["deny"], im.Permissions()["ask"]...)
				if call == "" || len(rules) == 0 {
					continue
				}
				if is, err := guards.RuleFits(rules[0].Rule, guards.RuleCall{Tool: name, Args: json.RawMessage(args), Root: "/w"}); err != nil || is != want {
					t.Errorf("%s: %v, %v", call, is, err)
				}
			}
			if rules, _, err := guards.ParseRules(guards.User, "", "", []byte(`{"permissions":`+string(got)+`}`)); err != nil {
				t.Errorf("%v cannot be used: %v", rules, err)
			}
		})
	}
}
