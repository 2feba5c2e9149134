package guards

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"rein/guard"
	"rein/tool"
)

// act is a call of an agent, with what the world answers.
type act struct {
	tool   string
	args   map[string]any
	text   string
	kind   tool.Kind     // why it failed; "" is no failure
	took   time.Duration // 0 is a few ms
	detail *tool.CommandDetail
	image  []byte
}

// player plays the turns of one agent against the guard, and notes what it says.
type player struct {
	t       *testing.T
	rng     *rand.Rand
	loops   *Loops
	turn, n int
	refused []string
	notes   int
	stopped bool
}

func newPlayer(t *testing.T, seed uint64) *player {
	return &player{t: t, rng: rand.New(rand.NewPCG(seed, 30)), loops: &Loops{}}
}

// intent is what rein's own tools declare.
func (a act) intent() tool.Intent {
	path, _ := a.args["path"].(string)
	command, _ := a.args["command"].(string)
	switch a.tool {
	case "read_file", "grep", "glob", "list_dir":
		return tool.Intent{Reads: []string{path}}
	case "edit_file", "write_file":
		return tool.Intent{Writes: []string{path}}
	case "bash":
		i := tool.Intent{Command: command}
		first, _, _ := strings.Cut(command, " ")
		i.Unknown = !strings.Contains(" ls cat git sleep date ", " "+first+" ") || strings.Contains(command, ";")
		return i
	case "job_input":
		return tool.Intent{Command: "$line_in_the_terminal " + fmt.Sprint(a.args["text"]), Unknown: true}
	case "web_fetch":
		return tool.Intent{Hosts: []string{"example.com"}}
	case "calculate", "job_output", "program", "todo":
		return tool.Intent{}
	}
	return tool.Intent{Unknown: true}
}

// plays plays the calls of one answer of the model: all are judged, then all run, in any order. Nobody approves.
func (p *player) plays(acts ...act) {
	p.turn++
	var run []func()
	for _, a := range acts {
		if c, ok := p.judge(a); ok {
			run = append(run, func() { p.ran(c, a) })
		}
	}
	p.rng.Shuffle(len(run), func(i, k int) { run[i], run[k] = run[k], run[i] })
	for _, f := range run {
		f()
	}
}

// programs plays a call of program whose code makes calls, one after the other.
func (p *player) programs(outer act, inner ...act) {
	p.turn++
	o, ok := p.judge(outer)
	if !ok {
		return
	}
	for _, a := range inner {
		if c, ok := p.judge(a); ok {
			p.ran(c, a)
		}
	}
	p.ran(o, outer)
}

func (p *player) judge(a act) (guard.Case, bool) {
	p.n++
	args, err := json.Marshal(a.args)
	if err != nil {
		p.t.Fatal(err)
	}
	c := guard.Case{Session: "s", Turn: p.turn, Call: tool.Call{ID: fmt.Sprint(p.n), Name: a.tool, Args: args}, Intent: a.intent()}
	v := p.loops.Judge(p.t.Context(), c)
	if v.Decision == guard.Allow {
		return c, true
	}
	p.stopped = p.stopped || v.Stop
	p.refused = append(p.refused, fmt.Sprintf("turn %d, call %d: %s %s: %s", p.turn, p.n, a.tool, args, v.Reason))
	return c, false
}

func (p *player) ran(c guard.Case, a act) {
	r := tool.Result{Text: a.text, Failed: a.kind != "", Kind: a.kind, Duration: a.took}
	if r.Duration == 0 {
		r.Duration = time.Duration(p.rng.IntN(40)+1) * time.Millisecond
	}
	if a.detail != nil {
		r.Detail, _ = json.Marshal(tool.Detail{Command: a.detail})
	}
	if a.image != nil {
		r.Parts = []tool.Part{{Kind: tool.ImagePart, Data: a.image}}
	}
	if p.loops.Ran(c, r) != "" {
		p.notes++
	}
}

func (p *player) ms() string { return fmt.Sprintf("%dms", p.rng.IntN(900)+1) }

func (p *player) sec() string { return fmt.Sprintf("%.2fs", p.rng.Float64()*9) }

func read(path, text string) act {
	return act{tool: "read_file", args: map[string]any{"path": path}, text: text}
}

func missing(path string) act {
	return act{tool: "read_file", args: map[string]any{"path": path}, text: path + " does not exist.", kind: tool.NotFound}
}

// sh is a command with its output and exit code. Its duration differs each time, as it does in the world.
func (p *player) sh(command, output string, code int) act {
	return act{tool: "bash", args: map[string]any{"command": command}, text: fmt.Sprintf("%s\n[exit code %d after %s]", output, code, p.ms())}
}

// work is the state of a project that an agent works on.
type work struct {
	*player
	version int // of the source
	bugs    int
	asked   int
}

func (w *work) path() string {
	return fmt.Sprintf("pkg%d/%s.go", w.rng.IntN(9), []string{"server", "client", "parse", "store", "cache"}[w.rng.IntN(5)])
}

// source is a file of the project: what is read of it changes with each edit.
func (w *work) source(path string) act {
	return read(path, fmt.Sprintf("1\tpackage x // %s, version %d\n2\tvar timeout = 10 * time.Second", path, w.version))
}

func (w *work) edit() act {
	w.version++
	w.bugs = max(0, w.bugs-w.rng.IntN(2))
	path := w.path()
	return act{tool: "edit_file", args: map[string]any{"path": path, "old": fmt.Sprint("v", w.version), "new": "x"}, text: fmt.Sprintf("Edited %s: 1 line added, 1 removed.", path)}
}

// tests run in a time that differs; a flaky one fails now and then.
func (w *work) tests(flaky bool) act {
	if flaky && w.rng.IntN(2) == 0 {
		return w.sh("go test ./...", fmt.Sprintf("--- FAIL: TestFlaky (%s)\n    race_test.go:40: timed out after %s\nFAIL\tx/pkg1\t%s", w.sec(), w.sec(), w.sec()), 1)
	}
	if w.bugs > 0 {
		return w.sh("go test ./...", fmt.Sprintf("--- FAIL: TestParse%d (%s)\n    parse_test.go:%d: got 1\nFAIL\tx/pkg1\t%s", w.bugs, w.sec(), 40+w.version, w.sec()), 1)
	}
	return w.sh("go test ./...", fmt.Sprintf("ok  \tx/pkg1\t%s\nok  \tx/pkg2\t%s", w.sec(), w.sec()), 0)
}

// episodes are what agents do, in turns.
func (w *work) episodes() []func() {
	return []func(){
		func() { // reads of wrong paths side by side, then of right ones
			var wrong, right []act
			for i := range 3 + w.rng.IntN(6) {
				wrong = append(wrong, missing(fmt.Sprintf("src/%d/%d.go", w.asked, i)))
				right = append(right, w.source(w.path()))
			}
			w.asked++
			w.plays(wrong...)
			w.plays(act{tool: "glob", args: map[string]any{"path": ".", "pattern": fmt.Sprint("*", w.asked)}, text: "pkg1/server.go"})
			w.plays(right...)
			w.plays(append(wrong[:1:1], right...)...)
		},
		func() { // an edit, a test, until it passes
			w.bugs = 1 + w.rng.IntN(3)
			for w.bugs > 0 {
				w.plays(w.tests(false))
				w.plays(w.source(w.path()), act{tool: "grep", args: map[string]any{"path": ".", "pattern": fmt.Sprint("Parse", w.version)}, text: fmt.Sprint("parse.go:", w.version)})
				w.plays(w.edit())
				w.plays(w.sh("gofmt -l .", "(no output)", 0), w.sh("go vet ./...", "(no output)", 0))
			}
			w.plays(w.tests(false))
			w.plays(w.sh("git status --short", fmt.Sprint(" M pkg1/server.go ", w.version), 0), w.sh("git diff --stat", fmt.Sprint(w.version, " lines"), 0))
		},
		func() { // is the test flaky?
			w.plays(w.edit())
			for range 3 + w.rng.IntN(2) {
				w.plays(w.tests(true))
			}
			w.plays(w.edit())
			for range 4 {
				w.plays(w.tests(w.rng.IntN(2) == 0))
			}
			w.plays(w.edit())
		},
		func() { // edits that do not fit, each another one
			for range 3 + w.rng.IntN(7) {
				w.asked++
				w.plays(act{tool: "edit_file", args: map[string]any{"path": "pkg1/store.go", "old": fmt.Sprint("text ", w.asked), "new": "y"}, text: "The text was not found in pkg1/store.go.", kind: tool.NotFound})
			}
			w.plays(w.source("pkg1/store.go"))
			w.plays(w.edit(), w.edit())
			w.plays(w.tests(false))
		},
		func() { // a server in the background
			job := fmt.Sprint("job", w.asked)
			w.asked++
			w.plays(act{tool: "bash", args: map[string]any{"command": "npm run dev", "background": true}, text: "[running in the background as " + job + " (400ms so far)]"})
			for i := range 4 + w.rng.IntN(12) {
				w.plays(act{tool: "job_output", args: map[string]any{"job": job, "wait": 5 + 5*(i%3)}, text: fmt.Sprintf("(no new output)\n[%s is running (%ds so far)]", job, 5*i), took: 5 * time.Second,
					detail: &tool.CommandDetail{Job: job, Running: true}})
			}
			for range w.rng.IntN(4) { // without a wait
				w.plays(act{tool: "job_output", args: map[string]any{"job": job}, text: fmt.Sprintf("(no new output)\n[%s is running (%s so far)]", job, w.sec()), detail: &tool.CommandDetail{Job: job, Running: true}})
			}
			w.plays(act{tool: "job_output", args: map[string]any{"job": job}, text: fmt.Sprintf("ready on :%d\n[%s is running]", 3000+w.asked, job)})
		},
		func() { // the checks of a pull request
			run := fmt.Sprint("gh run view ", w.asked)
			w.asked++
			for i := range 5 + w.rng.IntN(12) {
				look := w.sh("sleep 30; "+run, fmt.Sprintf("in_progress, started %dm%ds ago", i/2, i%2*30), 0)
				look.took = 30 * time.Second
				w.plays(look)
			}
			w.plays(w.sh("sleep 30; "+run, fmt.Sprint("completed ", w.asked), 0))
		},
		func() { // a status that a server's tool tells, with sleeping in between
			id := w.asked
			w.asked++
			for range 5 + w.rng.IntN(10) {
				sleep := w.sh("sleep 20", "(no output)", 0)
				sleep.took = 20 * time.Second
				w.plays(sleep)
				w.plays(act{tool: "mcp__ci__status", args: map[string]any{"run": id}, text: `{"state":"running","elapsed_ms":` + fmt.Sprint(w.rng.IntN(99999)) + `}`})
			}
			w.plays(act{tool: "mcp__ci__status", args: map[string]any{"run": id}, text: `{"state":"passed"}`})
		},
		func() { // typing errors
			for range 2 + w.rng.IntN(9) {
				w.asked++
				w.plays(act{tool: "calculate", args: map[string]any{"expression": fmt.Sprintf("sqr(%d", w.asked)}, text: "calculate: there is no function sqr.", kind: tool.BadArguments})
			}
			w.plays(act{tool: "calculate", args: map[string]any{"expression": fmt.Sprintf("sqrt(%d)", w.asked)}, text: fmt.Sprintf("%d (exact)", w.asked)})
		},
		func() { // everything is read again after a compaction, one by one and together
			var all []act
			for i := range 8 + w.rng.IntN(14) {
				all = append(all, w.source(fmt.Sprintf("pkg%d/doc.go", i)))
			}
			for range 2 {
				for _, a := range all {
					w.plays(a)
				}
			}
			w.plays(all...)
			w.plays(w.edit())
		},
		func() { // a program that reads much, also the same thing for each of its rounds
			var inner []act
			for i := range 10 + w.rng.IntN(20) {
				inner = append(inner, read("go.mod", "1\tmodule x"), w.source(fmt.Sprintf("pkg%d/a.go", i)), missing(fmt.Sprintf("pkg%d/b.go", i)))
			}
			w.asked++
			w.programs(act{tool: "program", args: map[string]any{"code": fmt.Sprint("for i in range(9): print(i) # ", w.asked)}, text: "done"}, inner...)
		},
		func() { // a test a dozen times in one program, to find a flaky one
			var inner []act
			for range 12 {
				inner = append(inner, w.tests(false))
			}
			w.asked++
			w.programs(act{tool: "program", args: map[string]any{"code": fmt.Sprint("for i in range(12): bash('go test') # ", w.asked)}, text: "12 passed"}, inner...)
		},
		func() { // a debugger: the same line again and again
			for i := range 8 + w.rng.IntN(12) {
				w.plays(act{tool: "job_input", args: map[string]any{"job": "job1", "text": "n"}, text: fmt.Sprintf("> a.py(%d)f()\n(Pdb)\n[job1 is running (%s so far)]", 4+i%2, w.sec()), took: 2 * time.Second,
					detail: &tool.CommandDetail{Job: "job1", Running: true}})
			}
		},
		func() { // pictures of a page: the words are the same, the pictures are not
			for i := range 6 {
				w.plays(act{tool: "screenshot", args: map[string]any{}, text: "(the result is attached)", image: []byte{byte(i), byte(w.asked)}})
			}
			w.asked++
		},
		func() { // a look around between other work, without a change
			for range 6 {
				w.plays(w.sh("git status --short", "(no output)", 0), w.sh("ls", "go.mod\npkg1", 0))
				for range 3 {
					w.asked++
					w.plays(read(fmt.Sprintf("vendor/%d.go", w.asked), fmt.Sprint("1\tpackage v", w.asked)))
				}
			}
		},
		func() { // pages that are not there
			for range 3 + w.rng.IntN(8) {
				w.asked++
				w.plays(act{tool: "web_fetch", args: map[string]any{"url": fmt.Sprint("https://example.com/", w.asked)}, text: "HTTP 404", kind: tool.NotFound})
			}
		},
		func() { // the same call twice in one turn, and a change by a program that prints nothing
			w.plays(w.source("go.mod"), w.source("go.mod"), w.source("go.mod"))
			for range 5 {
				w.asked++
				w.version++
				w.plays(w.sh(fmt.Sprintf("sed -i s/a%d/b/ pkg1/store.go", w.asked), "(no output)", 0))
				w.plays(w.sh("make", fmt.Sprintf("cc -o x x.c\nfinished in %s", w.sec()), 0))
			}
		},
	}
}

// Agents at work are not taken for agents in a loop: of all the calls in these turns none needs an approval.
func TestWorkIsNoLoop(t *testing.T) {
	turns, calls, notes := 0, 0, 0
	for session := uint64(0); turns < 2000; session++ {
		w := &work{player: newPlayer(t, session)}
		for range 12 {
			all := w.episodes()
			all[w.rng.IntN(len(all))]()
		}
		for _, text := range w.refused {
			t.Errorf("session %d: refused: %s", session, text)
		}
		turns, calls, notes = turns+w.turn, calls+w.n, notes+w.notes
	}
	t.Logf("%d turns, %d calls, %d notes", turns, calls, notes)
}

// Real loops end within 12 calls, however they are spelled.
func TestRealLoopsEnd(t *testing.T) {
	type loop func(p *player, i int)
	same := func(a func(p *player) act) loop { return func(p *player, _ int) { p.plays(a(p)) } }
	cycle := func(all ...func(p *player) act) loop {
		return func(p *player, i int) { p.plays(all[i%len(all)](p)) }
	}
	ls := func(p *player) act { return p.sh("ls", "go.mod\nmain.go", 0) }
	makeTest := func(p *player) act {
		return p.sh("make test", fmt.Sprintf("FAIL x/pkg1 %s\nmake: *** [test] Error 1\n%d bytes in %s", p.sec(), 12, p.ms()), 2)
	}
	wrong := func(*player) act { return missing("src/main.go") }
	text := func(*player) act { return read("main.go", "1\tpackage main") }
	for name, turn := range map[string]loop{
		"ls":                   same(ls),
		"a test that fails":    same(makeTest),
		"a wrong path":         same(wrong),
		"two that take turns":  cycle(text, wrong),
		"two commands that do": cycle(ls, makeTest),
		"three in a circle":    cycle(text, makeTest, ls),
		"three, in another order": func(p *player, i int) {
			p.plays([]func(*player) act{ls, text, wrong}[[]int{0, 1, 2, 1, 0, 2, 2, 0, 1}[i%9]](p))
		},
		"a typing error": same(func(*player) act {
			return act{tool: "calculate", args: map[string]any{"expression": "sqr(2"}, text: "no function sqr", kind: tool.BadArguments}
		}),
		"an edit that does not fit": same(func(*player) act {
			return act{tool: "edit_file", args: map[string]any{"path": "a", "old": "b", "new": "c"}, text: "not found", kind: tool.NotFound}
		}),
		"a program": func(p *player, _ int) {
			p.programs(act{tool: "program", args: map[string]any{"code": "print(bash('ls').text)"}, text: "go.mod\n[exit code 0 after " + p.ms() + "]"}, ls(p))
		},
		"programs with the same call": func(p *player, i int) {
			p.programs(act{tool: "program", args: map[string]any{"code": fmt.Sprint("# try ", i)}, text: fmt.Sprint("try ", i)}, makeTest(p))
		},
		"with other words about it": func(p *player, i int) {
			a := ls(p)
			a.args["description"], a.args["timeout"] = fmt.Sprint("List the files, once more: ", i), 10+i
			p.plays(a)
		},
		"edits back and forth": func(p *player, i int) {
			p.plays(act{tool: "edit_file", args: map[string]any{"path": "a", "old": fmt.Sprint(i % 2), "new": fmt.Sprint((i + 1) % 2)}, text: fmt.Sprint("Edited a. ", i%2)})
		},
		"a log with times": same(func(p *player) act {
			return p.sh("./run.sh", fmt.Sprintf("2026-11-27T01:13:%02d.%03dZ start pid=%d\n2026/11/27 01:13:%02d panic at 0xc000%06x\ngoroutine %d [running]", p.rng.IntN(60), p.rng.IntN(1000), p.rng.IntN(9999), p.rng.IntN(60), p.rng.IntN(1<<24), p.rng.IntN(99)), 2)
		}),
		"a suite with a seed": same(func(p *player) act {
			return p.sh("pytest", fmt.Sprintf("Using --randomly-seed=%d\nrootdir: /tmp/pytest-%d/x\n1 failed, 3 passed in %s", p.rng.IntN(99999), p.rng.IntN(99), p.sec()), 1)
		}),
		"a server's tool": same(func(p *player) act {
			return act{tool: "mcp__db__query", args: map[string]any{"sql": "select 1"}, text: fmt.Sprintf(`{"rows":[],"duration_ms":%d,"at":%d}`, p.rng.IntN(99), 1764200000+p.rng.IntN(99999))}
		}),
		"a job that does not start": func(p *player, i int) {
			p.plays(act{tool: "bash", args: map[string]any{"command": "npm run dev", "background": true}, text: fmt.Sprintf("EADDRINUSE: port 3000 is in use\n[exit code 1 after %s (job%d)]", p.ms(), i)})
		},
		"a page": same(func(*player) act {
			return act{tool: "web_fetch", args: map[string]any{"url": "https://example.com"}, text: "# Example"}
		}),
	} {
		p := newPlayer(t, 1)
		for i := 0; i < 40 && !p.stopped; i++ {
			turn(p, i)
		}
		if !p.stopped || p.turn > 12 || p.notes == 0 || len(p.refused) < 4 {
			t.Errorf("%s: stopped %v after %d turns, %d notes, %d requests", name, p.stopped, p.turn, p.notes, len(p.refused))
		}
	}
}

// Reads side by side, again and again, are a loop too: the turn counts, not the call.
func TestALoopOfTurnsEnds(t *testing.T) {
	p := newPlayer(t, 1)
	for !p.stopped && p.turn < 40 {
		p.plays(read("a", "1\ta"), read("b", "1\tb"), missing("c"))
	}
	if !p.stopped || p.turn > 9 {
		t.Errorf("stopped %v after %d turns: %v", p.stopped, p.turn, p.refused)
	}
}

// Who waits may look often; after very many looks the user is asked.
func TestWaitingEndsToo(t *testing.T) {
	p := newPlayer(t, 1)
	for !p.stopped && p.turn < 100 {
		a := p.sh("sleep 5; curl -s localhost:3000", "connection refused", 7)
		a.took = 5 * time.Second
		p.plays(a)
	}
	if !p.stopped || p.turn < 60 || p.turn > 64 || !strings.Contains(p.refused[0], "with waiting in between") {
		t.Errorf("stopped %v after %d turns: %v", p.stopped, p.turn, p.refused)
	}
}

func TestSteady(t *testing.T) {
	for name, row := range map[string][2]string{
		"a duration":                   {"ok in 1.2s", "ok in 3.4s"},
		"with minutes":                 {"real 0m0.004s", "real 1m2.5s"},
		"in words":                     {"waited 12 seconds", "waited 1 second"},
		"a labelled number":            {`"duration_ms": 12.5`, `"duration_ms": 7`},
		"a time of day":                {"Fri Nov 27 01:13:00 UTC", "Fri Nov 27 02:14:01 UTC"},
		"since 1970":                   {"at 1764200000123", "at 1764299999456"},
		"where the whole is":           {`read_file with path "output://s-1"`, `read_file with path "output://s-2"`},
		"a temporary file":             {"/tmp/go-build123/a.out: no", "/tmp/go-build45/a.out: no"},
		"not a line number":            {"a.go:12:5: x", "!a.go:13:5: x"},
		"not a count":                  {"12 passed", "!13 passed"},
		"not a measure":                {"120 ns/op", "!130 ns/op"},
		"not a size":                   {"512m", "!256m"},
		"not a part of a word or hash": {"commit 1a2b3c4", "!commit 1a2b3d5"},
		"not a version":                {"go1.25.1", "!go1.25.2"},
	} {
		b, differ := strings.CutPrefix(row[1], "!")
		if (steady(row[0]) != steady(b)) != differ {
			t.Errorf("%s: %q and %q", name, steady(row[0]), steady(b))
		}
	}
}

func BenchmarkSteady(b *testing.B) {
	text := strings.Repeat("--- PASS: TestSomething (0.03s) at /home/u/x/file_test.go:120 with 12 items\n", 400)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		steady(text)
	}
}
