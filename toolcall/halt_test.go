package toolcall

import (
	"context"
	"errors"
	"testing"

	"rein/guard"
	"rein/tool"
)

// A verdict that stops ends the turn: no call of it runs, and the error has the reason.
func TestAGuardEndsTheTurn(t *testing.T) {
	ran := false
	x := named("x", tool.Reads, reads, func(context.Context, pathArgs, *tool.Reply) error { ran = true; return nil })
	g := guard.Func(func(_ context.Context, c guard.Case) guard.Verdict {
		if c.Call.ID == "2" {
			return guard.Verdict{Decision: guard.Deny, Stop: true, Reason: "it goes round"}
		}
		return guard.Verdict{}
	})
	r := Runner{Mode: guard.Full, Tools: set(t, x), Guard: g}
	results, err := r.Run(t.Context(), Scope{}, []tool.Call{call("1", "x", "a"), call("2", "x", "a"), call("3", "x", "a")})
	stop, ok := errors.AsType[*Halted](err)
	if !ok || stop.Reason != "it goes round" || ran {
		t.Errorf("%v, ran %v", err, ran)
	}
	for _, r := range results {
		if !r.Failed || r.ID == "" {
			t.Errorf("%+v", r)
		}
	}
}
