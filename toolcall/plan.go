package toolcall

import (
	"context"
	"slices"

	"rein/guard"
	"rein/tool"
)

// Planned is a call after Plan: decoded, validated and judged. Nothing has run. It is plain data and may be stored as
// JSON.
type Planned struct {
	Call    tool.Call     `json:"call"` // with its final arguments
	Intent  tool.Intent   `json:"intent"`
	Verdict guard.Verdict `json:"verdict"`
	Hash    string        `json:"hash,omitempty"`  // what a grant is bound to: see guard.Binding
	Notes   []string      `json:"notes,omitempty"` // what was repaired in the arguments

	// Result is set when the call is refused already: there is no such tool, the arguments are wrong, a guard denies it.
	Result *tool.Result `json:"result,omitempty"`
}

// Grant is the permission to run one planned call. It is plain data and may be stored as JSON. It is worth nothing by
// itself: Execute judges the call again and compares the hash.
type Grant struct {
	Call  tool.Call `json:"call"`
	Hash  string    `json:"hash"`
	Notes []string  `json:"notes,omitempty"`

	// Answer is the answer to the approval request; nil where the guards allowed the call.
	Answer *guard.Answer `json:"answer,omitempty"`
}

// Allowed reports whether the call may run without an approval.
func (p *Planned) Allowed() bool { return p.Result == nil && p.Verdict.Decision == guard.Allow }

// Grant joins the call with the answer to its approval request; nil where none is needed.
func (p *Planned) Grant(a *guard.Answer) Grant {
	return Grant{Call: p.Call, Hash: p.Hash, Notes: p.Notes, Answer: a}
}

// Plan is the first half of Run: it decodes, validates and judges the calls of a turn, and records the calls, those that
// are refused, and the approval requests of those that need one. Nothing runs. The error is that of the journal.
func (r *Runner) Plan(ctx context.Context, s Scope, calls []tool.Call) ([]Planned, error) {
	t := newTurn(ctx, r, s, calls)
	defer t.cancel(nil)
	t.relay(t.plan(showCalls))
	plan := make([]Planned, len(calls))
	for i, j := range t.judged {
		if j == nil {
			plan[i] = Planned{Call: calls[i], Result: &t.results[i]}
			continue
		}
		plan[i] = Planned{Call: j.call.Clone(), Intent: j.intent.Clone(), Verdict: j.verdict.Clone(), Hash: j.hash(t), Notes: j.notes}
		if j.verdict.Decision == guard.Ask {
			t.recordRequest(j, plan[i].Hash)
		}
	}
	return plan, t.outcome()
}

// Execute is the second half of Run: it runs the granted calls of one turn, in this process or another one that has the
// same workspace. Each call is judged again; hooks see it again and may deny it, but they do not change it. What is denied now, or was denied by the answer, is refused. A grant whose
// hash does not fit any more, because the mode, the rules, the workspace or the call changed, is void: the call is
// pending again, as is one that needs an approval and has no answer.
func (r *Runner) Execute(ctx context.Context, s Scope, grants []Grant) ([]tool.Result, error) {
	stored := *r
	stored.Approver = guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
		return guard.Answer{Choice: guard.Later}, nil
	})
	s.Earlier = make(map[string]Earlier, len(grants))
	calls := make([]tool.Call, len(grants))
	for i, g := range grants {
		calls[i] = g.Call
		s.Earlier[g.Call.ID] = Earlier{Hash: g.Hash, Answer: g.Answer}
	}
	t := newTurn(ctx, &stored, s, calls)
	defer t.cancel(nil)
	t.stored = true
	again := t.plan(func(t *turn, _ *worker, _ int) { t.calledAgain(grants) })
	t.relay(append(again, part{do: func(t *turn, w *worker, _ int) {
		t.voidChanged(grants)
		runAll(t, w, 0)
	}, instead: notRun}))
	return t.results, t.outcome()
}

// calledAgain shows the granted calls to the hooks. The journal has them already. Each runs once.
func (t *turn) calledAgain(grants []Grant) {
	t.before()
	granted := map[string]bool{}
	for i, call := range t.calls {
		if granted[call.ID] {
			t.understood[i] = nil
			t.results[i] = refusal(call, &tool.Error{Kind: tool.Denied, Text: "Not run: the call " + call.ID + " is granted twice, and runs once."})
		}
		granted[call.ID] = true
		if v := t.understood[i]; v != nil {
			v.notes = slices.Concat(grants[i].Notes, v.notes)
		} else {
			t.finish(i, guard.Verdict{}, t.results[i])
		}
	}
	t.recordHooked()
}

// voidChanged suspends the calls that are others than those that were granted.
func (t *turn) voidChanged(grants []Grant) {
	for i, j := range t.judged {
		if j != nil && j.hash(t) != grants[i].Hash {
			t.suspend(j)
			t.judged[i] = nil
		}
	}
}
