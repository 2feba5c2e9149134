package guard

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"

	"rein/guard/effect"
	"rein/tool"
)

// Case is one call as guards judge it: exactly what would run. Each guard, approver and observer gets a copy of its own.
type Case struct {
	Session   string    // id of the user's session; calls of its sub-agents carry it too, so that guards remember for all of them
	SubAgent  string    // id of the sub-agent's own session; "" in the user's session
	Agent     string    // the kind of the sub-agent; "" in the user's session
	Call      tool.Call // with the final arguments
	Effect    tool.Effect
	Intent    tool.Intent
	Mode      Mode
	Isolation Isolation
	Root      string // absolute path of the workspace
	RootID    string // identity of the directory behind Root; "" where it is not known
	Rules     string // of the guards and their rules: see Fingerprint
	Epoch     string // what else an approval is bound to, such as the settings of the sandbox; "" is nothing
	Depth     int    // 0 for the user's own session, 1 for its sub-agents, …
	Turn      int    // counts the model's answers in its session; the calls of one answer have the same; 0 where turns are not counted

	// Report is what Intent.Command would do. It is nil without a command, and until Programs.Prepare has set it.
	Report *effect.Report

	// Together is how many calls of the same turn need an approval, this one included; 0 where that is not known.
	// Position is the index of the call in its turn.
	Together, Position int
}

// Binding is what an approval of the case is bound to.
func (c Case) Binding() Binding {
	return Binding{Session: cmp.Or(c.SubAgent, c.Session), Call: c.Call.ID, Tool: c.Call.Name, Args: c.Call.Args, Root: c.Root, RootID: c.RootID, Mode: c.Mode, Rules: c.Rules, Epoch: c.Epoch}
}

// Clone returns a copy that shares nothing with the case.
func (c Case) Clone() Case {
	c.Call, c.Intent, c.Report = c.Call.Clone(), c.Intent.Clone(), c.Report.Clone()
	return c
}

// Guard judges calls. Judge depends only on the case and on what the guard remembers of earlier cases. Several
// goroutines may call it at once. A guard that has no objection returns the zero Verdict. A verdict that does not allow
// has a reason.
type Guard interface {
	Judge(context.Context, Case) Verdict
}

// Func makes a Guard of a function.
type Func func(context.Context, Case) Verdict

// Judge calls f.
func (f Func) Judge(ctx context.Context, c Case) Verdict { return f(ctx, c) }

// All is the guard that asks every one of its guards and returns the strictest verdict. A guard that panics counts as Ask,
// and OnPanic reports it. Without guards every call asks. All is an Observer: it forwards to those of its guards that
// are observers.
type All struct {
	Guards  []Guard
	OnPanic func(c Case, text string) // for the operator; may be nil
}

// Judge returns the strictest verdict.
func (a All) Judge(ctx context.Context, c Case) Verdict {
	if len(a.Guards) == 0 {
		return Verdict{Decision: Ask, Guard: "all", Rules: []string{"guard.none"}, Reason: "no guard is set, so a person must approve the call"}
	}
	var v Verdict
	for _, g := range a.Guards {
		v = Stricter(v, a.one(ctx, g, c))
	}
	return v
}

// Prepare sets the report of a case, where one of the guards does.
func (a All) Prepare(c Case) Case {
	for _, g := range a.Guards {
		if p, ok := g.(interface{ Prepare(Case) Case }); ok {
			c.Report = p.Prepare(c.Clone()).Report
		}
	}
	return c
}

func (a All) one(ctx context.Context, g Guard, c Case) (v Verdict) {
	defer func() {
		if p := recover(); p != nil {
			if a.OnPanic != nil {
				a.OnPanic(c, fmt.Sprintf("guard %T panicked: %v\n%s", g, p, debug.Stack()))
			}
			v = Verdict{Decision: Ask, Severity: High, PersonOnly: true, Guard: "all", Rules: []string{"guard.panic"},
				Reason: "a check of this call failed with an internal error, so a person must approve the call"}
		}
	}()
	return g.Judge(ctx, c.Clone()).Clone()
}

// Prompted reports to the observers that the user sent a message.
func (a All) Prompted(session string) {
	a.observe(func(o Observer) { o.Prompted(session) })
}

// Said reports the text of the message to the observers that listen.
func (a All) Said(session, text string) {
	a.observe(func(o Observer) {
		if l, ok := o.(Listener); ok {
			l.Said(session, text)
		}
	})
}

// Granted reports to the observers that an approver approved the call.
func (a All) Granted(c Case, answer Answer) {
	a.observe(func(o Observer) { o.Granted(c.Clone(), answer.Clone()) })
}

// Refused reports to the observers that an approver denied the call.
func (a All) Refused(c Case, answer Answer) {
	a.observe(func(o Observer) { o.Refused(c.Clone(), answer.Clone()) })
}

// Ran reports to the observers the result of a call, and joins their notes.
func (a All) Ran(c Case, r tool.Result) (note string) {
	a.observe(func(o Observer) {
		switch n := o.Ran(c.Clone(), r.Clone()); {
		case note == "":
			note = n
		case n != "":
			note += "\n" + n
		}
	})
	return note
}

// observe reports to all observers, whichever of them panics. Then the panic continues: one of them does not know what it
// should remember.
func (a All) observe(report func(Observer)) {
	var broken any
	for _, g := range a.Guards {
		if o, ok := g.(Observer); ok {
			if p := panicOf(func() { report(o) }); p != nil {
				broken = p
			}
		}
	}
	if broken != nil {
		panic(broken)
	}
}

func panicOf(do func()) (p any) {
	defer func() { p = recover() }()
	do()
	return nil
}
