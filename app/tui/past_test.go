package tui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"rein/app/harness"
	"rein/app/session"
	"rein/app/sessions"
	"rein/app/tui/text"
	"rein/event"
	"rein/guard"
	"rein/tool"
)

// again is another program on the session, some time later.
func (s *stage) again() *stage {
	s.t.Helper()
	o, how, id := s.o, s.session.How(), s.session.ID()
	if err := s.harness.Close(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	o.Person, o.Resumed = NewPerson(), true
	h, err := harness.Open(s.t.Context(), harness.Options{Dir: s.dir, Terms: harness.Terms{Model: how.Model, Sandbox: "off"}, Person: o.Person})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = h.Close(context.Background()) })
	o.Place = session.LocalPlace(h)
	next := &stage{t: s.t, harness: h, clock: s.clock.Add(time.Hour), dir: s.dir}
	next.ui = newUI(s.t.Context(), o)
	if next.session, err = o.Place.Open(s.t.Context(), id); err != nil {
		s.t.Fatal(err)
	}
	next.now = func() time.Time { return next.clock }
	next.width, next.height, next.scroll.Began = s.width, s.height, true
	return next
}

const worksABit = `turns:
  - think: It must be the reader.
    text: I look at it first.
    calls: [{name: read_file, args: {path: a.txt}}, {name: read_file, args: {path: none.txt}}]
  - calls: [{name: bash, args: {command: seq 30}}]
  - text: Now the **edit**.
    calls: [{name: edit_file, args: {path: a.txt, old_text: two, new_text: "2"}}, {name: todo, args: {items: [{content: one thing, status: completed}, {content: another, status: pending}]}}]
  - calls: [{name: bash, args: {command: "echo begins; echo broken >&2; exit 3"}}]
  - text: "Done:\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
  - text: You are welcome.
  - text: After it was opened again.
`

const allows = `{"permissions": {"allow": ["bash", "edit_file"]}}`

// A session that is opened again shows its conversation as it was.
func TestTheConversationIsShownAsItWas(t *testing.T) {
	for _, width := range []int{80, 40} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			s := newStage(t, width, 30, worksABit, allows)
			if err := os.WriteFile(filepath.Join(s.dir, "a.txt"), []byte("one\ntwo\nthree\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, m := range []string{"make two 2", "thanks"} {
				s.runs(sendWritten(s.ui, m))
				s.until("the end of "+m, func() bool { return s.turn == nil })
			}
			live, context, plan := s.printed(), s.talk.context, s.talk.plan
			next := s.again()
			next.talk.showPast(next.session, next.o.Place.SeeAll(next.session.ID()))
			past, ends, _ := strings.Cut(next.printed(), "\n  session "+s.session.ID())
			if strings.TrimSpace(past) != strings.TrimSpace(live) || strings.TrimSpace(ends) != "continues" {
				t.Errorf("it was\n%s\nand is shown as\n%s", live, next.printed())
			}
			if next.talk.context != context || next.talk.plan == nil || len(next.talk.plan.Steps) != len(plan.Steps) || !next.talk.live.Empty() {
				t.Errorf("context %d, plan %v, live %v", next.talk.context, next.talk.plan, next.talk.live)
			}
			if next.talk.usage != next.session.Usage() || next.talk.usage.Output == 0 {
				t.Errorf("used %+v, the session %+v", next.talk.usage, next.session.Usage())
			}
			next.runs(openResults(next.ui))
			whole, _ := next.screen.Lines(width, 400)
			if all := fmt.Sprint(whole); !strings.Contains(all, "It must be the reader.") || !strings.Contains(all, "17") {
				t.Error("the results and thoughts cannot be opened:", all)
			}
			next.shut(next.now())
			next.runs(sendWritten(next.ui, "more"))
			next.until("the next answer", func() bool { return next.turn == nil })
			if !strings.HasSuffix(strings.TrimSpace(next.printed()), "After it was opened again.") {
				t.Error(next.printed())
			}
		})
	}
}

// pastOf is a session with a recorded conversation.
type pastOf struct {
	session.Session
	past sessions.Past
}

func (p pastOf) Past() (sessions.Past, error) { return p.past, nil }

// What ended a turn is shown, what is left out is counted, nobody is called, and nothing seems to run.
func TestWhatIsShownOfAnEarlierConversation(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]", `{"terminal": {"notify": "bell"}}`)
	id := s.session.ID()
	call := &tool.Call{ID: "1", Name: "bash", Args: []byte(`{"command":"sleep 100"}`)}
	s.session = pastOf{s.session, sessions.Past{Turns: 12, Steps: 3, Events: []event.Event{
		{Kind: event.Prompted, Session: id, Text: "go"},
		{Kind: event.Notice, Session: id, Text: "a notice"},
		{Kind: event.Responded, Session: id, Text: "half an ans", Stop: event.Cancelled},
		{Kind: event.Stopped, Session: id, Stop: event.Cancelled},
		{Kind: event.Prompted, Session: id, Text: "once more"},
		{Kind: event.Stopped, Session: id, Stop: event.Cancelled},
		{Kind: event.Prompted, Session: id, Text: "again"},
		{Kind: event.Stopped, Session: id, Stop: event.Failed, Text: "the server is gone"},
		{Kind: event.Prompted, Session: id, Text: "and now"},
		{Kind: event.Called, Session: id, Call: call},
	}}}
	s.caller.Focus(false)
	s.talk.showPast(s.session, s.o.Place.SeeAll(s.session.ID()))
	got := s.printed()
	short := id[strings.LastIndexByte(id, '-')+1:]
	for _, want := range []string{"… 12 earlier messages: /sessions show " + short, "› go\n\n  … 3 earlier steps of this turn: /sessions show " + short, "  a notice\n", "  half an ans\n", "- interrupted; what came is kept", "› once more\n\n  - interrupted\n",
		"✗ the server is gone", "› and now\n", "session " + id + " continues"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if seq := s.caller.Take(s.clock); seq != "" || !s.talk.live.Empty() {
		t.Errorf("called by %q; runs %v", seq, s.talk.live)
	}
}

// A call that waits when its session is opened again is shown with what it would do, once.
func TestAWaitingCallOfAnEarlierConversation(t *testing.T) {
	s := newStage(t, 80, 30, "turns:\n  - calls: [{name: bash, args: {command: 'rm -r x; echo gone'}}]\n  - text: Well.\n")
	s.runs(sendWritten(s.ui, "go"))
	s.until("the request", func() bool { return s.questions.Len() == 1 })
	s.runs(s.hangUp())
	s.until("the end", func() bool { return s.turn == nil })
	next := s.again()
	next.talk.showPast(next.session, next.o.Place.SeeAll(next.session.ID()))
	next.runs(next.Init())
	if live := fmt.Sprint(next.talk.running(next.session.ID(), next.turn, next.now())); !strings.Contains(live, "rm -r x; echo gone") {
		t.Error(live)
	}
	next.until("the request", func() bool { return next.questions.Len() == 1 })
	next.layout()
	next.clock = next.clock.Add(time.Second)
	next.press("ctrl+x", "n")
	next.until("the end", func() bool { return next.turn == nil })
	got := next.printed()
	if strings.Count(got, "! bash rm -r x; echo gone") != 1 || strings.Count(got, "› go") != 1 || !strings.Contains(got, "Well.") {
		t.Error(got)
	}
}

// Who leaves reads which commands end with the session.
func TestLeavingSaysWhatEnds(t *testing.T) {
	s := newStage(t, 80, 30, "turns:\n  - calls: [{name: bash, args: {command: sleep 100, background: true}}]\n  - text: It runs.\n", allows)
	s.runs(sendWritten(s.ui, "start it"))
	s.until("the end", func() bool { return s.turn == nil })
	var out strings.Builder
	(&Screen{u: s.ui}).farewell(&out)
	if got := ansi.Strip(out.String()); !strings.HasPrefix(got, "job1 ends with the session: sleep 100\ncontinue with: rein -r ") {
		t.Errorf("%q", got)
	}
}

// Who goes on with another session, or goes back, reads it too.
func TestGoingElsewhereSaysWhatEnds(t *testing.T) {
	for name, goes := range map[string]func(*ui) tea.Cmd{
		"a new session begins":            func(u *ui) tea.Cmd { return newSession(u, "") },
		"a copy of the session continues": func(u *ui) tea.Cmd { return fork(u, "") },
		"- back to before: thanks": func(u *ui) tea.Cmd {
			all, _ := u.o.Place.Messages(u.ctx, u.session.ID())
			last := slices.IndexFunc(all, func(m sessions.Message) bool { return m.Text == "thanks" })
			return goBack(u, all[last])
		},
	} {
		s := newStage(t, 80, 30, "turns:\n  - calls: [{name: bash, args: {command: sleep 100, background: true}}]\n  - text: It runs.\n  - text: Welcome.\n", allows)
		for _, words := range []string{"start it", "thanks"} {
			s.runs(sendWritten(s.ui, words))
			s.until("the end", func() bool { return s.turn == nil })
		}
		s.runs(goes(s.ui))
		if got := s.printed(); !strings.Contains(got, name) || !strings.HasSuffix(strings.TrimSpace(got), "job1 ends with the session: sleep 100") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A copy of the session has its last answer and its results, whole outputs too.
func TestACopyHasTheAnswerAndTheResults(t *testing.T) {
	s := newStage(t, 80, 30, "turns:\n  - calls: [{name: bash, args: {command: seq 30000}}]\n  - text: Done.\n", allows)
	s.runs(sendWritten(s.ui, "count"))
	s.until("the end", func() bool { return s.turn == nil })
	before := s.session.ID()
	s.runs(fork(s.ui, ""))
	s.runs(openResults(s.ui))
	if s.session.ID() == before || s.talk.answer != "Done." || s.screen == nil {
		t.Fatalf("answer %q, results %v", s.talk.answer, s.screen)
	}
	if lines, _ := s.screen.Lines(80, 40000); len(lines) < 30000 {
		t.Errorf("%d lines", len(lines))
	}
}

// A terminal, or tmux, may drop what is sent to its clipboard, and does not say so.
func TestACopyIsSentToTheTerminal(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	s.talk.answer = "Done."
	if copyAnswer(s.ui, "") == nil || s.hint != "the last answer was sent to the terminal's clipboard" {
		t.Error(s.hint)
	}
}

// The results that are opened have all that is kept, not only the part that the model got.
func TestAllOfALongOutputIsOpened(t *testing.T) {
	s := newStage(t, 80, 30, "turns:\n  - calls: [{name: bash, args: {command: seq 30000}}]\n  - text: Done.\n", allows)
	s.runs(sendWritten(s.ui, "count"))
	s.until("the end", func() bool { return s.turn == nil })
	if got := s.printed(); !strings.Contains(got, "… 29996 earlier lines") || !strings.Contains(got, "      30000\n") {
		t.Error(got)
	}
	s.runs(openResults(s.ui))
	if s.screen == nil {
		t.Fatal("nothing was opened")
	}
	lines, _ := s.screen.Lines(80, 40000)
	var all strings.Builder
	for _, l := range lines {
		all.WriteString(strings.TrimSpace(l.String()) + "\n")
	}
	if got := all.String(); !strings.Contains(got, "\n15000\n15001\n") || !strings.Contains(got, "\n30000\n") {
		t.Errorf("%d lines", len(lines))
	}
}

// A plan is what the user decides on: a low screen shows most of a short one, and the choice under the cursor.
func TestAPlanOnALowScreen(t *testing.T) {
	steps := ""
	for i := range 9 {
		steps += fmt.Sprintf("%d. the step of number %d\n", i+1, i+1)
	}
	for size, least := range map[[2]int]int{{80, 24}: 7, {120, 40}: 9, {60, 20}: 3} {
		s := newStage(t, size[0], size[1], "turns: [{text: Hello.}]")
		s.working()
		s.question("1", "", guard.Request{Tool: "exit_plan_mode", Questions: &tool.Questions{List: []tool.Question{{Header: "plan", Free: true, Text: steps + "\nCarry out this plan? You may change .rein/plan.md before you answer, or write what should be different.",
			Choices: []tool.Choice{{Label: "carry it out", Description: "the mode becomes supervised"}, {Label: "keep planning", Description: "the mode stays plan"}}}}}}, guard.Low)
		s.layout()
		lines, _ := s.layout()
		var all []string
		for _, l := range lines {
			all = append(all, l.String())
		}
		screen := strings.Join(all, "\n")
		if n := strings.Count(screen, "the step of number"); n < least || !strings.Contains(screen, "› carry it out") || len(lines) >= size[1] {
			t.Errorf("%v: %d of 9 steps in %d rows:\n%s", size, n, len(lines), screen)
		}
	}
}

// A plan request names the modes as the status line does, and is in the language of the user.
func TestAPlanNamesTheModeOfTheStatusLine(t *testing.T) {
	asks := &tool.Questions{List: []tool.Question{{Header: "plan", Free: true, Text: "1. x\n\nCarry out this plan? You may change PLAN.md before you answer. Words without a choice keep the mode plan.",
		Choices: []tool.Choice{{Label: "Go on", Description: "the mode becomes supervised; what you write beside it changes the plan"}, {Label: "Keep planning", Description: "the mode stays plan; say what is missing"}}}}}
	for language, want := range map[string]string{"en": "Carry out this plan? You may|Go on|becomes: ask when needed;|Keep planning|stays: plan only;", "zh": "执行此计划？|执行|需要时询问|继续计划|只做计划"} {
		q := &request{Shown: guard.Request{Questions: asks}, words: text.WordsIn(language)}
		lines, _ := q.content(100)
		screen := fmt.Sprint(lines, q.choices())
		for _, part := range strings.Split(want, "|") {
			if !strings.Contains(screen, part) {
				t.Errorf("%s: no %q in %s", language, part, screen)
			}
		}
	}
	asks.From = "the tool server x" // its words are its own
	if q := (&request{Shown: guard.Request{Questions: asks}}); !strings.Contains(fmt.Sprint(q.choices()), "becomes supervised") {
		t.Error(q.choices())
	}
}

// A session that waits for an answer says so when it is suspended, and not once more for each time that it was opened.
func TestASuspensionIsSaidOnce(t *testing.T) {
	s := newStage(t, 80, 30, "turns: [{text: hello}]")
	for _, past := range []bool{true, true, false} {
		s.talk.past = past
		s.talk.happened(event.Event{Kind: event.Stopped, Stop: event.Waiting})
	}
	if n := strings.Count(s.printed(), "the session is suspended"); n != 1 {
		t.Errorf("said %d times:\n%s", n, s.printed())
	}
}
