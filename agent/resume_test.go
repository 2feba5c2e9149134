package agent

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/model"
)

// TestGuardsRememberAfterAResume looks what an observer sees of a session and its sub-agent, live and when it is loaded.
func TestGuardsRememberAfterAResume(t *testing.T) {
	answers := guard.ApproverFunc(func(_ context.Context, c guard.Case, _ guard.Verdict) (guard.Answer, error) {
		if c.SubAgent != "" {
			return guard.Answer{By: guard.ByPerson(""), Words: "not that"}, nil
		}
		return guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, nil
	})
	st := newStore(t)
	build := func(turns ...turn) (*fixture, *witness) {
		p, c := family(t, turns, []turn{calls("ask:h1"), says("could not")})
		seen := &witness{}
		for _, f := range []*fixture{p, c} {
			f.Calls.Observer, f.Calls.Approver = seen, answers
		}
		return p, seen
	}
	p, live := build(calls("ask:1"), task("2"), says("ready"))
	o := st.options("s")
	if _, last, err := drain(t, p.Start(o).Send(t.Context(), model.Text("go"))); err != nil || last.Stop != event.Done {
		t.Fatalf("got %+v, %v", last, err)
	}
	o.Journal.(*journal.File).Close()
	if want := []string{"granted s 1 ask user ", "refused s h1 ask user not that"}; !slices.Equal(live.answers, want) {
		t.Errorf("live: %v", live.answers)
	}
	p, later := build()
	if _, err := p.Load(st.options("s"), st.read("s")); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(later.answers, live.answers) || !slices.Equal(later.prompted, live.prompted) || later.ran["s"] != live.ran["s"] || later.ran["s"] != 2 {
		t.Errorf("live %v, loaded %v", live, later)
	}
}

// damage makes the first line of that kind unreadable.
func damage(t *testing.T, st *store, id string, kind event.Kind) {
	t.Helper()
	name := filepath.Join(st.root, id, journal.FileName)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, `{"kind":"`+string(kind)+`"`) {
			lines[i] = l[:len(l)/2] + "\n"
			break
		}
	}
	if err := os.WriteFile(name, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestADamagedLineNeverRunsACallTwice damages one line of a session that was killed while its call ran.
func TestADamagedLineNeverRunsACallTwice(t *testing.T) {
	for _, kind := range []event.Kind{event.Started, event.Prompted, event.Responded, event.Called, event.Granted} {
		t.Run(string(kind), func(t *testing.T) {
			st := newStore(t)
			f := newFixture(t, calls("do:1"), says("ready"))
			o := st.options("s")
			file := o.Journal.(*journal.File)
			o.Journal = &cut{Journal: file, after: event.Granted}
			drain(t, f.Start(o).Send(t.Context(), model.Text("go")))
			file.Close()
			damage(t, st, "s", kind)

			f = newFixture(t, says("ready"), says("ready"))
			s, err := f.Load(st.options("s"), st.read("s"))
			if err != nil {
				t.Fatal(err)
			}
			events := s.Send(t.Context(), model.Text("go on"))
			if s.Waiting() {
				events = s.Resume(t.Context())
			}
			reported := false
			for e, err := range events {
				if err != nil {
					t.Error(err)
				}
				reported = reported || e.Kind == event.Notice && strings.Contains(e.Text, "damaged")
			}
			if !reported || f.ran.Load() != 0 {
				t.Errorf("reported %v, ran %d times", reported, f.ran.Load())
			}
			if err := model.Check(f.model.asked[0].Messages); err != nil {
				t.Errorf("the history is broken: %v", err)
			}
		})
	}
}

// TestALoadedSessionGoesOnWithItsCounts loads a session that has used its turns and its tokens.
func TestALoadedSessionGoesOnWithItsCounts(t *testing.T) {
	for name, set := range map[string]func(*Agent){
		"turns":  func(a *Agent) { a.MaxTurns = 2 },
		"budget": func(a *Agent) { a.Budget = 30 },
	} {
		t.Run(name, func(t *testing.T) {
			st := newStore(t)
			f := newFixture(t, calls("do:1"), calls("ask:2"), says("never"))
			later(f)
			o := st.options("s")
			drain(t, f.Start(o).Send(t.Context(), model.Text("go")))
			o.Journal.(*journal.File).Close()
			f = newFixture(t, says("a new message"))
			approving(f)
			set(&f.Agent)
			s, err := f.Load(st.options("s"), st.read("s"))
			if err != nil {
				t.Fatal(err)
			}
			if _, last, err := drain(t, s.Resume(t.Context())); err != nil || last.Stop != event.MaxTurns && last.Stop != event.Budget || len(f.model.asked) != 0 {
				t.Errorf("got %+v, %v", last, err)
			}
			if _, last, err := drain(t, s.Send(t.Context(), model.Text("and now?"))); err != nil || last.Stop != event.Done {
				t.Errorf("the next message: %+v, %v", last, err)
			}
		})
	}
}

// TestWhatTheProgramSaysIsNoMessageOfTheUser has a model whose call cannot be read.
func TestWhatTheProgramSaysIsNoMessageOfTheUser(t *testing.T) {
	st := newStore(t)
	f := newFixture(t, answer(model.StopMalformed), says("ready"))
	seen := &witness{}
	f.Calls.Observer = seen
	drain(t, f.Start(st.options("s")).Send(t.Context(), model.Text("go")))
	f = newFixture(t)
	f.Calls.Observer = seen
	s, err := f.Load(SessionOptions{}, st.read("s"))
	if err != nil || len(seen.prompted) != 2 {
		t.Errorf("prompted %v, %v", seen.prompted, err)
	}
	if s.ID() != "s" || len(s.Messages()) != 4 {
		t.Errorf("%s has %d messages", s.ID(), len(s.Messages()))
	}
}

// TestCutOffWhileTheModelWasAsked kills a session whose last message has no answer. It continues without another message, and a
// session that has stopped does not.
func TestCutOffWhileTheModelWasAsked(t *testing.T) {
	for _, row := range []struct {
		after  event.Kind // the journal ends after this event
		cutOff bool
	}{{event.Prompted, true}, {event.Requested, true}, {event.Replied, true}, {event.Stopped, false}} {
		t.Run(string(row.after), func(t *testing.T) {
			st := newStore(t)
			first := newFixture(t, calls("do:1"), says("ready"))
			o := st.options("s")
			j := o.Journal
			o.Journal = &cut{Journal: j, after: row.after}
			drain(t, first.Start(o).Send(t.Context(), model.Text("go")))
			j.(*journal.File).Close()

			second := newFixture(t, says("ready"))
			s, err := second.Load(st.options("s"), st.read("s"))
			if err != nil {
				t.Fatal(err)
			}
			if s.CutOff() != row.cutOff || s.Waiting() {
				t.Fatalf("cut off %v, waiting %v", s.CutOff(), s.Waiting())
			}
			_, last, err := drain(t, s.Resume(t.Context()))
			if row.cutOff != (err == nil && last.Stop == event.Done && last.Text == "ready" && len(second.model.asked) == 1) {
				t.Errorf("%+v, %v, %d requests", last, err, len(second.model.asked))
			}
			if s.CutOff() {
				t.Error("it is still cut off")
			}
		})
	}
}

// TestLoadOfNoEvents is an error that a caller can tell from others, with an id and without.
func TestLoadOfNoEvents(t *testing.T) {
	for _, id := range []string{"", "s"} {
		none := func(func(event.Event, error) bool) {}
		if s, err := newFixture(t).Load(SessionOptions{ID: id}, none); !errors.Is(err, ErrNoEvents) || s != nil {
			t.Errorf("%q: %v, %v", id, s, err)
		}
	}
}
