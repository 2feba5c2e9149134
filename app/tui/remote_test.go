package tui

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"rein/app/catalogue"
	"rein/app/extend"
	"rein/app/session"
	"rein/event"
	"rein/tool"
)

// farAway is a session of a server that plays turns, each a list of events.
type farAway struct {
	session.Session
	turns   chan []event.Event
	sent    []string
	calls   []string
	allowed []string      // rules
	deaf    chan struct{} // until it is closed a turn that is stopped does not end; nil: it ends at once
}

func (f *farAway) play(ctx context.Context) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		select {
		case <-ctx.Done():
			f.calls = append(f.calls, "ended: "+context.Cause(ctx).Error())
			if f.deaf != nil {
				<-f.deaf
			}
		case turn := <-f.turns:
			for _, e := range turn {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

func (f *farAway) Send(ctx context.Context, text string, attached []tool.Part) iter.Seq2[event.Event, error] {
	f.sent = append(f.sent, text)
	for _, p := range attached {
		f.sent = append(f.sent, p.Name)
	}
	return f.play(ctx)
}

func (f *farAway) SendLine(ctx context.Context, line string) iter.Seq2[event.Event, error] {
	return f.Send(ctx, "line "+line, nil)
}

func (f *farAway) Resume(ctx context.Context) iter.Seq2[event.Event, error] { return f.play(ctx) }

func (f *farAway) Commands() []extend.Command { return []extend.Command{{Name: "greet"}} }

func (f *farAway) Expand(_ context.Context, name, _ string, _ func(event.Event)) (string, []tool.Part, error) {
	if name == "greet" {
		return "", nil, session.ErrSendLine
	}
	return "", nil, session.ErrNoCommand
}

func (f *farAway) RunCommand(context.Context, string, func(event.Event)) (string, error) {
	return "", session.NotThere("a server runs no commands of yours")
}

func (f *farAway) Allowed(context.Context) ([]string, error) { return f.allowed, nil }

func (f *farAway) Disallow(_ context.Context, rule string) (bool, error) {
	before := len(f.allowed)
	f.allowed = slices.DeleteFunc(f.allowed, func(r string) bool { return r == rule })
	return len(f.allowed) < before, nil
}

// elsewhere is the place of a server.
type elsewhere struct{ session.Place }

func (elsewhere) Elsewhere() bool { return true }

// newFarStage is a stage over a session of a server.
func newFarStage(t *testing.T) (*stage, *farAway) {
	s := newStage(t, 100, 30, "turns: [{text: hello}]")
	f := &farAway{Session: s.session, turns: make(chan []event.Event, 10)}
	s.o.Place, s.session = elsewhere{s.o.Place}, f
	return s, f
}

func turnOf(id, prompt, answer string) []event.Event {
	at := time.Now()
	return []event.Event{{Kind: event.Prompted, Session: id, Time: at, Text: prompt}, {Kind: event.Responded, Session: id, Time: at, Text: answer}, {Kind: event.Stopped, Session: id, Time: at, Stop: event.Done}}
}

// Who interrupts and leaves is not held by a server that cannot be reached, and reads that the turn may go on.
func TestLeavingDoesNotWaitForAServerThatIsGone(t *testing.T) {
	s, f := newFarStage(t)
	f.deaf = make(chan struct{})
	defer close(f.deaf)
	s.runs(sendWritten(s.ui, "go"))
	s.press("ctrl+c")
	s.runs(s.quit())
	var out strings.Builder
	if (&Screen{u: s.ui}).farewell(&out); s.turn != nil || !s.leaving || !strings.Contains(out.String(), "the turn may go on") {
		t.Errorf("the turn %v, %s", s.turn, out.String())
	}
}

// A turn that another client begins is shown, also when it begins at the end of another one.
func TestATurnOfAnotherClientIsShown(t *testing.T) {
	s, f := newFarStage(t)
	s.o.Person.Joined()
	s.until("the turn", func() bool { return s.turn != nil })
	s.o.Person.Joined()
	s.runs(s.drain())
	f.turns <- turnOf(f.ID(), "from elsewhere", "An answer.")
	f.turns <- turnOf(f.ID(), "and another", "One more.")
	s.until("both", func() bool { return s.turn == nil && strings.Contains(s.printed(), "One more.") })
	if got := s.printed(); strings.Index(got, "from elsewhere") > strings.Index(got, "and another") || strings.Count(got, "An answer.") != 1 {
		t.Error(got)
	}
}

// While there is no connection the last rows say so.
func TestNoConnectionIsShown(t *testing.T) {
	s, _ := newFarStage(t)
	shown := func() string {
		var b strings.Builder
		for _, l := range s.statusLines() {
			b.WriteString(l.String() + "\n")
		}
		return b.String()
	}
	s.o.Person.Offline("connection refused")
	s.runs(s.drain())
	if got := shown(); !strings.Contains(got, "no connection to the server, trying again: connection refused") {
		t.Error(got)
	}
	s.o.Person.Offline("")
	s.runs(s.drain())
	if got := shown(); strings.Contains(got, "no connection") {
		t.Error(got)
	}
}

// askedCatalogue is the catalogue of a server.
type askedCatalogue struct{ asked chan string }

func (c askedCatalogue) List(_ context.Context, kind catalogue.Kind) (catalogue.List, error) {
	c.asked <- string(kind) + " list"
	return catalogue.List{Entries: []catalogue.Entry{{ID: "reviewer", Name: "reviewer", About: "reads"}}}, nil
}

func (c askedCatalogue) Do(_ context.Context, r catalogue.Request) (string, error) {
	c.asked <- strings.TrimSpace(fmt.Sprint(fmt.Sprintf("%s %s %s %s ", r.Kind, r.Verb, r.Mode, r.Name), strings.Join(r.Allowed, ", ")))
	if r.Kind == catalogue.Tools {
		return "bash   Run a command\n", nil
	}
	return "", nil
}

// rulesPlace keeps rules on a server.
type rulesPlace struct {
	session.Place
	asked chan string
}

func (p rulesPlace) KeepRules(_ context.Context, decision string, rules []string, everywhere bool) error {
	p.asked <- fmt.Sprint("rules ", decision, " ", rules, " everywhere: ", everywhere)
	return nil
}

// What a server offers is asked there. What it does not offer says so, and does nothing. A command of a file is expanded there.
func TestWhatAServerOffers(t *testing.T) {
	s, f := newFarStage(t)
	for _, line := range []string{"/doctor", "/trust", "/import", "/sandbox", "/bg", "!ls"} {
		s.line.Set(line)
		if s.runs(s.enter()); !strings.Contains(s.hint, "server") || s.turn != nil || s.screen != nil {
			t.Errorf("%s: %q", line, s.hint)
		}
		if strings.HasPrefix(line, "!") && s.line.Text() != line {
			t.Errorf("%s became %q in the line", line, s.line.Text())
		}
		s.hint = ""
	}
	asked := make(chan string, 10)
	s.o.Catalogue, s.o.Place = askedCatalogue{asked}, rulesPlace{s.o.Place, asked}
	for line, want := range map[string]string{
		"/agents": "agents list", "/mcp get a": "mcp get  a", "/permissions": "rules list", "/config": "settings list", "/tools": "tools list",
		"/permissions allow bash(a  b:*)": "rules allow [bash(a  b:*)] everywhere: false", "/permissions deny --everywhere bash(x)": "rules deny [bash(x)] everywhere: true", "/permissions deny bash(y) --everywhere": "rules deny [bash(y)] everywhere: true",
		"/permissions explain ls -l": "rules explain supervised ls -l", "/permissions remove bash(ls:*)": "rules remove  bash(ls:*)",
	} {
		s.line.Set(line)
		s.runs(s.enter())
		if got := <-asked; got != want {
			t.Errorf("%s asks for %q", line, got)
		}
		if strings.HasSuffix(want, "everywhere: true") || strings.HasSuffix(want, "everywhere: false") {
			if got := <-asked; got != "rules check" {
				t.Errorf("%s asks then for %q", line, got)
			}
		}
		if picks := line == "/agents" || line == "/permissions"; picks != (s.screen != nil) {
			t.Errorf("%s: the full screen is %v", line, s.screen)
		}
		s.screen = nil
	}
	if got := s.printed(); !strings.Contains(got, "Run a command") || strings.Contains(got, " -- ") {
		t.Error(got)
	}
	f.allowed = []string{"bash(curl:*)"}
	s.line.Set("/permissions")
	s.runs(s.enter())
	if <-asked; !strings.Contains(s.shownScreen(), "allow bash(curl:*)  ") {
		t.Error(s.shownScreen())
	}
	s.screen = nil
	s.line.Set("/permissions explain ls")
	if s.runs(s.enter()); <-asked != "rules explain supervised ls bash(curl:*)" {
		t.Error("what was allowed for the session does not count")
	}
	s.line.Set("/permissions remove bash(curl:*)")
	if s.runs(s.enter()); len(f.allowed) > 0 || len(asked) > 0 {
		t.Errorf("allowed: %q", f.allowed)
	}
	s.line.Set("/mcp add --header x a b")
	if s.runs(s.enter()); len(asked) > 0 || !strings.Contains(s.printed(), "not over a server") {
		t.Error(s.printed())
	}
	s.line.Set("# remember --this")
	s.runs(s.enter())
	s.runs(s.key(keyPress("enter")))
	if got := <-asked; got != "memory add  remember --this" {
		t.Errorf("%q", got)
	}
	s.runs(readCommands(s.session))
	s.until("the commands", func() bool { return len(s.line.custom) == 1 })
	f.turns <- turnOf(f.ID(), "Hello!", "Hello.")
	s.line.Set("/greet Mei")
	s.runs(s.enter())
	s.until("the end", func() bool { return s.turn == nil && strings.Contains(s.printed(), "Hello.") })
	s.line.Set("/gret")
	if s.runs(s.enter()); len(f.sent) != 1 || f.sent[0] != "line /greet Mei" || s.turn != nil {
		t.Errorf("%q, %q", f.sent, s.hint)
	}
}

// Who leaves lets the turn of a server continue.
func TestLeavingATurnOfAServer(t *testing.T) {
	s, f := newFarStage(t)
	s.line.Set("go")
	s.runs(s.enter())
	over := s.turn.over
	s.turn.leave(s.requests)
	<-over
	if len(f.calls) != 1 || f.calls[0] != "ended: "+session.ErrLeaves.Error() {
		t.Errorf("%q", f.calls)
	}
}
