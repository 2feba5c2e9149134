package toolcall

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"rein/event"
	"rein/guard"
	"rein/hook"
	"rein/kit/guardtest"
	"rein/tool"
)

// overwriting writes over all that it gets: as a guard, an approver, an observer, a journal and a watcher.
type overwriting struct{ memory }

func (o *overwriting) Judge(_ context.Context, c guard.Case) guard.Verdict {
	guardtest.Overwrite(c)
	return guard.Verdict{Decision: guard.Ask, Reason: "it is a test"}
}

func (o *overwriting) Approve(_ context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
	guardtest.Overwrite(c)
	return guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, nil
}

func (o *overwriting) Prompted(string)                        {}
func (o *overwriting) Granted(c guard.Case, _ guard.Answer)   { guardtest.Overwrite(c) }
func (o *overwriting) Refused(c guard.Case, _ guard.Answer)   { guardtest.Overwrite(c) }
func (o *overwriting) Ran(c guard.Case, r tool.Result) string { guardtest.Overwrite(c); return "" }

func (o *overwriting) Append(events ...event.Event) error {
	var kept []event.Event
	for _, e := range events {
		kept = append(kept, e.Clone())
	}
	err := o.memory.Append(kept...)
	for _, e := range events {
		o.watch(e)
	}
	return err
}

func (o *overwriting) watch(e event.Event) {
	if e.Call != nil {
		guardtest.Overwrite(guard.Case{Call: *e.Call})
		e.Call.Name = "other"
	}
	if e.Intent != nil {
		guardtest.Overwrite(guard.Case{Intent: *e.Intent})
	}
	if e.Result != nil {
		*e.Result = tool.Result{Text: "overwritten"}
	}
	if e.Grant != nil {
		*e.Grant = event.Grant{}
	}
}

// TestWhatIsJudgedAndRecordedRuns has everybody who gets a call write over it. The tool gets the bytes that were hashed and recorded, and
// the model the result of the tool.
func TestWhatIsJudgedAndRecordedRuns(t *testing.T) {
	o := &overwriting{}
	ran, mu := "", sync.Mutex{}
	x := named("x", tool.Writes, writes, func(_ context.Context, in pathArgs, r *tool.Reply) error {
		mu.Lock()
		defer mu.Unlock()
		ran += in.Path
		r.WriteString("wrote " + in.Path)
		return nil
	})
	work := x.Run
	x.Run = func(ctx context.Context, args json.RawMessage, r *tool.Reply) error {
		defer guardtest.Overwrite(guard.Case{Call: tool.Call{Args: args}})
		return work(ctx, args, r)
	}
	intent := x.Intent
	x.Intent = func(args json.RawMessage) (tool.Intent, error) {
		defer guardtest.Overwrite(guard.Case{Call: tool.Call{Args: args}})
		return intent(args)
	}
	hooked := func(_ context.Context, in hook.Input) (hook.Output, error) {
		guardtest.Overwrite(guard.Case{Call: tool.Call{Args: in.Args}})
		return hook.Output{}, nil
	}
	r := Runner{Mode: guard.Full, Root: "/w", Tools: set(t, x), Guard: o, Approver: o,
		Hooks: hook.NewSet(hook.Hook{Name: "a", Event: hook.PreToolUse, Run: hooked}, hook.Hook{Name: "b", Event: hook.PostToolUse, Run: hooked}),
		Around: func(g Granted) func(error) {
			guardtest.Overwrite(guard.Case{Call: g.Call(), Intent: g.Intent()})
			return nil
		},
		Snapshot: func(_ context.Context, g Granted) (func(*tool.Reply), error) {
			guardtest.Overwrite(guard.Case{Call: g.Call(), Intent: g.Intent()})
			return nil, nil
		}}
	calls := []tool.Call{call("1", "x", "keep"), call("2", "x", "both")}
	results, err := r.Run(t.Context(), Scope{ID: "s", Journal: o, Watch: o.watch}, calls)
	if err != nil || len(ran) != len("keepboth") || results[0].Text != "wrote keep" || results[1].Text != "wrote both" {
		t.Errorf("ran %q: %+v, %v", ran, results, err)
	}
	for _, want := range calls {
		hash := guard.Binding{Session: "s", Call: want.ID, Tool: "x", Args: want.Args, Root: "/w", Mode: guard.Full, Rules: guard.Fingerprint(o)}.Hash()
		for _, e := range o.events {
			if e.Call.ID != want.ID {
				continue
			}
			if e.Kind == event.Called && string(e.Call.Args) != string(want.Args) || e.Grant != nil && e.Grant.Hash != hash || e.Intent != nil && !slices.Equal(e.Intent.Writes, []string{strings.TrimPrefix(results[want.ID[0]-'1'].Text, "wrote ")}) {
				t.Errorf("recorded %+v of %s", e, want.Args)
			}
		}
	}
}

// TestOnlyAPersonAnswersForAPerson gives a call that only a person may approve the answers of others: through the approver and
// through Execute. Nothing else makes it run.
func TestOnlyAPersonAnswersForAPerson(t *testing.T) {
	for name, row := range map[string]struct {
		by     guard.Who
		chosen *tool.Chosen
		ran    bool
	}{
		"a person":             {guard.ByPerson(""), nil, true},
		"a person with a name": {guard.ByPerson("Mei"), nil, true},
		"a rule":               {guard.ByRule("x"), nil, false},
		"a hook":               {guard.ByHook("x"), nil, false},
		"the deadline":         {guard.ByDeadline(), nil, false},
		"its default":          {guard.ByDeadline(), &tool.Chosen{Default: true}, false},
		"a policy":             {guard.ByPolicy("user"), nil, false},
		"nobody who is known":  {guard.Who{}, nil, false},
	} {
		answer := guard.Answer{Choice: guard.Approved, By: row.by, Chosen: row.chosen}
		for via, run := range map[string]func(*Runner, Scope, []tool.Call) ([]tool.Result, error){
			"the approver": func(r *Runner, s Scope, calls []tool.Call) ([]tool.Result, error) {
				return r.Run(t.Context(), s, calls)
			},
			"Execute": func(r *Runner, s Scope, calls []tool.Call) ([]tool.Result, error) {
				plan, err := r.Plan(t.Context(), s, calls)
				if err != nil {
					return nil, err
				}
				return r.Execute(t.Context(), s, []Grant{plan[0].Grant(&answer)})
			},
		} {
			ran, j := false, &memory{}
			x := named("x", tool.Writes, writes, func(context.Context, pathArgs, *tool.Reply) error { ran = true; return nil })
			r := &Runner{Mode: guard.Full, Tools: set(t, x), Approver: &answering{answers: []guard.Answer{answer}},
				Guard: guard.Func(func(context.Context, guard.Case) guard.Verdict {
					return guard.Verdict{Decision: guard.Ask, PersonOnly: true, Reason: "it is a test"}
				})}
			results, err := run(r, Scope{ID: "s", Journal: j}, []tool.Call{call("1", "x", "a")})
			if err != nil || ran != row.ran || !row.ran && (results[0].Kind != tool.Denied || !strings.Contains(results[0].Text, "only a person")) {
				t.Errorf("%s, through %s: ran %v, %+v, %v", name, via, ran, results, err)
			}
			if unknown := (guard.Who{}); row.by == unknown && !strings.Contains(results[0].Text, "the answer is of somebody who is not known.") {
				t.Errorf("%s, through %s: %q", name, via, results[0].Text)
			}
			if granted := strings.Contains(kinds(j.events), string(event.Granted)); granted != row.ran {
				t.Errorf("%s, through %s: recorded %s", name, via, kinds(j.events))
			}
		}
	}
}

// TestTheFirstChoicesOfAQuestionNeedNoPerson: when nobody answers in time they count where the question says so, and where the call does
// nothing but ask.
func TestTheFirstChoicesOfAQuestionNeedNoPerson(t *testing.T) {
	first, plain := &tool.Questions{First: true}, &tool.Questions{}
	for name, row := range map[string]struct {
		intent tool.Intent
		by     guard.Who
		chosen *tool.Chosen
		ran    bool
	}{
		"in time":                {tool.Intent{Questions: first}, guard.ByDeadline(), &tool.Chosen{Default: true}, true},
		"they do not count":      {tool.Intent{Questions: plain}, guard.ByDeadline(), &tool.Chosen{Default: true}, false},
		"another choice":         {tool.Intent{Questions: first}, guard.ByDeadline(), &tool.Chosen{}, false},
		"no choice":              {tool.Intent{Questions: first}, guard.ByDeadline(), nil, false},
		"a rule":                 {tool.Intent{Questions: first}, guard.ByRule("x"), &tool.Chosen{Default: true}, false},
		"it writes as well":      {tool.Intent{Questions: first, Writes: []string{"a"}}, guard.ByDeadline(), &tool.Chosen{Default: true}, false},
		"it may do other things": {tool.Intent{Questions: first, Unknown: true}, guard.ByDeadline(), &tool.Chosen{Default: true}, false},
	} {
		ran := false
		x := named("x", 0, func(pathArgs) tool.Intent { return row.intent }, func(context.Context, pathArgs, *tool.Reply) error { ran = true; return nil })
		r := Runner{Mode: guard.Full, Tools: set(t, x), Approver: &answering{answers: []guard.Answer{{Choice: guard.Approved, By: row.by, Chosen: row.chosen}}},
			Guard: guard.Func(func(context.Context, guard.Case) guard.Verdict {
				return guard.Verdict{Decision: guard.Ask, PersonOnly: true, Reason: "it asks"}
			})}
		if _, err := r.Run(t.Context(), Scope{}, []tool.Call{call("1", "x", "a")}); err != nil || ran != row.ran {
			t.Errorf("%s: ran %v, %v", name, ran, err)
		}
	}
}
