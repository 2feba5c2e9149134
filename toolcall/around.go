package toolcall

import (
	"runtime/debug"

	"rein/guard"
	"rein/tool"
)

// Around observes the work of granted calls: it measures, traces, or opens something for as long as a call runs. It is
// called before a tool runs; the function that it returns is called when the tool has returned, with the tool's error. A
// nil function is fine. Neither can skip, replace or change the work, and when one panics the work continues.
//
// A tool that ignores its context is abandoned at its deadline: its call then has a result while the tool still runs, and
// the function is called when the tool returns in the end.
type Around func(Granted) (end func(error))

// Granted is a call that may run, as Around and Snapshot see it. What it gives are copies.
type Granted struct {
	g       *granted
	session *Scope
}

// Scope returns the id of the user's session, and that of the sub-agent's session in it; "" when the call is the user's
// session's own.
func (g Granted) Session() (id, subAgent string) {
	if id = g.session.root(); id != g.session.ID {
		subAgent = g.session.ID
	}
	return id, subAgent
}

// Call returns the call with its final arguments.
func (g Granted) Call() tool.Call {
	return g.g.call.Clone()
}

// Effect returns what the tool can do at most.
func (g Granted) Effect() tool.Effect { return g.g.tool.Effect }

// Intent returns what the call would do.
func (g Granted) Intent() tool.Intent { return g.g.intent.Clone() }

// Mode returns the mode under which the call was judged.
func (g Granted) Mode() guard.Mode { return g.g.is.Mode }

// begin calls Around. A panic in it is logged.
func (t *turn) begin(g *granted) (end func(error)) {
	defer func() {
		if p := recover(); p != nil {
			t.logPanic("an observer of the work", g.call, p, debug.Stack())
			end = func(error) {}
		}
	}()
	after := t.Around(t.granted(g))
	if after == nil {
		return func(error) {}
	}
	return func(err error) {
		defer func() {
			if p := recover(); p != nil {
				t.logPanic("an observer of the work", g.call, p, debug.Stack())
			}
		}()
		after(err)
	}
}
