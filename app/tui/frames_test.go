package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/gdamore/tcell/v3/vt"

	"rein/app/catalogue"
	"rein/app/harness"
	"rein/app/inbox"
	"rein/app/session"
	"rein/app/tui/full"
	"rein/app/tui/text"
	"rein/event"
	"rein/guard"
	"rein/tool"
)

var update = flag.Bool("update", false, "write the golden files")

// start is the time of all frames.
var start = time.Date(2026, 11, 22, 14, 2, 0, 0, time.UTC)

// stage is a screen over a real harness whose model answers from a script.
type stage struct {
	*ui
	t       *testing.T
	harness *harness.Harness
	clock   time.Time
	dir     string
	own     *harness.Session
}

func newStage(t *testing.T, width, height int, script string, settings ...string) *stage {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("REIN_HOME", filepath.Join(home, ".rein"))
	dir := filepath.Join(home, "src", "rein")
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	model := filepath.Join(home, "sonnet")
	if err := os.WriteFile(model, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, text := range settings {
		if err := os.MkdirAll(filepath.Join(home, ".rein", "config"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, ".rein", "config", "settings.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	who := NewPerson()
	h, err := harness.Open(t.Context(), harness.Options{Dir: dir, Terms: harness.Terms{Model: "script/" + model, Sandbox: "off"}, Person: who})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close(context.Background()) })
	s, err := h.Start(t.Context(), harness.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor", "HOME": home}
	st := &stage{t: t, harness: h, own: s, clock: start, dir: dir}
	st.ui = newUI(t.Context(), Options{Place: session.LocalPlace(h), Terminal: h.Settings().Terminal, StatusLine: h.Settings().StatusLine, Dirs: h.Dirs(), Catalogue: testCatalogue{catalogue.Local{Options: harness.Options{Dir: dir}}}, Person: who, Version: "1.0", Program: filepath.Join(home, "rein"), Theme: "dark", Getenv: func(name string) string { return env[name] }})
	st.session = session.Local(s)
	st.now = func() time.Time { return st.clock }
	st.width, st.height, st.scroll.Began = width, height, true
	return st
}

// testCatalogue has the rules of the stage's directory, and two kinds of sub-agents.
type testCatalogue struct{ rules catalogue.Catalogue }

func (c testCatalogue) List(ctx context.Context, kind catalogue.Kind) (list catalogue.List, _ error) {
	switch kind {
	case catalogue.Rules:
		return c.rules.List(ctx, kind)
	case catalogue.Agents:
		for _, a := range [][2]string{{"explore", "Finds things in files quickly: where something is, how it works, what uses it"}, {"review", "Reviews a change"}} {
			list.Entries = append(list.Entries, catalogue.Entry{ID: a[0], Name: a[0], About: a[1], Fields: catalogue.Fields("description", a[1], "mode", "read-only", "name", a[0])})
		}
	}
	return list, nil
}

func (c testCatalogue) Do(ctx context.Context, r catalogue.Request) (string, error) {
	what := string(r.Kind) + " " + r.Verb
	switch {
	case what == "rules check":
		return "2 rules, 0 warnings\n", nil
	case r.Kind == catalogue.Rules:
		return c.rules.Do(ctx, r)
	case what == "memory add":
		return "remembered: memory add -- " + r.Name + "\n", nil
	}
	return "", fmt.Errorf("ran: %s %s", what, r.Name)
}

// give shows an event of the session, or of a sub-agent where it names one.
func (s *stage) give(e event.Event) {
	e.Time = s.clock
	if e.Session == "" {
		e.Session = s.session.ID()
	}
	s.happened(e)
	s.talk.printAnswer(false)
}

func (s *stage) working() {
	s.turn = &turn{cancel: func(error) {}, began: s.clock.Add(-18 * time.Second)}
}

func (s *stage) call(id, name, args string) tool.Call {
	c := tool.Call{ID: id, Name: name, Args: json.RawMessage(args)}
	s.give(event.Event{Kind: event.Called, Call: &c})
	s.give(event.Event{Kind: event.Granted, Call: &c})
	return c
}

func (s *stage) reply(id, name, args, output string, d any, failed bool) {
	s.call(id, name, args)
	raw, err := json.Marshal(d)
	if err != nil {
		s.t.Fatal(err)
	}
	r := tool.Result{ID: id, Name: name, Text: output, Detail: raw, Failed: failed}
	s.give(event.Event{Kind: event.Replied, Call: &tool.Call{ID: id, Name: name}, Result: &r})
}

// press presses keys as fast as a person can.
func (s *stage) press(names ...string) {
	for _, k := range names {
		s.clock = s.clock.Add(20 * time.Millisecond)
		s.Update(keyPress(k))
		if s.Update(s.presses.held.Settled(keyPress(k))); k == "enter" { // no other key has followed
			s.clock = s.clock.Add(text.Settle)
		}
	}
}

// burst gives keys as a terminal gives a paste that it does not announce.
func (s *stage) burst(keys ...string) {
	for _, k := range keys {
		s.Update(keyPress(k))
	}
}

// keyPress makes the key of a name.
func keyPress(name string) tea.KeyPressMsg {
	named := map[string]rune{"enter": tea.KeyEnter, "tab": tea.KeyTab, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft,
		"right": tea.KeyRight, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "pgdown": tea.KeyPgDown, "space": tea.KeySpace}
	var k tea.Key
	for {
		mod, rest, ok := strings.Cut(name, "+")
		if !ok || rest == "" {
			break
		}
		k.Mod |= map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "alt": tea.ModAlt, "shift": tea.ModShift}[mod]
		name = rest
	}
	if code, ok := named[name]; ok {
		k.Code = code
	} else {
		k.Code = []rune(name)[0]
		if k.Mod == 0 {
			k.Text = name
		}
	}
	if name == "space" && k.Mod == 0 {
		k.Text = " "
	}
	return tea.KeyPressMsg(k)
}

// question shows a request as the harness gives it. What comes is the answer.
func (s *stage) question(id, who string, r guard.Request, severity guard.Severity, scopes ...inbox.Scope) <-chan guard.Answer {
	s.t.Helper()
	r.Call = id
	args := r.Args
	if r.Command != "" {
		args, _ = json.Marshal(map[string]string{"command": r.Command})
	}
	request := &harness.Request{Request: inbox.Request{Args: args, Session: s.session.ID(), Call: id, Tool: r.Tool, Time: s.clock, Shown: r, Scopes: scopes},
		Case: guard.Case{SubAgent: who}, Verdict: guard.Verdict{Severity: severity}}
	answers, before := make(chan guard.Answer, 1), s.questions.Len()
	go func() {
		a, err := s.o.Person.Ask(s.t.Context(), request)
		if err != nil {
			s.t.Error(err)
		}
		answers <- a
	}()
	s.until("the request", func() bool { return s.questions.Len() > before })
	return answers
}

// answered returns the answer to a question.
func (s *stage) answered(answers <-chan guard.Answer) guard.Answer {
	s.t.Helper()
	select {
	case a := <-answers:
		return a
	case <-time.After(time.Minute):
		s.t.Fatal("there is no answer")
		return guard.Answer{}
	}
}

var lasting = []inbox.Scope{
	{Scope: guard.ForSession, Text: "for this session", Rules: []string{"bash(npm ci:*)"}},
	{Scope: guard.ForProject, Text: "for this project, kept in ~/.rein/projects/rein.json", Rules: []string{"bash(npm ci:*)"}},
}

const unified = "@@ -41,4 +41,6 @@\n \tfor _, p := range strings.Split(s, \",\") {\n-\t\tout = append(out, p)\n+\t\tp = strings.TrimSpace(p)\n+\t\tif p != \"\" {\n+\t\t\tout = append(out, p)\n+\t\t}\n \t}\n \treturn out\n"

// onePixel is a small image.
var onePixel = func() []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 30, 20))) // a buffer takes all
	return b.Bytes()
}()

// frames are the screens, each made from what happens in a session.
var frames = []struct {
	name string
	show func(*stage)
}{
	{"empty", func(*stage) {}},
	{"first", func(s *stage) { s.showFirst("supervised") }},
	{"turn", func(s *stage) {
		s.working()
		s.bar.window.model, s.bar.window.tokens = s.session.How().Model, 200_000
		s.give(event.Event{Kind: event.Prompted, Text: "make the guard refuse empty patterns, and prove it"})
		s.give(event.Event{Kind: event.Delta, Text: "I'll look at the **matcher** and its tests first."})
		s.give(event.Event{Kind: event.Responded, Text: "x", Usage: &event.Usage{Input: 36000, Output: 400, Cost: 0.21}})
		s.reply("1", "read_file", `{"path":"guard/rule.go"}`, "…", tool.Detail{Read: &tool.ReadDetail{Path: "guard/rule.go", First: 1, Last: 212, Total: 212}}, false)
		s.reply("2", "grep", `{"pattern":"func Match"}`, "…", tool.Detail{Found: &tool.FoundDetail{Pattern: "func Match", Shown: 3, Lines: 4}}, false)
		s.reply("3", "bash", `{"command":"go test ./guard/..."}`, strings.Repeat("ok\n", 30)+"--- FAIL: TestEmpty (0.00s)\n    rule_test.go:41: want deny, got allow\n[exit code 1 after 4.2s]\n",
			tool.Detail{Command: &tool.CommandDetail{ExitCode: 1, Duration: 4200 * time.Millisecond}}, false)
		s.give(event.Event{Kind: event.Delta, Text: "The empty pattern reaches `Match` because the parser keeps blank entries.\n\nI am changing the parser, and"})
		s.call("4", "edit_file", `{"path":"guard/parse.go"}`)
		s.call("5", "bash", `{"command":"go vet ./..."}`)
		s.clock = s.clock.Add(3 * time.Second)
	}},
	{"edit", func(s *stage) {
		s.reply("1", "edit_file", `{"path":"guard/parse.go"}`, "edited", tool.Detail{Changes: []tool.Change{{Path: "guard/parse.go", Added: 4, Removed: 1, Diff: unified}}}, false)
		s.reply("2", "write_file", `{"path":"notes.txt"}`, "Error: the file has changed since you read it\nRead it again.", tool.Detail{}, true)
	}},
	{"plan", func(s *stage) {
		s.working()
		s.reply("1", "todo", `{}`, "…", tool.Detail{Plan: &tool.PlanDetail{Steps: []tool.PlanStep{{Content: "drop blank entries, keep positions", Status: "completed"}, {Content: "refuse a rule without patterns, and name its line in the message", Status: "in_progress"}, {Content: "run go test", Status: "pending"}}}}, false)
		s.talk.showPlan = true
	}},
	{"sub-agent", func(s *stage) {
		s.working()
		c := s.call("1", "review", `{"task":"review the tests"}`)
		s.give(event.Event{Kind: event.SubAgentStarted, Call: &c, Child: "child"})
		s.give(event.Event{Kind: event.Called, Session: "child", Parent: s.session.ID(), Call: &tool.Call{ID: "2", Name: "read_file", Args: json.RawMessage(`{"path":"guard/rule_test.go"}`)}})
		s.give(event.Event{Kind: event.Responded, Session: "child", Parent: s.session.ID(), Usage: &event.Usage{Input: 9000, Output: 100, Cost: 0.02}})
		s.clock = s.clock.Add(12 * time.Second)
	}},
	{"thinking", func(s *stage) {
		s.working()
		s.give(event.Event{Kind: event.Prompted, Text: "why?"})
		s.give(event.Event{Kind: event.Thought, Text: "hm"})
		s.clock = s.clock.Add(14 * time.Second)
	}},
	{"question", func(s *stage) {
		s.working()
		s.give(event.Event{Kind: event.Prompted, Text: "build the page"})
		s.question("1", "", guard.Request{Tool: "bash", Command: "npm ci --ignore-scripts=false && npm run build -- --out \"dist/\u200bweb\"", Cwd: "web",
			Writes: []string{"web/node_modules"}, Programs: []string{"npm"}, Network: true, Reason: "npm: downloads packages and runs their install scripts", RuleAt: "settings.json:12"}, guard.Low, lasting...)
		s.layout()
		s.clock = s.clock.Add(time.Second)
	}},
	{"question-chosen", func(s *stage) {
		s.working()
		s.question("1", "", guard.Request{Tool: "bash", Command: "rm -rf build", Removes: []string{"build"}, Programs: []string{"rm"}, Reason: "rm: deletes files"}, guard.High)
		s.layout()
		s.clock = s.clock.Add(time.Second)
		s.press("tab", "down")
	}},
	{"question-edit", func(s *stage) {
		s.working()
		s.question("1", "", guard.Request{Tool: "edit_file", Writes: []string{"guard/parse.go"}, Diff: strings.Split(strings.TrimSpace("change guard/parse.go\n"+unified), "\n"), Reason: "the mode asks before changes"}, guard.Low, lasting...)
		s.layout()
		s.clock = s.clock.Add(time.Second)
	}},
	{"question-long", func(s *stage) {
		s.working()
		s.question("1", "", guard.Request{Tool: "bash", Command: strings.Repeat("echo a line of a long script\n", 40) + "rm -rf ~", Removes: []string{"~"}, Reason: "rm: deletes files outside the workspace"}, guard.High)
		s.layout()
		s.clock = s.clock.Add(time.Second)
	}},
	{"question-fetch", func(s *stage) {
		s.working()
		s.question("1", "docs", guard.Request{Tool: "http_request", Args: json.RawMessage(`{"method":"POST","url":"https://docs.example.org/a","body":"one\ntwo"}`), Network: true, Reason: "sends data"}, guard.Low, lasting...)
		s.layout()
		s.clock = s.clock.Add(time.Second)
	}},
	{"questions", func(s *stage) {
		s.working()
		s.question("1", "", guard.Request{Tool: "bash", Command: "go test ./...", Programs: []string{"go"}}, guard.Low)
		s.question("2", "", guard.Request{Tool: "edit_file", Writes: []string{"go.mod"}, Diff: []string{"+a"}}, guard.Low)
		s.question("3", "review", guard.Request{Tool: "bash", Command: "rm -rf testdata/tmp", Removes: []string{"testdata/tmp"}}, guard.High)
		s.question("4", "docs", guard.Request{Tool: "web_fetch", Network: true}, guard.Low)
		s.question("5", "docs", guard.Request{Tool: "http_request", Network: true}, guard.Low)
		s.layout()
		s.clock = s.clock.Add(time.Second)
		s.press("tab", "down", "space")
	}},
	{"commands-all", func(s *stage) { s.press("/") }},
	{"commands", func(s *stage) { s.press("/", "m", "o") }},
	{"written", func(s *stage) {
		s.press("f", "i", "x")
		s.pasted(strings.Repeat("a line of a log\n", 300))
		s.press("ctrl+j")
		s.pasted("漢字 and 👩‍👩‍👧 and שלום and a text that goes on and on until it needs one more row of the line")
	}},
	{"stopped", func(s *stage) {
		s.give(event.Event{Kind: event.Prompted, Text: "go"})
		s.give(event.Event{Kind: event.Delta, Text: "Half an answer"})
		s.give(event.Event{Kind: event.Responded, Text: "Half an answer", Stop: event.Cancelled})
		s.give(event.Event{Kind: event.Stopped, Stop: event.Cancelled})
	}},
	{"failed", func(s *stage) {
		s.give(event.Event{Kind: event.Prompted, Text: "go"})
		s.talk.failed(errors.New("anthropic does not answer: 529 overloaded, tried 4 times in 41 s"), nil)
	}},
	{"help", func(s *stage) { s.press("?") }},
	{"mode", func(s *stage) { s.command("/mode") }},
	{"explain", func(s *stage) {
		s.question("1", "", guard.Request{Tool: "bash", Command: "npm ci", Mode: "supervised", Effects: []string{"runs npm"}, Programs: []string{"npm"}, Severity: "low", Reason: "npm: downloads packages", Rules: []string{"shell.install"}}, guard.Low, lasting...)
		s.open(full.NewPager("approval request", s.questions.Open().Full(s.width-2)))
	}},
	{"image", func(s *stage) {
		s.call("1", "send_file", `{"path":"chart.png"}`)
		r := tool.Result{ID: "1", Name: "send_file", Text: "shown", Parts: []tool.Part{{Kind: tool.ImagePart, MediaType: "image/png", Data: onePixel, Name: "chart.png"}}}
		s.give(event.Event{Kind: event.Replied, Call: &tool.Call{ID: "1", Name: "send_file"}, Result: &r})
	}},
	{"vi", func(s *stage) {
		s.line.vi = true
		s.line.Insert("fix the guard")
		s.press("esc", "b", "d")
	}},
	{"agents", func(s *stage) { s.runs(s.command("/agents")) }},
	{"permissions", func(s *stage) {
		s.take(s.command("/permissions ask --everywhere bash(git push:*)")())
		s.take(s.command("/permissions allow --everywhere bash(go test:*)")())
		s.runs(s.command("/permissions"))
		s.press("down")
	}},
	{"remember", func(s *stage) { remember(s.ui, "tests run with go test") }},
	{"failed-command", func(s *stage) { s.runs(s.command("/mcp remove nothing")) }},
	{"status", func(s *stage) { s.command("/usage") }},
	{"narrow-mode", func(s *stage) { setMode(s.ui, "plan") }},
}

// rows are those of the screen: what was printed, and the live part or the full-screen view.
func (s *stage) rows() (printed, live []text.Line, at *caret) {
	printed = append((&Screen{u: s.ui}).header(), s.scroll.Kept...)
	if s.screen != nil {
		lines, where := s.screen.Lines(s.width, s.height)
		if where != nil {
			at = &caret{where.X, where.Y}
		}
		return printed, lines, at
	}
	lines, where := s.layout()
	return printed, lines, &where
}

func dump(printed, live []text.Line, at *caret) string {
	var b, roles strings.Builder
	row := 0
	put := func(lines []text.Line) {
		for _, l := range lines {
			b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
			column := 0
			for _, sp := range l {
				w := text.Width(sp.Text)
				if name := styleName(sp.Style); name != "" && strings.TrimSpace(sp.Text) != "" {
					fmt.Fprintf(&roles, "%d:%d-%d %s\n", row, column, column+w-1, name)
				}
				column += w
			}
			row++
		}
	}
	put(printed)
	b.WriteString("=== live\n")
	put(live)
	if at != nil {
		fmt.Fprintf(&b, "=== cursor %d, %d\n", at.x, at.y)
	}
	return b.String() + "=== roles\n" + roles.String()
}

var roleNames = []string{"", "dim", "accent", "ok", "warn", "error", "mode", "code", "keyword", "string", "comment", "number", "name"}
var groundNames = []string{"", "on added", "on removed", "on added word", "on removed word", "chosen"}

func styleName(s text.Style) string {
	parts := []string{roleNames[s.Role], groundNames[s.Ground]}
	for i, on := range []bool{s.Bold, s.Italic, s.Under, s.Strike} {
		if on {
			parts = append(parts, []string{"bold", "italic", "underlined", "struck"}[i])
		}
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

// TestFrames compares every screen at three widths with its golden file, and then looks at it in an emulated terminal
// with each theme: the same characters, and colours only where there are some.
func TestFrames(t *testing.T) {
	for _, f := range frames {
		for _, width := range append([]int{40, 80, 120}, wide[f.name]...) {
			t.Run(fmt.Sprintf("%s/%d", f.name, width), func(t *testing.T) {
				s := newStage(t, width, 30, "turns: [{text: hello}]")
				f.show(s)
				s.compare(f.name, width)
			})
		}
	}
}

// In Chinese each letter takes two cells: rows fit, and columns stay below each other.
func TestFramesInChinese(t *testing.T) {
	for _, f := range frames {
		if !slices.Contains([]string{"first", "help", "turn", "question", "question-chosen", "question-long", "questions", "rewind"}, f.name) {
			continue
		}
		for _, width := range []int{40, 80} {
			t.Run(fmt.Sprintf("%s/%d", f.name, width), func(t *testing.T) {
				s := newStage(t, width, 24, "turns: [{text: hello}]", `{"terminal":{"language":"zh"}}`)
				f.show(s)
				s.compare("zh-"+f.name, width)
			})
		}
	}
}

// compare compares what is on the screen with its golden file, and draws it in an emulated terminal.
func (s *stage) compare(name string, width int) {
	t := s.t
	t.Helper()
	printed, live, at := s.rows()
	for _, l := range append(printed[:len(printed):len(printed)], live...) {
		if l.Width() > width {
			t.Errorf("%q is wider than %d", l, width)
		}
	}
	if len(live) > 30 || at != nil && (at.y >= len(live) || at.x >= width) {
		t.Errorf("%d rows, the cursor is at %v", len(live), at)
	}
	golden(t, filepath.Join("testdata", "frames", fmt.Sprintf("%s.%d", name, width)), dump(printed, live, at))
	for _, th := range []*text.Theme{text.DarkTheme(text.TrueColour), text.LightTheme(text.Colours256), text.DarkTheme(text.NoColour)} {
		s.theme = th
		emulated(t, s.ui, live, width)
	}
}

// wide are the widths beyond the usual ones, for the frames that fill a row.
var wide = map[string][]int{"turn": {400}, "edit": {400}, "question": {400}, "questions": {400}, "permissions": {400}, "written": {400}}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || got != string(want) {
		t.Errorf("%s differs: %v\n%s", file, err, got)
	}
}

// emulated draws lines in an emulated terminal and compares its cells with them.
func emulated(t *testing.T, u *ui, lines []text.Line, width int) {
	t.Helper()
	term := vt.NewMockTerm(vt.MockOptSize{X: vt.Col(width + 1), Y: 40}, vt.MockOptColors(1<<24))
	if err := term.Start(); err != nil {
		t.Fatal(err)
	}
	defer term.Stop()
	content := "\x1b[?2027h" + strings.ReplaceAll(u.rendered(lines), "\n", "\r\n")
	if _, err := term.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := term.Drain(); err != nil {
		t.Fatal(err)
	}
	for y, l := range lines {
		got, coloured := row(term, y, width)
		if want := strings.TrimRight(l.Cut(width).String(), " "); got != want && !strings.ContainsAny(want, "👩") {
			t.Errorf("row %d in the %s theme is %q, want %q", y, u.theme.Name, got, want)
		}
		if coloured && u.theme.Depth == text.NoColour {
			t.Errorf("row %d has colours: %q", y, got)
		}
	}
}

// plainColour are the emulator's names for no colour: of a cell that was never written, and after a reset.
var plainColour = map[string]bool{"default": true, "silver": true, "black": true}

func row(term vt.MockTerm, y, width int) (s string, coloured bool) {
	var b strings.Builder
	for x := 0; x < width; x++ {
		c := term.GetCell(vt.Coord{X: vt.Col(x), Y: vt.Row(y)})
		if c.C == "" {
			b.WriteByte(' ')
		} else {
			b.WriteString(c.C)
		}
		if c.S != nil && (!plainColour[c.S.Fg().String()] || !plainColour[c.S.Bg().String()]) {
			coloured = true
		}
		if c.W == 2 {
			x++
		}
	}
	return strings.TrimRight(b.String(), " "), coloured
}
