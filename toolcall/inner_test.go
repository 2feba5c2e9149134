package toolcall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/tool"
)

// nesting is a tool that sends the calls of a list, all at once, and prints the kinds and texts of their results.
func nesting(calls ...tool.Call) *tool.Tool {
	t := tool.New("outer", "for tests", 0, func(ctx context.Context, _ struct{}, r *tool.Reply) error {
		results, err := r.Run(ctx, slices.Clone(calls))
		for _, x := range results {
			fmt.Fprintf(r, "%s %s %q;", x.ID, x.Kind, x.Text)
		}
		return err
	})
	t.Intent = func(json.RawMessage) (tool.Intent, error) { return tool.Intent{}, nil }
	t.Nests = true
	return t
}

// A call that a tool makes has no more rights than one of the model: each row is a limit of the session.
func TestInnerCallsHaveTheRightsOfTheSession(t *testing.T) {
	write := call("", "write", "a")
	rows := []struct {
		rule string
		call tool.Call
		set  func(*Runner, *Scope)
		want string
		ran  bool
	}{
		{"an allowed call runs", write, func(*Runner, *Scope) {}, `o-1  "done"`, true},
		{"a denial holds", write, func(r *Runner, _ *Scope) { r.Guard = only("write", guard.Deny) }, "o-1 denied", false},
		{"read-only mode holds", write, func(r *Runner, _ *Scope) { r.Mode = guard.ReadOnly }, "o-1 denied", false},
		{"a mode that the user has changed meanwhile holds", write, func(r *Runner, _ *Scope) {
			n := 0
			r.Now = func() (guard.Mode, string) { n++; return map[bool]guard.Mode{true: guard.Full}[n == 1], "" }
		}, "o-1 denied", false},
		{"what needs an approval does not run without one", write, func(r *Runner, _ *Scope) { r.Guard = only("write", guard.Ask) }, "o-1 unapproved", false},
		{"a person may deny it", write, func(r *Runner, _ *Scope) {
			r.Guard, r.Approver = only("write", guard.Ask), guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
				return guard.Answer{By: guard.ByPerson(""), Words: "not that"}, nil
			})
		}, "not that", false},
		{"a budget of calls holds", write, func(_ *Runner, s *Scope) {
			s.Take = func(_ context.Context, n int) error { return fmt.Errorf("no room for %d calls", n) }
		}, "no room for 1 calls", false},
		{"arguments are checked", tool.Call{Name: "write", Args: json.RawMessage(`{"file":1}`)}, func(*Runner, *Scope) {}, "bad_arguments", false},
		{"a tool that nests is unknown to another one", tool.Call{Name: "outer", Args: json.RawMessage(`{}`)}, func(*Runner, *Scope) {}, "unknown_tool", false},
		{"a journal that fails stops all", write, func(_ *Runner, s *Scope) { s.Journal = &failing{within: "o"} }, "recorded", false},
		{"a file that cannot be kept is not changed", write, func(r *Runner, _ *Scope) {
			r.Snapshot = func(_ context.Context, g Granted) (func(*tool.Reply), error) {
				if g.Call().Name == "write" {
					return nil, errors.New("no room to keep it")
				}
				return nil, nil
			}
		}, "no room to keep it", false},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			ran := false
			spy := named("write", tool.Writes, writes, func(_ context.Context, _ pathArgs, r *tool.Reply) error {
				ran = true
				_, err := r.WriteString("done")
				return err
			})
			r := Runner{Mode: guard.Full, Tools: set(t, spy, nesting(row.call)), Guard: allowAll}
			s := Scope{ID: "s", Journal: &memory{}}
			row.set(&r, &s)
			results, _ := r.Run(t.Context(), s, []tool.Call{{ID: "o", Name: "outer", Args: json.RawMessage(`{}`)}})
			if !strings.Contains(results[0].Text, row.want) || ran != row.ran {
				t.Errorf("ran: %v, %+v", ran, results[0])
			}
		})
	}
}

// only decides about one tool and allows all others.
func only(name string, d guard.Decision) guard.Guard {
	return guard.Func(func(_ context.Context, c guard.Case) guard.Verdict {
		if c.Call.Name == name {
			return guard.Verdict{Decision: d, Reason: "it is a test"}
		}
		return guard.Verdict{}
	})
}

// failing is a journal that fails at the calls of a tool.
type failing struct{ within string }

func (f *failing) Append(events ...event.Event) error {
	for _, e := range events {
		if e.Within == f.within {
			return errDisk
		}
	}
	return nil
}

func TestInnerCallsAreRecordedWithinTheOuterOne(t *testing.T) {
	look := named("look", tool.Reads, reads, says("text"))
	r := Runner{Mode: guard.Full, Tools: set(t, look, nesting(call("", "look", "a"), call("", "look", "b"))), Guard: allowAll}
	j := &memory{}
	watched := map[string]bool{}
	s := Scope{ID: "s", Journal: j, Watch: func(e event.Event) { watched[e.Within+" "+string(e.Kind)] = true }}
	if _, err := r.Run(t.Context(), s, []tool.Call{{ID: "o", Name: "outer", Args: json.RawMessage(`{}`)}}); err != nil {
		t.Fatal(err)
	}
	if want := "called o;granted o;called o-1;called o-2;granted o-1;granted o-2;replied o-1;replied o-2;replied o;"; sorted(j.story()) != sorted(want) {
		t.Errorf("got %s", j.story())
	}
	for _, e := range j.events {
		if inner := strings.Contains(e.Call.ID, "-"); inner != (e.Within == "o") || e.Session != "s" {
			t.Errorf("%s %s: within %q, session %q", e.Kind, e.Call.ID, e.Within, e.Session)
		}
	}
	if !watched["o replied"] || !watched["o output"] || !watched[" replied"] {
		t.Errorf("watched: %v", watched)
	}
}

func sorted(story string) string {
	parts := strings.Split(story, ";")
	slices.Sort(parts)
	return strings.Join(parts, ";")
}

// A call that nests and the others of its turn run one after the other, as the model wrote them.
func TestAToolThatNestsKeepsItsPlace(t *testing.T) {
	var order []string
	note := func(name string) *tool.Tool {
		return named(name, tool.Reads|tool.Writes, writes, func(context.Context, pathArgs, *tool.Reply) error { order = append(order, name); return nil })
	}
	r := Runner{Mode: guard.Full, Tools: set(t, note("first"), note("inside"), note("last"), nesting(call("", "inside", "b"))), Guard: allowAll}
	if _, err := r.Run(t.Context(), Scope{}, []tool.Call{call("1", "first", "a"), {ID: "2", Name: "outer", Args: json.RawMessage(`{}`)}, call("3", "last", "c")}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"first", "inside", "last"}; !slices.Equal(order, want) {
		t.Errorf("got %v", order)
	}
}

// What waits for an approval makes the outer call wait. When the session continues, nothing runs twice.
func TestInnerCallsWaitAndGoOn(t *testing.T) {
	var ran []string
	note := func(name string) *tool.Tool {
		return named(name, tool.Writes, writes, func(_ context.Context, _ pathArgs, r *tool.Reply) error {
			ran = append(ran, name)
			_, err := r.WriteString("done")
			return err
		})
	}
	outer := nesting()
	outer.Run = func(ctx context.Context, _ json.RawMessage, r *tool.Reply) error {
		for _, name := range []string{"do", "ask"} {
			results, err := r.Run(ctx, []tool.Call{call("", name, "a")})
			if err != nil {
				return err
			}
			fmt.Fprintf(r, "%s: %s;", name, results[0].Text)
		}
		return nil
	}
	hash := ""
	r := Runner{Mode: guard.Full, Tools: set(t, note("do"), note("ask"), outer), Guard: only("ask", guard.Ask),
		Approver: guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
			return guard.Answer{Choice: guard.Later}, nil
		})}
	j := &memory{}
	s := Scope{ID: "s", Journal: j}
	calls := []tool.Call{{ID: "o", Name: "outer", Args: json.RawMessage(`{}`)}}
	results, err := r.Run(t.Context(), s, calls)
	if _, pending := errors.AsType[*Pending](err); !pending || results[0].Kind != tool.Waiting {
		t.Fatalf("got %+v, %v", results[0], err)
	}
	s.Earlier = map[string]Earlier{}
	for _, e := range j.events {
		switch {
		case e.Kind == event.Replied && e.Within == "o":
			s.Earlier[e.Call.ID] = Earlier{Result: e.Result}
		case e.Kind == event.ApprovalRequested:
			hash = e.Grant.Hash
			s.Earlier[e.Call.ID] = Earlier{Hash: hash, Answer: &guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}}
		}
	}
	results, err = r.Run(t.Context(), s, calls)
	if err != nil || results[0].Text != "do: done;ask: done;" || !slices.Equal(ran, []string{"do", "ask"}) {
		t.Errorf("ran %v: %+v, %v", ran, results[0], err)
	}
	s.Earlier = map[string]Earlier{"o-1": {Result: &tool.Result{Name: "other"}}}
	if results, _ = r.Run(t.Context(), s, calls); !strings.Contains(results[0].Text, "was other before the session was interrupted and is do now") {
		t.Errorf("got %+v", results[0])
	}
}

// Only a tool that says so can make calls.
func TestOtherToolsCannotMakeCalls(t *testing.T) {
	outer := nesting(call("", "look", "a"))
	outer.Nests = false
	r := Runner{Mode: guard.Full, Tools: set(t, named("look", tool.Reads, reads, says("text")), outer), Guard: allowAll}
	results, err := r.Run(t.Context(), Scope{}, []tool.Call{{ID: "o", Name: "outer", Args: json.RawMessage(`{}`)}})
	if err != nil || results[0].Kind != tool.Unsupported {
		t.Errorf("got %+v, %v", results[0], err)
	}
}
