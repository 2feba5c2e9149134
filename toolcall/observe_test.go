package toolcall

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/guard/effect"
	"rein/kit/guards"
	"rein/tool"
)

// observer writes down what it sees.
type observer struct {
	mu   sync.Mutex
	seen []string
	note string
}

func (o *observer) add(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen = append(o.seen, fmt.Sprintf(format, args...))
}

func (o *observer) Prompted(session string) { o.add("prompted %s", session) }
func (o *observer) Granted(c guard.Case, a guard.Answer) {
	o.add("granted %s %s %s in %s, writes %v", c.Call.ID, c.Call.Name, a.By, c.Session, c.Intent.Writes)
}
func (o *observer) Refused(c guard.Case, a guard.Answer) {
	o.add("refused %s %s %s %q in %s, effect %v", c.Call.ID, c.Call.Name, a.By, a.Words, c.Session, c.Effect)
}
func (o *observer) Ran(c guard.Case, r tool.Result) string {
	o.add("ran %s %s in turn %d: %s", c.Call.ID, c.Call.Name, c.Turn, r.Text)
	return o.note
}

// TestAnObserverSeesTheSameLiveAndReplayed runs calls, and replays their journal.
func TestAnObserverSeesTheSameLiveAndReplayed(t *testing.T) {
	asked := guard.Func(func(_ context.Context, c guard.Case) guard.Verdict {
		return map[string]guard.Verdict{"2": {Decision: guard.Ask}, "3": {Decision: guard.Ask}, "4": {Decision: guard.Deny}, "5": {Decision: guard.Ask}, "6": {Decision: guard.Ask}}[c.Call.ID]
	})
	answers := guard.ApproverFunc(func(_ context.Context, c guard.Case, _ guard.Verdict) (guard.Answer, error) {
		switch c.Call.ID {
		case "2":
			return guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, nil
		case "3":
			return guard.Answer{By: guard.ByPerson(""), Words: "no: never"}, nil
		case "5":
			return guard.Nobody{}.Approve(context.Background(), c, guard.Verdict{})
		}
		return guard.Answer{Choice: guard.Later}, nil
	})
	j := &memory{}
	live := &observer{note: "seen"}
	lines := named("x", tool.Writes, writes, says("out\n"))
	r := &Runner{Mode: guard.Full, Tools: set(t, lines), Guard: asked, Approver: answers, Observer: live}
	s := Scope{ID: "s", Journal: j}
	for i := range 6 { // one after the other: the order is seen
		s.Turn = i + 1
		r.Run(t.Context(), s, []tool.Call{call(fmt.Sprint(i+1), "x", "a")})
	}
	r.Run(t.Context(), s, []tool.Call{call("7", "nope", "a")})
	want := []string{
		"ran 1 x in turn 1: out\n",
		"granted 2 x user in s, writes [a]",
		"ran 2 x in turn 2: out\n",
		`refused 3 x user "no: never" in s, effect writes`,
	}
	if !slices.Equal(live.seen, want) {
		t.Errorf("live it saw\n%s", strings.Join(live.seen, "\n"))
	}
	if text := j.events[2].Result.Text; text != "out\n\n[note: seen]" {
		t.Errorf("the model got %q", text)
	}
	later := &observer{}
	r.Observer = later
	replay := r.Replay(Scope{ID: "s"})
	replay.See(event.Event{Kind: event.Prompted, Session: "s"})
	for _, e := range j.events {
		replay.See(e)
	}
	if want := append([]string{"prompted s"}, want...); !slices.Equal(later.seen, want) {
		t.Errorf("replayed it saw\n%s", strings.Join(later.seen, "\n"))
	}
}

// TestTheLoopGuardAsksForAnEmbedder has a runner with a guard that remembers, and nothing that feeds it.
func TestTheLoopGuardAsksForAnEmbedder(t *testing.T) {
	for name, g := range map[string]guard.Guard{
		"the guard itself":     &guards.Loops{},
		"among others, in All": guard.All{Guards: []guard.Guard{allowAll, &guards.Loops{}}},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			r := Runner{Mode: guard.Full, Tools: set(t, named("x", tool.Reads, reads, says("same"))), Guard: g,
				Approver: guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
					asked++
					return guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, nil
				})}
			noted := false
			for i := range 6 {
				results, err := r.Run(t.Context(), Scope{ID: "s"}, []tool.Call{call(fmt.Sprint(i), "x", "a")})
				if err != nil {
					t.Fatal(err)
				}
				noted = noted || strings.Contains(results[0].Text, "[note: ")
			}
			if asked == 0 || !noted {
				t.Errorf("asked %d times, noted %v", asked, noted)
			}
			if _, err := r.Run(t.Context(), Scope{ID: "other"}, []tool.Call{call("1", "x", "a")}); err != nil || asked > 2 {
				t.Errorf("the guard remembers across sessions: asked %d times, %v", asked, err)
			}
		})
	}
}

// panicking is a guard that allows everything and fails when it should remember what happened.
type panicking struct {
	guard.Guard
	at string
}

func (p *panicking) Prompted(string) {
	if p.at == "prompted" {
		panic("x")
	}
}

func (p *panicking) Ran(guard.Case, tool.Result) string {
	if p.at == "ran" {
		panic("x")
	}
	return ""
}

func (p *panicking) Granted(guard.Case, guard.Answer) {
	if p.at == "granted" {
		panic("x")
	}
}

func (p *panicking) Refused(guard.Case, guard.Answer) {
	if p.at == "refused" {
		panic("x")
	}
}

// TestAPanickingObserverLoosensNothing: a call whose grant a guard could not see does not run, the model does not get a result that a
// guard could not see, and a session is not resumed when a guard cannot remember it. The other observers see everything.
func TestAPanickingObserverLoosensNothing(t *testing.T) {
	secret := event.Event{Kind: event.Replied, Session: "s", Call: &tool.Call{ID: "1", Name: "x"}, Result: &tool.Result{ID: "1", Text: "secret"}}
	for at, row := range map[string]struct {
		answer guard.Choice
		ran    bool
		text   string
		others string
	}{
		"granted": {guard.Approved, false, "A check failed with an internal error.", "granted 1 x user"},
		"ran":     {guard.Approved, true, "The call ran. Its result is withheld, because a check of the result failed with an internal error. Do not repeat the call.", "granted 1 x user"},
		"refused": {guard.Denied, false, "The user denied this call.\nDo not try the same in another way. Ask what they want instead.", "refused 1 x user"},
	} {
		t.Run(at, func(t *testing.T) {
			ran, other := false, &observer{}
			run := func(_ context.Context, _ pathArgs, r *tool.Reply) error {
				ran = true
				r.WriteString("secret")
				return nil
			}
			others := struct {
				guard.Guard
				*observer
			}{allowAll, other}
			g := guard.All{Guards: []guard.Guard{&panicking{Guard: always(guard.Ask), at: at}, others}}
			r := Runner{Mode: guard.Full, Tools: set(t, named("x", tool.Writes, writes, run)), Guard: g,
				Approver: &answering{answers: []guard.Answer{{Choice: row.answer, By: guard.ByPerson("")}}}}
			results, err := r.Run(t.Context(), Scope{ID: "s"}, []tool.Call{call("1", "x", "a")})
			if err != nil || ran != row.ran || results[0].Text != row.text || !results[0].Failed {
				t.Errorf("got %+v, %v, ran %v", results[0], err, ran)
			}
			if len(other.seen) == 0 || !strings.HasPrefix(other.seen[0], row.others) {
				t.Errorf("the other observer saw %q", other.seen)
			}
			if at != "ran" {
				return
			}
			replay, failed := r.Replay(Scope{ID: "s"}), error(nil)
			for _, e := range []event.Event{{Kind: event.Called, Call: secret.Call}, {Kind: event.Granted, Call: secret.Call}, secret} {
				failed = errors.Join(failed, replay.See(e))
			}
			if failed == nil {
				t.Error("the session goes on with a guard that does not remember")
			}
		})
	}
	r := Runner{Guard: &panicking{Guard: allowAll, at: "prompted"}}
	r.Prompted("s", "") // it does not panic
}

func TestLiveOutputHasItsOffset(t *testing.T) {
	var got []event.Event
	pieces := named("x", tool.Reads, reads, func(_ context.Context, _ pathArgs, r *tool.Reply) error {
		for _, s := range []string{"one ", "zwölf ", "three"} {
			r.WriteString(s)
		}
		return nil
	})
	r := Runner{Mode: guard.Full, Tools: set(t, pieces), Guard: allowAll}
	s := Scope{ID: "s", Turn: 4, Parent: "p", ParentCall: "c", Watch: func(e event.Event) {
		if e.Kind == event.Output {
			got = append(got, e)
		}
		if e.Session != "s" || e.Turn != 4 || e.Parent != "p" || e.ParentCall != "c" {
			t.Errorf("%s has session %q, turn %d, parent %q, call %q", e.Kind, e.Session, e.Turn, e.Parent, e.ParentCall)
		}
	}}
	if _, err := r.Run(t.Context(), s, []tool.Call{call("1", "x", "a")}); err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, e := range got {
		if e.Offset != int64(len(text)) {
			t.Errorf("%q has offset %d, want %d", e.Text, e.Offset, len(text))
		}
		text += e.Text
	}
	if text != "one zwölf three" {
		t.Errorf("live: %q", text)
	}
}

// TestTheCommandIsParsedOnce looks at the report that the approver and the observer get. A sub-agent that is narrowed has the set
// among others.
func TestTheCommandIsParsedOnce(t *testing.T) {
	for name, g := range map[string]guard.Guard{
		"the set":              marking{guards.New(guards.Options{})},
		"the set among others": guard.All{Guards: []guard.Guard{allowAll, marking{guards.New(guards.Options{})}}},
	} {
		t.Run(name, func(t *testing.T) {
			var first *effect.Report
			r := Runner{Mode: guard.Supervised, Tools: set(t, named("bash", tool.Runs, commands, says("ran"))), Guard: g,
				Approver: guard.ApproverFunc(func(_ context.Context, c guard.Case, _ guard.Verdict) (guard.Answer, error) {
					first = c.Report
					return guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, nil
				})}
			r.Observer = ranWith(func(c guard.Case) {
				if first == nil || first.Fault != "marked" || c.Report.Fault != "marked" {
					t.Errorf("the approver got the report %+v, the observer %+v", first, c.Report)
				}
			})
			results, err := r.Run(t.Context(), Scope{}, []tool.Call{call("1", "bash", "curl https://example.com")})
			if err != nil || results[0].Text != "ran" {
				t.Errorf("got %+v, %v", results[0], err)
			}
		})
	}
}

// marking marks the report that it prepares.
type marking struct{ *guards.Set }

func (m marking) Prepare(c guard.Case) guard.Case {
	c = m.Set.Prepare(c)
	c.Report.Fault = "marked"
	return c
}

// ranWith is an observer of calls that ran.
type ranWith func(guard.Case)

func (ranWith) Prompted(string)                          {}
func (ranWith) Granted(guard.Case, guard.Answer)         {}
func (ranWith) Refused(guard.Case, guard.Answer)         {}
func (f ranWith) Ran(c guard.Case, _ tool.Result) string { f(c); return "" }
