package agent

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/model"
	"rein/schema"
)

// recorded is what is recorded of a session, but for times and what a turn that waits repeats.
func recorded(t *testing.T, st *store, id string) (lines []string) {
	t.Helper()
	for e, err := range st.read(id) {
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("%d %s %s %s", e.Turn, e.Kind, e.Stop, e.Text)
		if e.Call != nil {
			line += " " + e.Call.ID
		}
		if e.Result != nil {
			line += " " + e.Result.Text
		}
		if e.Usage != nil {
			line += fmt.Sprint(" ", e.Usage.Input)
		}
		lines = append(lines, line)
	}
	return lines
}

// steps runs a session step by step, each in a process of its own that loads it, until its turn is over or waits.
func steps(t *testing.T, f *fixture, st *store, carried Carried, messages ...Queued) (parts []Part, last event.Event, left Carried) {
	t.Helper()
	for part := Works; part != ""; {
		o := st.options("s")
		s := f.Start(o)
		if len(st.kinds("s")) > 0 {
			var err error
			if s, err = f.Load(o, st.read("s")); err != nil {
				t.Fatal(err)
			}
		}
		stored, err := json.Marshal(carried)
		if err != nil {
			t.Fatal(err)
		}
		carried = Carried{}
		if err := json.Unmarshal(stored, &carried); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"1", "2"} { // nothing is asked of those that wait for nothing
			_ = s.Answer(id, guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")})
		}
		_, last, err = drain(t, s.Step(t.Context(), Stepping{Part: part, Messages: messages, Carried: carried}))
		if err != nil {
			t.Fatal(err)
		}
		messages, parts = s.Queue().List(), append(parts, part)
		part, carried = s.Due()
		o.Journal.(io.Closer).Close()
		if last.Kind == event.Stopped {
			break
		}
	}
	return parts, last, carried
}

func queued(texts ...string) (all []Queued) {
	for i, text := range texts {
		all = append(all, Queued{ID: i + 1, Parts: []model.Part{model.Text(text)}})
	}
	return all
}

// A session whose parts run in other processes has the same journal as one that runs in one process.
func TestStepsAreTheSameLoop(t *testing.T) {
	number, err := schema.Parse(json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`))
	if err != nil {
		t.Fatal(err)
	}
	rows := []struct {
		rule   string
		turns  []turn
		change func(*fixture)
		parts  []Part
		stop   event.Stop
	}{
		{"an answer", []turn{says("hello")}, nil, []Part{Works, Asks, Works}, event.Done},
		{"calls", []turn{calls("do:1", "look:2"), calls("do:3"), says("ready")}, nil, []Part{Works, Asks, Works, Asks, Works, Asks, Works}, event.Done},
		{"a pause of the provider", []turn{answer(model.StopPause, model.Text("…")), says("ready")}, nil, []Part{Works, Asks, Works}, event.Done},
		{"an answer that does not fit is asked for once more", []turn{says("three"), says(`{"n":3}`)}, func(f *fixture) { f.Output = number },
			[]Part{Works, Asks, Works, Asks, Works}, event.Done},
		{"the limit of requests", []turn{calls("do:1"), calls("do:2")}, func(f *fixture) { f.MaxTurns = 2 }, []Part{Works, Asks, Works, Asks, Works, Asks}, event.MaxTurns},
		{"the limit of calls", []turn{calls("do:1", "do:2"), says("that is all")}, func(f *fixture) { f.Limits.Message = Amount{Calls: 2} },
			[]Part{Works, Asks, Works, Asks}, event.Budget},
		{"a plan first", []turn{says("I will do it."), calls("do:1"), says("ready")}, func(f *fixture) { f.ThinkFirst = true }, []Part{Works, Asks, Works, Asks, Works}, event.Done},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			here, there := newStore(t), newStore(t)
			f, g := newFixture(t, row.turns...), newFixture(t, row.turns...)
			if row.change != nil {
				row.change(f)
				row.change(g)
			}
			drain(t, f.Start(here.options("s")).Send(t.Context(), model.Text("go")))
			parts, last, _ := steps(t, g, there, Carried{}, queued("go")...)
			if !slices.Equal(parts, row.parts) || last.Stop != row.stop {
				t.Errorf("the parts are %v, and it stopped with %v", parts, last.Stop)
			}
			want, got := recorded(t, here, "s"), recorded(t, there, "s")
			if !slices.Equal(want, got) {
				t.Errorf("in one process:\n%q\nin several:\n%q", want, got)
			}
		})
	}
}

// Two misfits in a row end a turn, whichever processes see them.
func TestWhatATurnRemembersIsCarried(t *testing.T) {
	number, err := schema.Parse(json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`))
	if err != nil {
		t.Fatal(err)
	}
	st := newStore(t)
	f := newFixture(t, says("three"))
	f.Output = number
	o := st.options("s")
	s := f.Start(o)
	drain(t, s.Step(t.Context(), Stepping{Part: Works, Messages: queued("go")}))
	drain(t, s.Step(t.Context(), Stepping{Part: Asks}))
	drain(t, s.Step(t.Context(), Stepping{Part: Works}))
	if part, carried := s.Due(); part != Asks || !carried.Turn.Misfit {
		t.Errorf("due: %v, %+v", part, carried)
	}
}

// A call that waits ends the turn; its answer continues it, and the messages that came meanwhile follow.
func TestAStepWaitsForAnApproval(t *testing.T) {
	st := newStore(t)
	f := newFixture(t, calls("ask:1"), says("ready"), says("and this"))
	later(f)
	parts, last, carried := steps(t, f, st, Carried{}, queued("go")...)
	if last.Stop != event.Waiting || !slices.Equal(parts, []Part{Works, Asks, Works}) || carried.Message.Calls != 1 {
		t.Fatalf("%v %+v %+v", parts, last, carried)
	}
	parts, last, _ = steps(t, f, st, carried, queued("one more")...)
	if last.Stop != event.Done || last.Text != "and this" || f.ran.Load() != 1 || !slices.Equal(parts, []Part{Works, Asks, Works, Asks, Works}) {
		t.Errorf("%v %+v, ran %d times", parts, last, f.ran.Load())
	}
}
