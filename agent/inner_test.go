package agent

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/model"
	"rein/tool"
)

// nest adds a tool that calls do, then ask, to a fixture.
func nest(t *testing.T, f *fixture) {
	t.Helper()
	outer := instrument("outer", func(ctx context.Context, r *tool.Reply) error {
		for _, name := range []string{"do", "ask"} {
			results, err := r.Run(ctx, []tool.Call{{Name: name, Args: []byte("{}")}})
			if err != nil {
				return err
			}
			fmt.Fprintf(r, "%s: %s;", name, results[0].Text)
		}
		return nil
	})
	outer.Effect, outer.Nests = 0, true
	tools, err := tool.NewSet(append([]*tool.Tool{outer}, f.Calls.Tools.All()...)...)
	if err != nil {
		t.Fatal(err)
	}
	f.Calls.Tools = tools
}

// A tool whose call waits for an approval suspends the session; the session continues in this process and in another one, and
// nothing that was done runs again.
func TestATooLThatNestsIsSuspendedAndResumed(t *testing.T) {
	for _, restart := range []bool{false, true} {
		t.Run(fmt.Sprintf("restart %v", restart), func(t *testing.T) {
			st := newStore(t)
			f := newFixture(t, calls("outer:1"), says("ready"))
			nest(t, f)
			later(f)
			o := st.options("s")
			s := f.Start(o)
			if _, last, err := drain(t, s.Send(t.Context(), model.Text("go"))); err != nil || last.Stop != event.Waiting || f.ran.Load() != 1 {
				t.Fatalf("got %+v, %v after %d runs", last, err, f.ran.Load())
			}
			g := f
			if restart {
				o.Journal.(*journal.File).Close()
				g = newFixture(t, says("ready"))
				nest(t, g)
				later(g)
				loaded, err := g.Load(st.options("s"), st.read("s"))
				if err != nil {
					t.Fatal(err)
				}
				s = loaded
			}
			pending := s.Pending()
			if len(pending) != 1 || pending[0].ID != "1-2" {
				t.Fatalf("pending: %+v", pending)
			}
			if err := s.Answer("1-2", guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}); err != nil {
				t.Fatal(err)
			}
			_, last, err := drain(t, s.Resume(t.Context()))
			if err != nil || last.Stop != event.Done {
				t.Fatalf("got %+v, %v", last, err)
			}
			if runs := f.ran.Load(); !restart && runs != 2 || restart && (runs != 1 || g.ran.Load() != 1) {
				t.Errorf("%d runs, then %d", runs, g.ran.Load())
			}
			messages := s.Messages()
			if text := messages[len(messages)-2].Parts[0].Text; !strings.Contains(text, "do: did it;ask: did it;") {
				t.Errorf("got %q", text)
			}
		})
	}
}

// A call of a tool that was at work when the program ended is not repeated: its outcome is unknown.
func TestALostCallOfAToolIsNotRepeated(t *testing.T) {
	st := newStore(t)
	f := newFixture(t, calls("outer:1"), says("ready"))
	nest(t, f)
	o := st.options("s")
	if _, last, err := drain(t, f.Start(o).Send(t.Context(), model.Text("go"))); err != nil || last.Kind != event.Stopped {
		t.Fatalf("got %+v, %v", last, err)
	}
	o.Journal.(*journal.File).Close()
	g := newFixture(t, says("ready"))
	nest(t, g)
	untilLost := func(yield func(event.Event, error) bool) {
		for e, err := range st.read("s") {
			if e.Kind == event.Replied && e.Within != "" || !yield(e, err) {
				return
			}
		}
	}
	s, err := g.Load(newStore(t).options("s"), untilLost)
	if err != nil {
		t.Fatal(err)
	}
	if _, last, err := drain(t, s.Resume(t.Context())); err != nil || last.Kind != event.Stopped || g.ran.Load() != 0 {
		t.Errorf("got %+v, %v after %d runs", last, err, g.ran.Load())
	}
	messages := s.Messages()
	if text := messages[len(messages)-2].Parts[0].Text; !strings.Contains(text, "do: The program ended while this call was running") {
		t.Errorf("got %q", text)
	}
}

// The calls of a tool count in the budget of the message.
func TestCallsOfAToolCount(t *testing.T) {
	f := newFixture(t, calls("outer:1"), says("ready"))
	nest(t, f)
	approving(f)
	f.Limits.Message = Amount{Calls: 2}
	s := f.start()
	_, _, _ = drain(t, s.Send(t.Context(), model.Text("go")))
	if f.ran.Load() != 1 {
		t.Errorf("%d runs, want 1 besides the outer call", f.ran.Load())
	}
}
