package toolcall

import (
	"rein/guard"
	"rein/tool"
)

// judged is a call that every guard has spoken about and none has denied.
type judged struct {
	*valid
	verdict guard.Verdict
}

// judge judges all calls of the turn before anything runs. A denied call has its result at once and leaves a nil.
func (t *turn) judge(understood []*valid) []*judged {
	all := make([]*judged, len(understood))
	for i, v := range understood {
		if v == nil {
			continue
		}
		j := &judged{v, t.verdict(v)}
		if j.verdict.Decision == guard.Deny {
			t.finish(i, j.verdict, refusal(v.call, denial(j.verdict)))
			continue
		}
		all[i] = j
	}
	return all
}

func (t *turn) verdict(v *valid) guard.Verdict {
	if t.Guard == nil {
		return guard.Verdict{Decision: guard.Ask, Guard: "house", Reason: "no guard is set"}
	}
	return t.Guard.Judge(t.ctx, t.caseOf(v))
}

func (t *turn) caseOf(v *valid) guard.Case {
	c := guard.Case{
		Session: t.Session, Call: v.call, Effect: v.tool.Effect, Intent: v.intent,
		Mode: t.Mode, Root: t.Root, RootID: t.RootID, Epoch: t.Epoch, Depth: t.Depth,
	}
	if t.Isolation != nil && v.tool.Effect&^tool.Reads != 0 {
		c.Isolation = t.Isolation()
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
