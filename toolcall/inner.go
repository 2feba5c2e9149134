package toolcall

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"rein/tool"
)

// shown are the locks that a turn shares with the turns of its inner calls: one event at a time is recorded and shown.
type shown struct {
	watched   sync.Mutex // Watch sees one event at a time
	recording sync.Mutex // what is recorded is shown before the next one is recorded
}

// inner returns the function with which a tool runs other calls while it serves its own: each takes all steps, in the mode
// and with the guards, answers and limits of the session, and its events name the call that it belongs to. The ids of the
// inner calls are that of the outer one with a number, in the order in which the tool sends them. So a tool that sends the
// same calls again after a restart gets the results that are recorded, and nothing runs twice.
func (t *turn) inner(g *granted) func(context.Context, []tool.Call) ([]tool.Result, error) {
	var mu sync.Mutex
	sent := 0
	return func(ctx context.Context, calls []tool.Call) ([]tool.Result, error) {
		mu.Lock()
		defer mu.Unlock()
		if take := t.session.Take; take != nil {
			if err := take(ctx, len(calls)); err != nil {
				return nil, err
			}
		}
		results, left, at := make([]tool.Result, len(calls)), []tool.Call(nil), []int(nil)
		for i, c := range calls {
			sent++
			c.ID = g.call.ID + "-" + strconv.Itoa(sent)
			earlier := t.session.Earlier[c.ID]
			switch {
			case earlier.Result == nil:
				left, at = append(left, c), append(at, i)
			case earlier.Result.Name != c.Name:
				return nil, fmt.Errorf("call %s was %s before the session was interrupted and is %s now", c.ID, earlier.Result.Name, c.Name)
			default:
				results[i] = earlier.Result.Clone()
			}
		}
		if len(left) == 0 {
			return results, nil
		}
		ran, err := t.runInner(ctx, g, left)
		for k, r := range ran {
			results[at[k]] = r
		}
		if _, pending := errors.AsType[*Pending](err); pending {
			return results, &tool.Error{Kind: tool.Waiting, Text: "A call waits for an approval."}
		}
		return results, err
	}
}

// callable are the tools that a tool may call.
func (t *turn) callable() tool.Set {
	return t.Tools.Only(func(t *tool.Tool) bool { return !t.Nests })
}

// runInner runs calls in a turn of their own.
func (t *turn) runInner(ctx context.Context, g *granted, calls []tool.Call) ([]tool.Result, error) {
	r := *t.Runner
	r.Tools = t.callable()
	inner := newTurn(ctx, &r, t.session, calls)
	defer inner.cancel(nil)
	inner.within, inner.shown = g.call.ID, t.shown
	err := inner.whole()
	if stop, ok := errors.AsType[*Halted](err); ok {
		t.mu.Lock()
		t.halt = stop.Reason
		t.mu.Unlock()
	}
	return inner.results, err
}
