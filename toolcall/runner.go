// Package toolcall runs the calls of a model. Every call takes the same steps, and each step has a file. A step takes
// the type that the step before it made, so a call that was not judged and granted does not compile:
//
//	decode → validate → hooks → judge → approve → order → execute → reply
//
// Runner.Run takes calls through all steps. Runner.Plan does the steps up to judge, and Runner.Execute those after
// approve; plans and grants are plain data, so that a program can store them between the two halves.
package toolcall

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"rein/event"
	"rein/guard"
	"rein/hook"
	"rein/redact"
	"rein/tool"
)

// Runner runs calls. One runner may serve many sessions: what belongs to one session is in Session. The fields do not
// change while the runner is used. The zero value is safe: it has no tools, nobody approves, and the mode is read-only. New checks the fields.
// Its methods may be called at once from several goroutines.
type Runner struct {
	Tools    tool.Set
	Guard    guard.Guard    // nil: every call needs an approval
	Approver guard.Approver // nil: nobody is there, so what needs an approval is refused

	// Observer sees what was granted, refused and run. Nil: the Guard, if it is an observer.
	Observer guard.Observer

	// Hooks are the user's own programs and functions that see calls before they are judged and after they ran. Nil: none.
	Hooks *hook.Set

	// Around observes the work of granted calls. See Around.
	Around Around

	// Snapshot keeps what a granted call may change before it runs. Nil: nothing is kept. See Snapshot.
	Snapshot Snapshot

	// Normalize adds to an intent what can be known from it alone, such as the effects of a shell command. It may only
	// clear Unknown when the lists are complete. It may be nil.
	Normalize func(tool.Intent) tool.Intent

	// Key returns the one name of a file for each of its spellings, for the order of calls. Nil means path.Clean.
	Key func(path string) string

	Root   string // absolute path of the workspace
	RootID string // identity of the directory behind Root, such as device and inode; approvals are bound to it
	Epoch  string // what an approval is bound to beside the mode and the guards (see guard.Fingerprint); one under another epoch is requested again
	Mode   guard.Mode

	// Now returns the mode and the epoch when a turn of calls begins, instead of Mode and Epoch. It is for a session whose mode
	// the user may change while calls run: they keep the mode under which they were judged. Nil: Mode and Epoch.
	Now func() (guard.Mode, string)

	// Isolation returns what the operating system enforces around programs. It is called only for calls that do more than
	// read, and may take a moment. Nil means nothing.
	Isolation func() guard.Isolation

	Limits Limits
	Spill  *tool.OutputStore // where outputs go that are longer than Limits.Output; nil: their middle is dropped
	Mask   *redact.Filter    // hides secrets in what tools write; nil still hides well-known shapes of keys
	Log    Log               // the operator's; nil: none

	// Running counts the tools that are at work, the abandoned ones too. Wait for it before the program ends. It may be
	// nil.
	Running *sync.WaitGroup

	workers workers
}

// Log is what the runner needs of an operator's log, such as a *slog.Logger: a message, and names with their values in turns.
type Log interface {
	Error(message string, values ...any)
}

// New returns a runner whose fields fit together: it has a guard and an approver (guard.Nobody{} is one), and a workspace where its tools
// touch files. The error names all that is missing. A runner that is made without New is as safe, and refuses more.
// The goroutine of a turn stays for the next one, 100 ms at most.
func New(r Runner) (*Runner, error) {
	touches := slices.ContainsFunc(r.Tools.All(), func(t *tool.Tool) bool { return t.Effect&(tool.Reads|tool.Writes|tool.Runs) != 0 })
	var wrong []error
	for _, field := range []struct {
		name string
		bad  bool
		why  string
	}{
		{"Guard", r.Guard == nil, "is nil, so every call would need an approval: package kit/guards has the usual ones"},
		{"Approver", r.Approver == nil, "is nil: guard.Nobody{} says that nobody is there"},
		{"Root", touches && r.Root == "" || r.Root != "" && !filepath.IsAbs(r.Root), "is not the absolute path of the workspace, which tools touch"},
		{"Mode", r.Mode > guard.Full, "does not exist"},
		{"Limits", min(r.Limits.Parallel, r.Limits.Output, r.Limits.Args, r.Limits.Parts, r.Limits.Bytes, r.Limits.Calls) < 0 || min(r.Limits.Timeout, r.Limits.Grace) < 0, "are negative"},
	} {
		if field.bad {
			wrong = append(wrong, fmt.Errorf("toolcall.Runner: %s %s", field.name, field.why))
		}
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	r.workers = workers{make(chan *worker, DefaultParallel), make(chan *worker)}
	return &r, nil
}

// Limits bound one runner. A zero field means its default.
type Limits struct {
	Parallel int           // calls that run at once; 8
	Timeout  time.Duration // of one call, unless its tool has its own; 60 s
	Grace    time.Duration // that a call has to end after its deadline or a cancel before it is abandoned; 100 ms
	Output   int           // bytes of one output kept for the model, unless its tool has its own; 32 KiB
	Args     int           // bytes of one call's arguments; 1 MiB
	Parts    int           // images, documents and links of one result; tool.DefaultParts
	Bytes    int           // bytes of the images and documents of one result; tool.DefaultPartBytes
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
		l.Output = tool.DefaultOutputLimit
	}
	if l.Args <= 0 {
		l.Args = DefaultArgs
	}
	if l.Calls <= 0 {
		l.Calls = DefaultCalls
	}
	return l
}

// Run takes the calls of one turn through all steps and returns a result for each, in the order of the calls.
//
// A call that fails, is refused, or is cancelled has a failed result. The error is not nil only when the journal failed
// (nothing runs after that), when calls are pending: then it is a *Pending, and the results of these calls have the
// kind tool.Waiting; or when a hook or a guard ended the turn: then it is a *Halted.
func (r *Runner) Run(ctx context.Context, s Scope, calls []tool.Call) ([]tool.Result, error) {
	t := newTurn(ctx, r, s, calls)
	defer t.cancel(nil)
	return t.results, t.whole()
}

// whole takes the calls through all steps.
func (t *turn) whole() error {
	t.relay(append(t.plan(showCalls), part{do: runAll, instead: notRun}))
	return t.outcome()
}

// plan are the parts that take the calls up to their verdicts, with one between understanding and judging them.
func (t *turn) plan(between func(*turn, *worker, int)) []part {
	parts := make([]part, 0, 2*len(t.calls)+2)
	for i := range t.calls {
		parts = append(parts, part{understand, notUnderstood, i})
	}
	parts = append(parts, part{do: between})
	for i := range t.calls {
		parts = append(parts, part{judgeCall, notJudged, i})
	}
	return parts
}

// showCalls shows the calls to the hooks, and records them.
func showCalls(t *turn, _ *worker, _ int) {
	t.before()
	if err := t.recordCalled(); err != nil {
		clear(t.understood)
		for i, call := range t.calls {
			t.results[i] = refusal(call, err)
		}
		return
	}
	t.recordHooked()
}

// turn is the calls of one turn while they are worked on.
type turn struct {
	*Runner
	session  Scope
	observer guard.Observer
	limits   Limits
	ctx      context.Context
	cancel   context.CancelCauseFunc
	within   string // id of the call that makes the calls of this turn; "": the model does
	rules    string // see guard.Fingerprint; judged.hash sets it
	ruled    sync.Once
	shown    *shown // own, or that of the turn whose call makes the calls of this one
	own      shown
	slots    chan struct{}

	// By index of the call; nil where it has its result already.
	calls      []tool.Call
	understood []*valid
	judged     []*judged
	results    []tool.Result

	asking int             // calls that need an answer
	stored bool            // the calls have their final arguments: see Execute
	done   []chan struct{} // by index of the call; each is closed when the call has its result, nil where nothing runs

	mu      sync.Mutex
	err     error         // the journal failed
	pending []string      // ids of calls that wait for an approval
	hooked  []event.Event // of hooks, not recorded yet
	halt    string        // a hook or a guard ended the turn: its reason
	replies replies
}

func newTurn(ctx context.Context, r *Runner, s Scope, calls []tool.Call) *turn {
	n := len(calls)
	t := &turn{Runner: r.now(), session: s, observer: r.observer(), limits: r.Limits.withDefaults(),
		calls: calls, understood: make([]*valid, n), judged: make([]*judged, n), results: make([]tool.Result, n)}
	t.shown = &t.own
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	if n > t.limits.Parallel {
		t.slots = make(chan struct{}, t.limits.Parallel)
	}
	return t
}

// now is the runner with the mode and the epoch that hold now. A mode that does not exist is read-only.
func (r *Runner) now() *Runner {
	if r.Now == nil && r.Mode <= guard.Full {
		return r
	}
	fixed := *r
	if r.Now != nil {
		fixed.Mode, fixed.Epoch = r.asked()
	}
	if fixed.Mode > guard.Full {
		fixed.Mode = guard.ReadOnly
	}
	return &fixed
}

// asked returns what Now returns; read-only when it panics.
func (r *Runner) asked() (mode guard.Mode, epoch string) {
	defer func() {
		if p := recover(); p != nil {
			r.log("the mode", tool.Call{}, p, debug.Stack())
			mode, epoch = guard.ReadOnly, ""
		}
	}()
	return r.Now()
}

// fingerprint is that of the guard; one that was never there before when it panics.
func (r *Runner) fingerprint() (rules string) {
	defer func() {
		if p := recover(); p != nil {
			r.log("the fingerprint of the guard", tool.Call{}, p, debug.Stack())
			rules = time.Now().String()
		}
	}()
	return guard.Fingerprint(r.Guard)
}

// observer is the one that is set, or the guard.
func (r *Runner) observer() guard.Observer {
	if r.Observer != nil {
		return r.Observer
	}
	o, _ := r.Guard.(guard.Observer)
	return o
}

// outcome waits until all replies are recorded, and is the error of the whole turn.
func (t *turn) outcome() error {
	t.replies.writing.Wait()
	if t.err != nil {
		return t.err
	}
	if len(t.pending) > 0 {
		return &Pending{Calls: t.pending}
	}
	if t.halt != "" {
		return &Halted{Reason: t.halt}
	}
	return nil
}
