package eval

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rein/app/settings"
	"rein/model"
)

func parse(t *testing.T, text string) []*Case {
	t.Helper()
	cases, err := Parse(filepath.Join(t.TempDir(), "cases.yaml"), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if err := c.digest(); err != nil {
			t.Fatal(err)
		}
	}
	return cases
}

// testOptions are those of a run over new directories.
func testOptions(t *testing.T, cases []*Case) Options {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed")
	}
	home := t.TempDir()
	return Options{Cases: cases, Work: t.TempDir(), Out: filepath.Join(home, "out"), Dirs: settings.Dirs{Config: filepath.Join(home, "config")}, Warn: func(line string) { t.Log(line) }}
}

func run(t *testing.T, o Options) *Results {
	t.Helper()
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const greeting = `
workspace: {files: {a.txt: "Helo\n", b.txt: "b\n"}}
prompt: Repair a.txt.
script:
  turns:
    - calls: [{name: read_file, args: {path: a.txt}}]
      usage: {input: 1000, output: 10, cost: 0.01}
    - calls: [{name: edit_file, args: {path: a.txt, old_text: Helo, new_text: Hello}}]
      usage: {input: 1000, output: 10, cost: 0.01}
    - text: '{"done": true}'
      usage: {input: 1000, output: 10, cost: 0.01}
`

// Each kind of check holds where it should, and says what does not hold elsewhere.
func TestChecks(t *testing.T) {
	rows := []struct{ check, fault string }{
		{`file: {path: a.txt, equals: "Hello\n", contains: [He, lo], lacks: Helo, matches: "^H", bytes: "Hello\n"}`, ""},
		{`file: {path: a.txt, equals: "Hello"}`, `the file is "Hello\n", not "Hello"`},
		{`file: {path: a.txt, contains: [He, x]}`, `does not contain "x"`},
		{`file: {path: a.txt, lacks: He}`, `contains "He"`},
		{`file: {path: a.txt, matches: "x$"}`, "does not match x$"},
		{`file: {path: c.txt}`, "there is no such file"},
		{`file: {path: c.txt, exists: false}`, ""},
		{`file: {path: a.txt, exists: false}`, "the file is there"},
		{`command: {run: "cat a.txt; exit 3", exit: 3, equals: Hello}`, ""},
		{`command: {run: "cat a.txt; exit 3"}`, "exit code 3, not 0: Hello"},
		{`command: {run: "cat a.txt", lacks: Hello}`, `the output contains "Hello"`},
		{`answer: {schema: {type: object, properties: {done: {type: boolean}}, required: [done]}}`, ""},
		{`answer: {schema: {type: object, properties: {done: {type: string}}}}`, "does not fit the schema"},
		{`answer: {contains: nothing}`, "does not contain"},
		{`call: {tool: "edit_*", args: Hello, with: {path: a.txt}, failed: false, ran: true, min: 1, max: 1}`, ""},
		{`call: {tool: edit_file, with: {path: b.txt}}`, "it was called 0 times"},
		{`call: {tool: read_file, max: 0}`, "it was called 1 times, more than 0"},
		{`order: [read_file, edit_file]`, ""},
		{`order: [edit_file, read_file]`, "read_file was not called after edit_file"},
		{`forbid: {tool: bash}`, ""},
		{`forbid: {tool: edit_file}`, "it was called: edit_file"},
		{`changed: [a.txt]`, ""},
		{`changed: [b.txt]`, "a.txt was changed"},
		{`unchanged: ["b.*"]`, ""},
		{`unchanged: ["a*"]`, "a.txt was changed"},
		{`sent: {contains: Helo, lacks: nowhere}`, ""},
		{`sent: {lacks: Helo}`, "contains"},
		{`stop: done`, ""},
		{`stop: budget`, "the turn ended with done"},
		{`limits: {requests: 3, calls: 2, failed: 0, questions: 0, tokens: 4000, usd: 0.04, time: 60s}`, ""},
		{`limits: {tokens: 100}`, "tokens: 3030, more than 100"},
		{`limits: {usd: 0.02}`, "US dollars: 0.03, more than 0.02"},
		{`any: [{stop: budget}, {stop: done}]`, ""},
		{`any: [{stop: budget}, {order: [bash]}]`, "stop: the turn ended with done; order"},
		{`all: [{stop: done}, {stop: budget}]`, "the turn ended with done"},
	}
	text := "name: checks" + greeting + "checks:\n"
	for _, row := range rows {
		text += "  - {" + row.check + "}\n"
	}
	a := run(t, testOptions(t, parse(t, text))).Attempts[0]
	if a.Error != "" || len(a.Checks) != len(rows) {
		t.Fatalf("the attempt: %+v", a)
	}
	for i, row := range rows {
		if got := a.Checks[i].Fault; (got == "") != (row.fault == "") || !strings.Contains(got, row.fault) {
			t.Errorf("%s: %q, want %q", row.check, got, row.fault)
		}
	}
	if a.Status != Failed || a.Requests != 3 || a.Calls != 2 || a.Usage.Cost != 0.03 || a.Stop != "done" || a.Session == "" {
		t.Errorf("the attempt: %+v", a)
	}
	if list, err := filepath.Glob(filepath.Join(a.Home, "sessions", a.Session, "*")); err != nil || len(list) == 0 {
		t.Errorf("the session is not in %s", a.Home)
	}
}

// A conversation takes steps of the user and of others between the messages.
func TestConversation(t *testing.T) {
	a := run(t, testOptions(t, parse(t, `
name: steps
workspace:
  files: {a.txt: "one\n"}
  setup: [echo ready > setup.txt]
hidden: {test.sh: "#!/bin/sh\ngrep two a.txt"}
conversation:
  - say: Write two.
  - undo: 1
  - run: grep -q one a.txt
  - redo: 1
  - write: {b.txt: "from outside\n"}
  - restart: true
  - say: Read b.txt, and delete it.
  - mode: read-only
  - say: Write three.
answers:
  - {tool: bash, args: rm b, approve: true}
tools:
  - {name: ticket, replies: [{when: {id: 7}, text: The ticket is open.}]}
script:
  turns:
    - calls: [{name: read_file, args: {path: a.txt}}]
    - calls: [{name: write_file, args: {path: a.txt, content: "two\n"}}, {name: ticket, args: {id: 7}}, {name: ticket, args: {id: 8}}]
    - text: Written.
    - calls: [{name: read_file, args: {path: b.txt}}]
    - expect: {contains: from outside}
      calls: [{name: bash, args: {command: "rm b.txt"}}]
    - text: Read.
    - calls: [{name: write_file, args: {path: a.txt, content: "three\n"}}]
    - {expect: {failed: true}, text: I may not.}
checks:
  - file: {path: a.txt, equals: "two\n"}
  - file: {path: b.txt, exists: false}
  - file: {path: setup.txt, equals: "ready\n"}
  - command: {run: ./test.sh}
  - call: {tool: ticket, failed: true, min: 1, max: 1}
  - call: {tool: ticket, result: open}
  - answer: {equals: I may not.}
  - answer: {any: true, equals: Read.}
  - changed: [a.txt, b.txt]
`))).Attempts[0]
	if a.Status != Passed {
		t.Errorf("%s: %s", a.Status, a.Why())
	}
}

// A user with rules answers until no rule fits.
func TestDialogue(t *testing.T) {
	a := run(t, testOptions(t, parse(t, `
name: dialogue
prompt: I want to go to Oslo.
user:
  replies:
    - {when: "(?i)when", say: On Monday.}
    - {when: "(?i)sure", say: "Yes."}
script:
  turns:
    - text: When?
    - {expect: {contains: Monday}, text: "Are you sure?"}
    - {expect: {contains: "Yes"}, text: Booked.}
checks:
  - answer: {equals: Booked.}
`))).Attempts[0]
	if a.Status != Passed {
		t.Errorf("%s: %s", a.Status, a.Why())
	}
}

// What could not be made is an error, and not a failure of the model; what a case needs and is not there skips it.
func TestErrorsAndSkipped(t *testing.T) {
	rows := map[string]struct {
		text   string
		status Status
		why    string
	}{
		"setup":   {"workspace: {setup: [exit 4]}\nprompt: x\nscript: {turns: [{text: hi}]}\nchecks: [{stop: done}]", Errored, "exit 4"},
		"model":   {"prompt: x\nscript: {turns: [{error: {status: 400, text: no}}]}\nchecks: [{order: []}, {stop: error}]", Passed, ""},
		"script":  {"prompt: x\nscript: {turns: [{expect: {contains: y}, text: hi}]}\nchecks: [{answer: {lacks: z}}]", Errored, "expects the last message"},
		"program": {"needs: [no-such-program]\nprompt: x\nscript: {turns: [{text: hi}]}\nchecks: [{stop: done}]", Skipped, "no-such-program is not installed"},
		"dir":     {"workspace: {git: {repo: nowhere}}\nprompt: x\nscript: {turns: [{text: hi}]}\nchecks: [{stop: done}]", Errored, "nowhere"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			cases, err := Parse(filepath.Join(t.TempDir(), "c.yaml"), []byte("name: a\n"+strings.Replace(row.text, "{order: []}, ", "", 1)))
			if err != nil {
				t.Fatal(err)
			}
			if a := run(t, testOptions(t, cases)).Attempts[0]; a.Status != row.status || !strings.Contains(a.Why(), row.why) {
				t.Errorf("%s: %s", a.Status, a.Why())
			}
		})
	}
}

// An attempt that was made is not made again, unless the case, the configuration or the settings are others.
func TestEqualRunsAreNotMadeAgain(t *testing.T) {
	cases := parse(t, "name: a"+greeting+"checks: [{stop: done}]")
	o := testOptions(t, cases)
	o.Cache, o.Runs = t.TempDir(), 2
	cached := func(what string, want int) {
		t.Helper()
		if s := run(t, o).Summaries()[0]; s.Cached != want || s.Passed != o.Runs {
			t.Errorf("%s: cached %d of %d, want %d", what, s.Cached, s.Passed, want)
		}
	}
	cached("the first run", 0)
	cached("the same run", 2)
	o.Runs = 3
	cached("one attempt more", 2)
	o.Config.System = "Be brief."
	cached("another configuration", 0)
	o.Config.System, o.Config.Name = "", "named"
	cached("a name", 3)
	if err := os.MkdirAll(o.Dirs.Config, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(o.Dirs.Config, "settings.json"), []byte(`{"effort": "low"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	cached("other settings", 0)
	o.Cases = parse(t, "name: a"+greeting+"checks: [{stop: done}, {order: [read_file]}]")
	cached("another case", 0)
}

// A run that is stopped makes what is left when it is started again.
func TestAStoppedRunIsResumed(t *testing.T) {
	text := ""
	for _, name := range []string{"a", "b", "c", "d"} {
		text += "---\nname: " + name + greeting + "checks: [{stop: done}]\n"
	}
	o := testOptions(t, parse(t, strings.TrimPrefix(text, "---\n")))
	o.Cache, o.Parallel = t.TempDir(), 1
	ctx, cancel := context.WithCancel(t.Context())
	made := 0
	o.Done = func(*Attempt) {
		if made++; made == 2 {
			cancel()
		}
	}
	r, err := Run(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Summaries()[0]; s.Passed != 2 || s.Skipped != 2 || s.Cases != 2 {
		t.Errorf("stopped: %+v", s)
	}
	if s := run(t, o).Summaries()[0]; s.Passed != 4 || s.Cached != 2 {
		t.Errorf("resumed: %+v", s)
	}
}

// The limits of the whole hold, also while several attempts run at once.
func TestLimitsOfTheWhole(t *testing.T) {
	cases := parse(t, "name: a"+greeting+"checks: [{stop: done}]") // 3 cents, 3030 tokens
	o := testOptions(t, cases)
	o.Runs, o.Parallel, o.USD = 12, 3, 0.2
	s := run(t, o).Summaries()[0]
	if s.TotalUSD > 0.2+3*0.01 || s.Passed == 0 || s.Skipped == 0 || s.Failed+s.Errors > 0 {
		t.Errorf("with 20 cents: %+v", s)
	}
	o.USD, o.Tokens, o.Parallel = 0, 30_000, 1
	s = run(t, o).Summaries()[0]
	if s.Passed < 3 || s.Skipped == 0 || s.Failed+s.Errors > 0 || s.TotalUSD > 0.01*float64(3*s.Passed+3) { // none begins after one was ended
		t.Errorf("with 30000 tokens: %+v", s)
	}
	o.Tokens, o.Time = 0, 1
	if s = run(t, o).Summaries()[0]; s.Passed != 0 || s.Skipped != 12 || s.Pass.High != 1 {
		t.Errorf("without time: %+v", s)
	}
}

// The limit of a day of the user's settings holds for all attempts together.
func TestTheLimitOfADayHolds(t *testing.T) {
	o := testOptions(t, parse(t, "name: a"+greeting+"checks: [{file: {path: a.txt, contains: Hello}}]"))
	o.Dirs.State = filepath.Join(filepath.Dir(o.Dirs.Config), "state")
	if err := os.MkdirAll(o.Dirs.Config, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(o.Dirs.Config, "settings.json"), []byte(`{"limits": {"day": {"requests": 6}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Runs, o.Parallel = 4, 1
	if s := run(t, o).Summaries()[0]; s.Passed < 1 || s.Passed > 2 || s.Errors < 2 {
		t.Errorf("with 6 requests a day: %+v", s)
	}
}

// A judge's mark decides; without one nothing is known.
func TestJudge(t *testing.T) {
	for name, row := range map[string]struct {
		says   string
		status Status
	}{"good": {"It is right.\n0.9", Passed}, "bad": {"It is wrong.\n**0.2**", Failed}, "none": {"I like it.", Errored}} {
		o := testOptions(t, parse(t, "name: a"+greeting+"checks: [{judge: {model: judge/m, rubric: The word is right.}}]"))
		o.Models = map[string]model.Model{"judge/m": scripted(t, `turns: [{expect: {contains: "Hello"}, text: "`+strings.ReplaceAll(row.says, "\n", `\n`)+`", usage: {cost: 0.5}}]`)}
		if a := run(t, o).Attempts[0]; a.Status != row.status || a.Judges.Cost != 0.5 {
			t.Errorf("%s: %s, %+v: %s", name, a.Status, a.Judges, a.Why())
		}
	}
}

// shell runs commands in a directory, outside of any sandbox.
func shell(t *testing.T, dir, text string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	cmd := exec.Command("sh", "-c", text)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
