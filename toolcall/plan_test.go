package toolcall

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/tool"
)

// stored is a value after a process boundary.
func stored[T any](t *testing.T, v T) (back T) {
	t.Helper()
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// TestPlanAndExecuteHaveAProcessBetweenThem plans calls with one runner and runs them with another one.
func TestPlanAndExecuteHaveAProcessBetweenThem(t *testing.T) {
	ran := 0
	runner := func(epoch string, d guard.Decision) *Runner {
		return &Runner{Mode: guard.Full, Epoch: epoch, Guard: always(d), Approver: guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
			t.Error("an approver was called")
			return guard.Answer{Choice: guard.Approved}, nil
		}), Tools: set(t, named("x", tool.Writes, writes, func(_ context.Context, in pathArgs, r *tool.Reply) error {
			ran++
			_, err := r.WriteString("wrote " + in.Path)
			return err
		}))}
	}
	approved, denied := &guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, &guard.Answer{By: guard.ByPerson(""), Words: "use make"}
	rows := []struct {
		rule    string
		planned guard.Decision
		then    guard.Decision
		answer  *guard.Answer
		change  func(*Grant, *Scope)
		epoch   string
		kind    tool.Kind // of the result
		says    string
		story   string
	}{
		{"allowed", guard.Allow, guard.Allow, nil, nil, "e", "", "wrote a", "called granted replied"},
		{"approved", guard.Ask, guard.Ask, approved, nil, "e", "", "wrote a", "called approval_requested granted replied"},
		{"denied by a person", guard.Ask, guard.Ask, denied, nil, "e", tool.Denied, "use make", "called approval_requested refused replied"},
		{"not answered", guard.Ask, guard.Ask, nil, nil, "e", tool.Waiting, "", "called approval_requested approval_requested"},
		{"the guards deny it now", guard.Ask, guard.Deny, approved, nil, "e", tool.Denied, "it is a test", "called approval_requested replied"},
		{"the rules changed", guard.Ask, guard.Ask, approved, nil, "other", tool.Waiting, "", "called approval_requested approval_void"},
		{"the rules changed, and the guards allow it", guard.Allow, guard.Allow, nil, nil, "other", tool.Waiting, "", "called approval_void"},
		{"other arguments", guard.Ask, guard.Ask, approved, func(g *Grant, _ *Scope) { g.Call.Args = json.RawMessage(`{"path":"b"}`) }, "e", tool.Waiting, "", "called approval_requested approval_void"},
		{"another session", guard.Ask, guard.Ask, approved, func(_ *Grant, s *Scope) { s.ID = "other" }, "e", tool.Waiting, "", "called approval_requested approval_void"},
		{"made up", guard.Ask, guard.Ask, nil, func(g *Grant, _ *Scope) { g.Answer = nil }, "e", tool.Waiting, "", "called approval_requested approval_requested"},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			ran = 0
			j := &memory{}
			s := Scope{ID: "s", Journal: j}
			plan, err := runner("e", row.planned).Plan(t.Context(), s, []tool.Call{{ID: "1", Name: "x", Args: json.RawMessage(`{'path': 'a',}`)}})
			if err != nil || ran != 0 || plan[0].Result != nil || plan[0].Allowed() != (row.planned == guard.Allow) {
				t.Fatalf("planned %+v, %v", plan, err)
			}
			p := stored(t, plan[0])
			g := stored(t, p.Grant(row.answer))
			if row.change != nil {
				row.change(&g, &s)
			}
			results, err := runner(row.epoch, row.then).Execute(t.Context(), s, []Grant{g})
			r := results[0]
			if r.Kind != row.kind || !strings.Contains(r.Text, row.says) || (ran == 1) != (row.kind == "") {
				t.Errorf("ran %d times: %+v", ran, r)
			}
			if _, pending := errors.AsType[*Pending](err); pending != (row.kind == tool.Waiting) {
				t.Errorf("the error is %v", err)
			}
			if row.kind == "" && len(r.Notes) == 0 {
				t.Errorf("the notes of the repair are lost: %+v", r)
			}
			if got := kinds(j.events); got != row.story {
				t.Errorf("recorded %q, want %q", got, row.story)
			}
		})
	}
}

// ruled is a guard with a list of rules.
type ruled struct{ Rules []string }

func (ruled) Judge(context.Context, guard.Case) guard.Verdict {
	return guard.Verdict{Decision: guard.Ask, Reason: "it is a test"}
}

// TestAnApprovalIsOfAModeAndOfRules: whoever writes no epoch is told all the same that an approval no longer holds.
func TestAnApprovalIsOfAModeAndOfRules(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*Runner)
		holds  bool
	}{
		"the same":          {func(r *Runner) { r.Guard = guard.All{Guards: []guard.Guard{ruled{[]string{"a"}}}} }, true},
		"another mode":      {func(r *Runner) { r.Mode = guard.Auto }, false},
		"other rules":       {func(r *Runner) { r.Guard = guard.All{Guards: []guard.Guard{ruled{[]string{"b"}}}} }, false},
		"one more guard":    {func(r *Runner) { r.Guard = guard.All{Guards: []guard.Guard{ruled{[]string{"a"}}, allowAll}} }, false},
		"it has no guard":   {func(r *Runner) { r.Guard = nil }, false},
		"a guard of a kind": {func(r *Runner) { r.Guard = guard.All{Guards: []guard.Guard{&ruled{[]string{"a"}}}} }, false},
	} {
		r := Runner{Mode: guard.Full, Tools: set(t, named("x", tool.Writes, writes, says("ran"))), Guard: guard.All{Guards: []guard.Guard{ruled{[]string{"a"}}}}}
		plan, err := r.Plan(t.Context(), Scope{ID: "s"}, []tool.Call{call("1", "x", "a")})
		if err != nil {
			t.Fatal(err)
		}
		row.change(&r)
		results, _ := r.Execute(t.Context(), Scope{ID: "s"}, []Grant{plan[0].Grant(&guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")})})
		if held := results[0].Text == "ran"; held != row.holds {
			t.Errorf("%s: %+v", name, results[0])
		}
	}
}

func kinds(events []event.Event) string {
	all := make([]string, len(events))
	for i, e := range events {
		all[i] = string(e.Kind)
	}
	return strings.Join(all, " ")
}

func TestAPlanHasTheRefusals(t *testing.T) {
	r := Runner{Mode: guard.Full, Tools: set(t, named("x", tool.Writes, writes, says("ran"))), Guard: always(guard.Deny)}
	plan, err := r.Plan(t.Context(), Scope{}, []tool.Call{call("1", "x", "a"), call("2", "nope", "a"), {ID: "3", Name: "x"}})
	var kinds []tool.Kind
	for _, p := range plan {
		kinds = append(kinds, p.Result.Kind)
	}
	if err != nil || !slices.Equal(kinds, []tool.Kind{tool.Denied, tool.UnknownTool, tool.BadArguments}) {
		t.Errorf("got %v, %v", kinds, err)
	}
}

func TestExecuteKeepsTheOrderOfConflicts(t *testing.T) {
	var order []string
	work := func(_ context.Context, in pathArgs, _ *tool.Reply) error { order = append(order, in.Path); return nil }
	r := Runner{Mode: guard.Full, Tools: set(t, named("x", tool.Writes, func(pathArgs) tool.Intent { return tool.Intent{Writes: []string{"same"}} }, work)), Guard: allowAll}
	plan, err := r.Plan(t.Context(), Scope{}, []tool.Call{call("1", "x", "a"), call("2", "x", "b"), call("3", "x", "c")})
	if err != nil {
		t.Fatal(err)
	}
	var grants []Grant
	for _, p := range plan {
		grants = append(grants, p.Grant(nil))
	}
	if _, err := r.Execute(t.Context(), Scope{}, grants); err != nil || !slices.Equal(order, []string{"a", "b", "c"}) {
		t.Errorf("ran %v, %v", order, err)
	}
}
