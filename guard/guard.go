package guard

import (
	"context"
	"fmt"
	"runtime/debug"

	"rein/tool"
)

// Case is one call as it is judged: exactly what would run.
type Case struct {
	Session   string
	Call      tool.Call // with the final arguments
	Effect    tool.Effect
	Intent    tool.Intent
	Mode      Mode
	Isolation Isolation
	Root      string // absolute path of the workspace
	RootID    string // identity of the directory behind Root; "" where it is not known
	Epoch     string // of mode and rules: it changes when they do
	Depth     int    // 0 for the user's own session, 1 for its delegates, …

	// Together is how many calls of the same turn are asked about at once, this one among them; 0 where that is not
	// known. Position is where the call stands in its turn, from 0.
	Together, Position int
}

// Binding is what a yes to the case is bound to.
func (c Case) Binding() Binding {
	return Binding{Session: c.Session, Call: c.Call.ID, Tool: c.Call.Name, Args: c.Call.Args, Root: c.Root, RootID: c.RootID, Epoch: c.Epoch}
}

// Guard judges calls. Judge is pure but for what it remembers of earlier cases; it may be called at once from several
// goroutines. A guard with nothing to say returns the zero Verdict.
type Guard interface {
	Judge(context.Context, Case) Verdict
}

// Func makes a Guard of a function.
type Func func(context.Context, Case) Verdict

// Judge calls f.
func (f Func) Judge(ctx context.Context, c Case) Verdict { return f(ctx, c) }

// All is the guard that lets every one of its guards speak and gives the strictest verdict. A guard that panics is
// taken to ask, and OnPanic is told.
type All struct {
	Guards  []Guard
	OnPanic func(c Case, text string) // for the operator; may be nil
}

// Judge gives the strictest verdict.
func (a All) Judge(ctx context.Context, c Case) Verdict {
	var v Verdict
	for _, g := range a.Guards {
		v = Stricter(v, a.one(ctx, g, c))
	}
	return v
}

func (a All) one(ctx context.Context, g Guard, c Case) (v Verdict) {
	defer func() {
		if p := recover(); p != nil {
			if a.OnPanic != nil {
				a.OnPanic(c, fmt.Sprintf("guard %T panicked: %v\n%s", g, p, debug.Stack()))
			}
			v = Verdict{Decision: Ask, Severity: High, Guard: "house", Rules: []string{"guard.panic"},
				Reason: "a check of this call broke down, so a person must look at it"}
		}
	}()
	return g.Judge(ctx, c)
}
