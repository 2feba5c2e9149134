package toolcall

import (
	"context"
	"runtime/debug"

	"rein/tool"
)

// Snapshot is the step before a granted call runs: it keeps what the call may change, so that it can be undone. A call that only
// reads does not have it; which of the others need it, it decides by itself. An error means that the call does not run. The function that it gives is called
// when the tool has returned, before any later call that waits for this one begins; it may add notes to the reply. A nil
// function is fine.
//
// A tool that ignores its context is abandoned at its deadline; the function is called when the tool returns in the end.
type Snapshot func(context.Context, Granted) (end func(*tool.Reply), err error)

// keep takes the snapshot of a call.
func (t *turn) keep(w *worker, g *granted) error {
	if t.Snapshot == nil || g.grant.OnlyReads {
		return nil
	}
	var end func(*tool.Reply)
	err := inTime(t, w, &g.call, "keeping the files as they are", func(ctx context.Context) (err error) {
		end, err = t.Snapshot(ctx, t.granted(g))
		return err
	}, func(err error) {
		if err == nil {
			t.endSnapshot(end, g.call, t.newReply(g)) // nobody reads it
		}
	})
	if err != nil {
		if t.ctx.Err() != nil {
			return t.ended()
		}
		return err
	}
	g.end = end
	return nil
}

// granted is a call as Around and Snapshot see it.
func (t *turn) granted(g *granted) Granted { return Granted{g, &t.session} }

// endSnapshot calls the function that Snapshot gave. A panic in it is logged.
func (t *turn) endSnapshot(end func(*tool.Reply), call tool.Call, r *tool.Reply) {
	defer func() {
		if p := recover(); p != nil {
			t.logPanic("the end of a snapshot", call, p, debug.Stack())
		}
	}()
	if end != nil {
		end(r)
	}
}
