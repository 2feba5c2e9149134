package toolcall

import (
	"context"
	"fmt"
	"runtime/debug"

	"rein/event"
	"rein/guard"
	"rein/tool"
)

// judged is a call that every guard has judged and none has denied.
type judged struct {
	*valid
	is      guard.Case
	verdict guard.Verdict

	holdsSlot bool // one of those of the turn
}

// judgeCall judges a call of the turn; all are judged before anything runs. A denied call gets its result and leaves a nil.
func judgeCall(t *turn, w *worker, i int) {
	v := t.understood[i]
	if v == nil {
		return
	}
	j, err := t.judgeOne(w, v)
	if err == nil {
		j, err = editedBefore(t, j)
	}
	if err != nil {
		notJudged(t, i, err)
		return
	}
	if earlier, ok := t.session.Earlier[v.call.ID]; ok && earlier.Hash != j.hash(t) {
		t.void(v.call, event.RulesChanged, "", "The mode, the rules, the workspace or the call changed since the approval was requested.")
	}
	if j.verdict.Decision == guard.Deny {
		if j.verdict.Stop {
			t.end(reason(j.verdict))
		}
		t.finish(i, j.verdict, refused(t, v, denial(j.verdict)))
		return
	}
	t.judged[i] = j
}

func notJudged(t *turn, i int, why error) {
	t.finish(i, guard.Verdict{}, refused(t, t.understood[i], why))
}

// judgeOne judges one call.
func (t *turn) judgeOne(w *worker, v *valid) (*judged, error) {
	j := &judged{valid: v}
	return j, inTime(t, w, &v.call, "checking the call", func(ctx context.Context) error {
		j.is = t.caseOf(v)
		j.verdict = t.verdict(ctx, j)
		return nil
	}, nil)
}

// hash is what an answer to the call is bound to. Who sees the case later sees the rules in it.
func (j *judged) hash(in *turn) string {
	in.ruled.Do(func() { in.rules = in.fingerprint() })
	j.is.Rules = in.rules
	return j.is.Binding().Hash()
}

// verdict is the strictest of the guard's verdict, that of the mode and that of the hooks. A guard that panics counts as Ask.
func (t *turn) verdict(ctx context.Context, j *judged) (v guard.Verdict) {
	defer func() {
		if p := recover(); p != nil {
			t.logPanic("a guard", j.call, p, debug.Stack())
			v = guard.Verdict{Decision: guard.Ask, Severity: guard.High, PersonOnly: true, Guard: "pipeline", Rules: []string{"guard.panic"},
				Reason: "a check of this call failed with an internal error, so a person must approve the call"}
		}
		v.Decision, v.Severity = min(v.Decision, guard.Deny), min(v.Severity, guard.Critical)
		if byMode := t.inMode(t.Mode, j); byMode.Decision > v.Decision {
			byMode.Effects = v.Effects
			v = byMode
		}
		v = guard.Stricter(v, t.byHooks(j.valid))
	}()
	if t.Guard == nil {
		return guard.Verdict{Decision: guard.Ask, Guard: "pipeline", Reason: "no guard is set"}
	}
	if p, ok := t.Guard.(preparer); ok && j.intent.Command != "" {
		j.is.Report = p.Prepare(j.is.Clone()).Report.Clone()
	}
	return t.Guard.Judge(ctx, j.is.Clone()).Clone()
}

// preparer is a guard that parses the command of a case once, for all guards, approvers and observers that see it later.
type preparer interface {
	Prepare(guard.Case) guard.Case
}

// inMode denies in the modes read-only and plan what would write, run a program or use the network, whatever the
// guard decides. Two things are left to the guard, and denied without one: a command of which Normalize knows that it only reads,
// and the file that may be written in plan mode.
func (t *turn) inMode(mode guard.Mode, j *judged) guard.Verdict {
	if mode != guard.ReadOnly && mode != guard.Plan {
		return guard.Verdict{}
	}
	i := j.intent
	if !i.Unknown && !i.RequestsAccess && len(i.Hosts) == 0 {
		writes := len(i.Writes) > 0
		if !writes && i.Command == "" {
			return guard.Verdict{}
		}
		if t.Guard != nil && (!writes || mode == guard.Plan && i.Command == "") {
			return guard.Verdict{}
		}
	}
	return guard.Verdict{Decision: guard.Deny, Severity: guard.Medium, Guard: "pipeline", Rules: []string{"mode." + mode.String()},
		Reason: fmt.Sprintf("%s would do more than read, and the mode is %s", j.call.Name, mode), Hint: "Only read, and tell the user what you would change."}
}

func (t *turn) caseOf(v *valid) guard.Case {
	c := t.session.caseOf(t.Runner, v.call, v.tool.Effect, v.intent)
	if t.Isolation != nil && !v.onlyReads() {
		c.Isolation = t.Isolation()
	}
	return c
}

// onlyReads reports whether the call reads files at most.
func (v *valid) onlyReads() bool {
	i := &v.intent
	return v.tool.Effect&^tool.Reads == 0 && !i.RequestsAccess && !i.Unknown && i.Command == "" && len(i.Writes) == 0 && len(i.Hosts) == 0
}

// caseOf is a call as guards see it, but for the isolation.
func (s *Scope) caseOf(r *Runner, call tool.Call, e tool.Effect, i tool.Intent) guard.Case {
	c := guard.Case{
		Session: s.root(), Call: call, Effect: e, Intent: i,
		Mode: r.Mode, Root: r.Root, RootID: r.RootID, Epoch: r.Epoch, Depth: s.Depth, Turn: s.Turn,
	}
	if c.Session != s.ID {
		c.SubAgent, c.Agent = s.ID, s.Type
	}
	return c
}

func denial(v guard.Verdict) *tool.Error {
	return &tool.Error{Kind: tool.Denied, Text: "Denied: " + reason(v) + ".", Hint: v.Hint}
}

func reason(v guard.Verdict) string {
	if v.Reason == "" {
		return "this call is not allowed here"
	}
	return v.Reason
}
