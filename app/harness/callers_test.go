package harness

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/hook"
	"rein/kit/tools/code"
	"rein/kit/undo"
	"rein/model"
	"rein/tool"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == code.InterpreterArgument { // the tool program starts this test as its interpreter
		code.InterpreterMain()
	}
	if filepath.Base(os.Args[0]) == "gopls" { // and lsp_edit starts it as its language server
		languageServer(os.Stdin, os.Stdout)
		return
	}
	if len(os.Args) == 2 && os.Args[1] == toolServerArgument { // and a session starts it as a tool server
		toolServer()
		return
	}
	os.Exit(m.Run())
}

// A caller makes a call of bash or write_file that creates the file x.txt, in its own way, or one of edit_file that changes x.go.
type caller struct {
	by     string                     // the tool with Nests, or the method of Session, that makes the call
	script map[string]string          // what the models do, by the kind of the agent
	do     func(*testing.T, *Session) // instead of a message; nil: a message of the user
	files  map[string]string          // of the folder
	hooks  []hook.Hook

	// Who makes the call, as the journal has it.
	sub    bool // a sub-agent
	within bool // a tool
	user   bool // no model: no budget counts
	copied bool // the file is not in the workspace
	none   bool // it makes no call: what it could take for one is no call

	server  bool // it needs a tool server that asks the model
	sandbox bool // it needs a sandbox
}

// file is the one that a caller changes, and what it holds before; "": it is not there.
func (c caller) file() (name, before string) {
	if before, is := c.files["x.go"]; is {
		return "x.go", before
	}
	return "x.txt", ""
}

const (
	writes = `{name: write_file, args: {path: x.txt, content: "x"}}`
	starts = `{name: agent, args: {task: do it, agent: implement`
	works  = "turns: [{calls: [" + writes + "]}, {text: I tried.}]"
)

// changing are the tools that callers call.
var changing = []string{"bash", "write_file", "edit_file", "agent_apply", "run_code"}

func asks(calls ...string) string {
	text := "turns:\n"
	for _, c := range calls {
		text += "  - calls: [" + c + "]\n"
	}
	return text + "  - text: Done.\n"
}

// callers are all ways in which something calls a tool in a session.
func callers() map[string]caller {
	return map[string]caller{
		"model":      {by: "Send", script: map[string]string{"": works}},
		"sub-agent":  {by: "agent", sub: true, script: map[string]string{"": asks(starts + "}}"), "implement": works}},
		"background": {by: "agent", sub: true, script: map[string]string{"": asks(starts+", background: true}}") + "  - text: I heard.\n", "implement": works}},
		"item":       {by: "agent", sub: true, script: map[string]string{"": asks(starts + ", items: [one]}}"), "implement": works}},
		"grandchild": {by: "agent", sub: true, script: map[string]string{"": asks("{name: agent, args: {task: hand on}}"), "general": asks(starts + "}}"), "implement": works}},
		"message": {by: "agent_message", sub: true, script: map[string]string{"": asks(starts+", name: helper}}", "{name: agent_message, args: {id: helper, message: now}}") + "  - text: I heard.\n",
			"implement": "turns: [{text: Ready.}, {calls: [" + writes + "]}, {text: I tried.}]"}},
		"copy":              {by: "agent", sub: true, copied: true, script: map[string]string{"": asks(starts + ", isolation: worktree}}"), "implement": works}},
		"takes over a copy": {by: "Send", script: map[string]string{"": asks(starts+", isolation: worktree, name: maker}}", "{name: agent_apply, args: {id: maker}}"), "implement": works}},
		"program":           {by: "program", within: true, script: map[string]string{"": asks(`{name: program, args: {code: "write_file(path='x.txt', content='x')"}}`)}},
		"skill": {by: "skill", within: true, script: map[string]string{"": asks("{name: skill, args: {name: touch}}")},
			files: map[string]string{".agents/skills/touch/SKILL.md": "---\ndescription: Makes it.\n---\n!`touch x.txt`\n"}},
		"skill's fork": {by: "skill", sub: true, script: map[string]string{"": asks("{name: skill, args: {name: fork}}"), "implement": works},
			files: map[string]string{".agents/skills/fork/SKILL.md": "---\ndescription: Makes it.\ncontext: fork\nagent: implement\n---\nMake it.\n"}},
		"lsp_edit": {by: "lsp_edit", within: true, sandbox: true, files: map[string]string{"x.go": "package x\n\nvar old int\n"},
			script: map[string]string{"": asks("{name: lsp_edit, args: {action: rename, path: x.go, line: 3, symbol: old, new_name: fresh}}")}},
		"run_code": {by: "run_code", copied: true, sandbox: true, // its code writes in a directory of its own and reaches no other
			script: map[string]string{"": asks("{name: run_code, args: {language: bash, code: 'touch x.txt; touch ROOT/x.txt || true'}}")}},
		"sampling": {by: "mcp__notes__think", none: true, copied: true, server: true, // the answer that the server gets is text
			script: map[string]string{"": asks("{name: mcp__notes__think, args: {}}"), sampled: works}},
		"hook": {by: "Send", script: map[string]string{"": asks(`{name: write_file, args: {path: harmless.txt, content: "x"}}`)},
			hooks: []hook.Hook{{Name: "rewrites", Event: hook.PreToolUse, Run: func(_ context.Context, in hook.Input) (hook.Output, error) {
				return hook.Output{Decision: hook.Allow, Args: []byte(`{"path":"x.txt","content":"x"}`)}, nil
			}, Approves: true}}},
		"slash command": {by: "Expand", user: true, files: map[string]string{".rein/commands/touch.md": "Made: !`touch x.txt`"},
			do: func(t *testing.T, s *Session) {
				_, _, _, _ = s.Expand(t.Context(), "touch", "", nil) // it fails where the call is denied
			}},
		"user's skill": {by: "Expand", user: true, within: true, files: map[string]string{".agents/skills/touch/SKILL.md": "---\ndescription: Makes it.\n---\n!`touch x.txt`\n"},
			do: func(t *testing.T, s *Session) { _, _, _, _ = s.Expand(t.Context(), "touch", "", nil) }},
		"call": {by: "Call", user: true, do: func(t *testing.T, s *Session) { // rein call, the MCP server, ! in the chat
			if _, err := s.Call(t.Context(), []tool.Call{{ID: "c1", Name: "write_file", Args: []byte(`{"path":"x.txt","content":"x"}`)}}, nil); err != nil {
				t.Error(err)
			}
		}},
	}
}

// others are the exported methods of Session that make no calls themselves, and those that are like a caller above: Resume,
// Queue, Begin, Deliver and Enqueue are like Send, SendLine is like Send and Expand. TryHooks and StatusLine run only programs of the user: see
// TestTheProgramsOfHooksHaveTheRightsOfTheSession.
const others = `Answer Begin Close Commands Compact Context CutOff Deliver Dir Enqueue Events Fault FileHistory Files ID Instructions Interrupt Jobs Join KeepWaiting Mask Messages Output Past Pending Queue Queued
	Resume SendLine SetMode SetModel StatusLine Steer Terms ToolServers Tools TryHooks Unqueue Usage Waiting WasLeft Working`

// TestEveryCallerIsAmongTheCallers fails when there is a new way to make calls that has no row.
func TestEveryCallerIsAmongTheCallers(t *testing.T) {
	h := inFolder(t, callers()["skill"].files, Options{Trust: true})
	s, err := h.Start(t.Context(), NewSession{Model: scripted(t, hello)})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, c := range callers() {
		known[c.by] = true
	}
	set := s.Tools()
	for _, each := range set.All() {
		if each.Nests && !known[each.Name] {
			t.Errorf("the tool %s makes calls and is no caller of this test", each.Name)
		}
	}
	methods := reflect.TypeOf(s)
	for i := range methods.NumMethod() {
		if name := methods.Method(i).Name; !known[name] && !slices.Contains(strings.Fields(others), name) {
			t.Errorf("Session.%s: if it makes calls it needs a row in callers, else add it to others", name)
		}
	}
}

// writing are the rules for the calls of all callers.
var writing = []string{"edit_file(x.txt)", "edit_file(x.go)", "bash(touch:*)", "run_code"}

// rights are what a session may do.
var rights = []struct {
	name    string
	o       Options
	text    string // settings of the user
	person  bool   // approves
	allowed bool
}{
	{name: "allowed", o: Options{Terms: event.Terms{Mode: "full"}}, allowed: true},
	{name: "denied by a rule", o: Options{Terms: event.Terms{Mode: "full", Deny: writing}}},
	{name: "read-only", o: Options{Terms: event.Terms{Mode: "read-only"}}},
	{name: "plan", o: Options{Terms: event.Terms{Mode: "plan"}}},
	{name: "nobody approves", o: Options{Terms: event.Terms{Ask: writing}}},
	{name: "no calls left", o: Options{Terms: event.Terms{Mode: "full"}}, text: `{"limits":{"message":{"calls":1}}}`},
	{name: "a person approves", o: Options{Terms: event.Terms{Ask: writing}}, person: true, allowed: true},
}

// TestEveryCallerHasTheRightsOfTheSession: whoever makes a call, the same rules, mode, approvals and undo hold, and the journal
// says who it was.
func TestEveryCallerHasTheRightsOfTheSession(t *testing.T) {
	for name, c := range callers() {
		for i, r := range rights {
			if testing.Short() && i%3 != 0 { // the race detector sees each way of a call after "allowed", "plan" and "a person approves"
				continue
			}
			if r.text != "" && (c.none || c.user || c.sub == c.within) { // its first call is the one
				continue
			}
			t.Run(name+"/"+r.name, func(t *testing.T) { c.try(t, r.o, r.text, r.allowed, r.person) })
		}
	}
}

// TestTheProgramsOfHooksHaveTheRightsOfTheSession: they, and that of the status line, change nothing where the mode only reads.
func TestTheProgramsOfHooksHaveTheRightsOfTheSession(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	put(t, filepath.Join(settings.DefaultDirs().Config, "settings.json"), `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"touch x.txt || true"}]}]},"statusLine":{"command":"touch y.txt || true"}}`)
	for mode, want := range map[string]bool{"full": true, "read-only": false, "plan": false} {
		h, err := Open(t.Context(), Options{Dir: t.TempDir(), Terms: event.Terms{Mode: mode}})
		if err != nil {
			t.Fatal(err)
		}
		s, err := h.Start(t.Context(), NewSession{NoModel: true})
		if err != nil {
			t.Fatal(err)
		}
		if s.isolation() == guard.NoIsolation {
			t.Skip("no sandbox works here")
		}
		result := callText(t, s, "c1", "list_dir", `{"path":"."}`)
		if _, err := s.StatusLine(t.Context(), nil); err != nil {
			t.Errorf("%s: the status line: %v", mode, err)
		}
		if _, err := os.Stat(filepath.Join(h.Root(), "y.txt")); (err == nil) != want {
			t.Errorf("%s: the status line made a file: %v", mode, err == nil)
		}
		if _, err := os.Stat(filepath.Join(h.Root(), "x.txt")); (err == nil) != want {
			t.Errorf("%s: the program of the hook wrote: %v; %s", mode, err == nil, result)
		}
		if err := h.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func (c caller) try(t *testing.T, o Options, text string, allowed, person bool) {
	h := inFolder(t, c.files, Options{})
	o.Dir, o.Trust, o.Hooks = h.Root(), true, c.hooks
	if text != "" {
		put(t, filepath.Join(h.Dirs().Config, "settings.json"), text)
	}
	by := &asked{}
	if person {
		o.Person = by
	}
	if c.server {
		o.MCPConfig = []string{userServer(t)}
	}
	if c.by == "lsp_edit" {
		installLanguageServer(t)
	}
	h, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.Background())
	if c.script == nil {
		c.script = map[string]string{"": hello}
	}
	c.script[""] = strings.ReplaceAll(c.script[""], "ROOT", h.Root())
	s, err := h.Start(t.Context(), NewSession{Model: cast(t, c.script)})
	if err != nil {
		t.Fatal(err)
	}
	if c.sandbox && s.isolation() == guard.NoIsolation {
		t.Skip("no sandbox works here")
	}
	if c.do != nil {
		c.do(t, s)
	} else {
		sendAll(t, s, "go")
	}
	name, before := c.file()
	changed := func() bool {
		text, err := os.ReadFile(filepath.Join(h.Root(), name))
		return string(text) != before || before == "" && err == nil
	}
	if changed() != (allowed && !c.copied) {
		t.Errorf("the file was changed: %v", changed())
	}
	c.journal(t, s, allowed)
	if person && !c.none && !slices.ContainsFunc(by.all, func(r *Request) bool {
		return slices.Contains(changing, r.Tool) && (r.Agent != "") == c.sub
	}) {
		t.Errorf("the person was asked %+v", by.all)
	}
	if !allowed || c.copied {
		return
	}
	files, err := s.FileHistory()
	if err != nil {
		t.Fatal(err)
	}
	plan, err := files.Plan(t.Context(), undo.Selection{Last: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := files.Undo(t.Context(), plan, nil); err != nil {
		t.Fatal(err)
	}
	if changed() {
		t.Error("it was not undone")
	}
}

// journal checks that the journals say who made the call and what became of it.
func (c caller) journal(t *testing.T, s *Session, allowed bool) {
	t.Helper()
	var seen []string
	found := false
	see := func(e event.Event) {
		if e.Call == nil || !slices.Contains(changing, e.Call.Name) {
			return
		}
		seen = append(seen, fmt.Sprintf("%s %s within %q of %q", e.Kind, e.Call.Name, e.Within, e.Parent))
		if (e.Parent != "") != c.sub || (e.Within != "") != c.within {
			return
		}
		switch {
		case e.Kind == event.Granted && !allowed:
			t.Errorf("granted: %+v", e)
		case e.Kind == event.Replied && e.Result.Failed != allowed:
			found = true
		}
	}
	all, err := s.h.Sessions()
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range all {
		for e, err := range s.h.Events(each.ID, 0) {
			if err != nil {
				t.Fatal(err)
			}
			see(e)
		}
	}
	if c.none {
		if len(seen) > 0 {
			t.Errorf("calls that nobody made:\n%s", strings.Join(seen, "\n"))
		}
		return
	}
	if !found && (allowed || s.h.settings.Limits.Message.Calls == 0) {
		t.Errorf("no journal has the result of the call:\n%s", strings.Join(seen, "\n"))
	}
}

// TestTheUserCallsASkillThatForks: the model gives its task to a sub-agent.
func TestTheUserCallsASkillThatForks(t *testing.T) {
	h := inFolder(t, map[string]string{".agents/skills/find/SKILL.md": "---\ndescription: Finds it.\ncontext: fork\nagent: explore\n---\nFind $1. State: !`echo now`\n"}, Options{Trust: true})
	s, err := h.Start(t.Context(), NewSession{Model: scripted(t, hello)})
	if err != nil {
		t.Fatal(err)
	}
	text, _, ok, err := s.Expand(t.Context(), "find", "gold", nil)
	if !ok || err != nil || !strings.Contains(text, "Find gold. State: now") || !strings.Contains(text, `"explore"`) {
		t.Errorf("%q, %v, %v", text, ok, err)
	}
}

// TestRequestsOutsideOfTheConversationCount: what a hook and the reviewer ask models counts in the budget, also after a restart.
func TestRequestsOutsideOfTheConversationCount(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	dir := t.TempDir()
	script := filepath.Join(t.TempDir(), "judge.yaml")
	put(t, script, "turns: [{text: '{\"ok\": true}', usage: {input: 900, output: 100}}]")
	put(t, filepath.Join(settings.DefaultDirs().Config, "settings.json"), `{"hooks":{"PreToolUse":[{"hooks":[{"type":"prompt","prompt":"fine?","model":"script/`+script+`"}]}]}}`)
	start := func(resume string, budget int64) (*Session, error) {
		h, err := Open(t.Context(), Options{Dir: dir, Terms: event.Terms{Sandbox: "off", Budget: budget}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { h.Close(context.Background()) })
		n := NewSession{Model: scripted(t, "turns: [{calls: [{name: list_dir, args: {path: .}}]}, {text: One.}, {text: Two.}]")}
		if resume != "" {
			return h.Resume(t.Context(), resume, n)
		}
		return h.Start(t.Context(), n)
	}
	s, err := start("", 0)
	if err != nil {
		t.Fatal(err)
	}
	say(t, s, "go")
	used := s.Usage()
	if used.Input < 900 || used.Output < 100 {
		t.Errorf("used %+v", used)
	}
	if err := s.h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s, err = start(s.ID(), 0); err != nil || s.Usage() != used {
		t.Errorf("resumed: %v, used %+v, before %+v", err, s.Usage(), used)
	}
}

// TestTheModelOfASkillThatForks: its sub-agent has the model that the skill names. A model itself names no model by its reference.
func TestTheModelOfASkillThatForks(t *testing.T) {
	own := filepath.Join(t.TempDir(), "own.yaml")
	put(t, own, "turns: [{text: The model of the skill.}]")
	h := inFolder(t, map[string]string{".agents/skills/find/SKILL.md": "---\ndescription: Finds it.\ncontext: fork\nmodel: script/" + own + "\n---\nFind it.\n"}, Options{Trust: true})
	s, err := h.Start(t.Context(), NewSession{Model: cast(t, map[string]string{
		"":        asks("{name: skill, args: {name: find}}", "{name: agent, args: {task: do it, model: script/other.yaml}}"),
		"general": "turns: [{text: The model of the session.}]",
	})})
	if err != nil {
		t.Fatal(err)
	}
	var results []string
	for e, err := range s.Send(t.Context(), model.Text("find it")) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == event.Replied && e.Session == s.ID() {
			results = append(results, e.Result.Text)
		}
	}
	text := strings.Join(results, "\n")
	if !strings.Contains(text, "The model of the skill.") || strings.Contains(text, "The model of the session.") || !strings.Contains(text, "no model with the short name") {
		t.Error(text)
	}
}
