// Package toolcall runs a model's calls: the one way that every call goes, a file for each step. Each step takes what
// the step before it made, so a call that was not judged and granted does not compile:
//
//	decode → validate → judge → approve → order → execute → reply
package toolcall

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/redact"
	"rein/spill"
	"rein/tool"
)

// Runner runs calls. Its fields do not change while it is used; a delegate's runner is a copy with fields narrowed. The
// zero value is safe: it has no tools, and nobody says yes. Run may be called at once from several goroutines.
type Runner struct {
	Tools    tool.Set
	Guard    guard.Guard     // nil: every call asks
	Approver guard.Approver  // nil: nobody is there, so what asks is refused
	Journal  journal.Journal // nil: nothing is recorded, for embedders that keep their own record

	// Around wraps the work of every granted call: tracing, timing, hooks. It may be nil.
	Around func(Work) Work

	// Refine adds to an intent what can be known from it alone, such as the effects of a shell command. It may only
	// clear Unknown when the lists are complete. It may be nil.
	Normalize func(tool.Intent) tool.Intent

	// Remark gives words for the model after the result of a call that ran: "" for none. It may be nil.
	Note func(guard.Case, tool.Result) string

	// Key gives the one name of a file among its several spellings, for the order of calls. Nil means path.Clean.
	Key func(path string) string

	Session string // id of the session, in every event
	Parent  string // id of the call that this runner works for, in a delegate
	Depth   int    // 0 for the user's own session
	Root    string // absolute path of the workspace
	RootID  string // identity of the directory behind Root, such as device and inode; what is approved is bound to it
	Epoch   string // names mode and rules; what was approved under other ones is asked again
	Mode    guard.Mode

	// Walls tells which walls stand around programs. It is asked only for calls that do more than read, and may then
	// take a moment. Nil means none.
	Isolation func() guard.Isolation

	Limits Limits
	Spill  *spill.Store   // where outputs go that are longer than Limits.Output; nil: their middle is dropped
	Mask   *redact.Filter // hides secrets in what tools write; nil still hides well-known shapes of keys
	Log    *slog.Logger   // the operator's log; nil: none

	// Running counts the tools that are at work, the abandoned ones too; wait for it before the program ends. It may
	// be nil.
	Running *sync.WaitGroup
}

// Limits bound one runner. A zero field means its default.
type Limits struct {
	Parallel int           // calls that run at once; 8
	Timeout  time.Duration // of one call, unless its tool has its own; 60 s
	Grace    time.Duration // that a call has after its deadline or a cancel before it is abandoned; 100 ms
	Output   int           // bytes of one output kept for the model, unless its tool has its own; 32 KiB
	Args     int           // bytes of one call's arguments; 1 MiB
	Calls    int           // calls of one turn; 128
}

// The defaults of Limits.
const (
	DefaultParallel = 8
	DefaultTimeout  = 60 * time.Second
	DefaultGrace    = 100 * time.Millisecond
	DefaultArgs     = 1 << 20
	DefaultCalls    = 128
)

func (l Limits) withDefaults() Limits {
	if l.Parallel <= 0 {
		l.Parallel = DefaultParallel
	}
	if l.Timeout <= 0 {
		l.Timeout = DefaultTimeout
	}
	if l.Grace <= 0 {
		l.Grace = DefaultGrace
	}
	if l.Output <= 0 {
		l.Output = spill.DefaultLimit
	}
	if l.Args <= 0 {
		l.Args = DefaultArgs
	}
	if l.Calls <= 0 {
		l.Calls = DefaultCalls
	}
	return l
}

// Run takes the calls of one turn their way and gives a result for each, in the order of the calls. watch sees every
// event, one at a time; it may be nil.
//
// A call that fails, is refused, or is cancelled has a failed result; the error is not nil only when the journal died
// (nothing runs after that) or when an approver answered Later: then it is a *Parked, and the parked calls' results
// have the kind tool.Waiting.
func (r *Runner) Run(ctx context.Context, calls []tool.Call, watch func(event.Event)) ([]tool.Result, error) {
	t := newTurn(ctx, r, len(calls), watch)
	defer t.cancel(nil)
	understood := t.understand(calls)
	if err := t.recordCalled(calls, understood); err != nil {
		for i, call := range calls {
			t.results[i] = refusal(call, err)
		}
		return t.results, err
	}
	t.run(t.judge(understood))
	t.writing.Wait()
	return t.results, t.outcome()
}

// turn is the calls of one turn on their way.
type turn struct {
	*Runner
	limits  Limits
	ctx     context.Context
	cancel  context.CancelCauseFunc
	watch   func(event.Event)
	watched sync.Mutex // watch sees one event at a time
	slots   chan struct{}
	results []tool.Result // by index of the call
	asking  int           // calls that need an answer

	mu      sync.Mutex
	err     error          // the journal died
	pending []string       // ids of calls that wait for an approval
	replies []event.Event  // not yet recorded
	writing sync.WaitGroup // the one that records them
	busy    bool           // it is at work
}

func newTurn(ctx context.Context, r *Runner, n int, watch func(event.Event)) *turn {
	t := &turn{Runner: r, limits: r.Limits.withDefaults(), watch: watch, results: make([]tool.Result, n)}
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	if n > t.limits.Parallel {
		t.slots = make(chan struct{}, t.limits.Parallel)
	}
	return t
}

// outcome is the error of the whole turn.
func (t *turn) outcome() error {
	if t.err != nil {
		return t.err
	}
	if len(t.pending) > 0 {
		return &Pending{Calls: t.pending}
	}
	return nil
}
