package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// DefaultMostStops is how often in a row hooks may keep a session going when Set.MostStops is 0.
const DefaultMostStops = 3

// Set is the hooks of a session and its sub-agents. A nil Set has no hooks. Its methods may be called at once from several
// goroutines.
type Set struct {
	// Hooks returns the hooks. It is called once, at the first event. Nil: none.
	Hooks func() []Hook
	// MostStops is how often in a row Stop hooks may keep a session going; 0 means DefaultMostStops.
	MostStops int

	once sync.Once
	all  []Hook

	lock  sync.Mutex
	types map[string]string // kinds of sub-agents, by their ids
}

// NewSet makes a Set of hooks that are there already.
func NewSet(hooks ...Hook) *Set {
	return &Set{Hooks: func() []Hook { return hooks }}
}

// Outcome is what the hooks of one event decided together.
type Outcome struct {
	// Output is joined: the strictest decision with the reasons of all hooks that took it, every context and notice, and the
	// arguments and the result of the last hook that replaced them.
	Output
	By       string   // names of the hooks that took the decision
	Changed  string   // name of the hook whose Args count
	Approves bool     // Decision is Allow, and answers an approval request for exactly Args
	Reports  []Report // of all hooks that ran
}

// Report is what one hook did.
type Report struct {
	Hook     string
	Event    Event
	Output   Output
	Err      error // nil: it worked
	Duration time.Duration
}

// Has reports whether any hook may run at an event.
func (s *Set) Has(e Event) bool {
	return slices.ContainsFunc(s.hooks(), func(h Hook) bool { return h.Event == e })
}

func (s *Set) hooks() []Hook {
	if s == nil || s.Hooks == nil {
		return nil
	}
	s.once.Do(s.list)
	return s.all
}

// list asks for the hooks. Where that panics, no call runs.
func (s *Set) list() {
	defer func() {
		if p := recover(); p != nil {
			err := fmt.Errorf("the hooks cannot be listed: %v", p)
			s.all = []Hook{{Name: "all", Event: PreToolUse, Run: func(context.Context, Input) (Output, error) { return Output{}, err }}}
		}
	}()
	s.all = s.Hooks()
}

// GoesOn reports whether Stop hooks may make a session continue after they did so n times in a row.
func (s *Set) GoesOn(n int) bool {
	if s.MostStops > 0 {
		return n < s.MostStops
	}
	return n < DefaultMostStops
}

// Run runs the hooks of the event that match, all at once, and joins what they answer. Each one sees the same input.
func (s *Set) Run(ctx context.Context, in Input) Outcome {
	var all []Hook
	in.AgentType = s.typeOf(in)
	for _, h := range s.hooks() {
		if h.Event == in.Event && h.matches(&in) {
			all = append(all, h)
		}
	}
	if len(all) == 0 {
		return Outcome{}
	}
	reports := make([]Report, len(all))
	var running sync.WaitGroup
	for i, h := range all {
		running.Go(func() { reports[i] = h.report(ctx, in) })
	}
	running.Wait()
	o := join(all, reports)
	if why := context.Cause(ctx); why != nil { // no hook failed: what it was asked about has ended
		o.Reports = slices.DeleteFunc(o.Reports, func(r Report) bool { return errors.Is(r.Err, why) })
	}
	return o
}

// matches reports whether the hook runs for the input. One whose Match panics does, and fails.
func (h *Hook) matches(in *Input) (yes bool) {
	defer func() {
		if p := recover(); p != nil {
			yes, h.Run = true, func(context.Context, Input) (Output, error) { panic(p) }
		}
	}()
	return h.Match == nil || h.Match(in.subject())
}

// typeOf returns the kind of a sub-agent, which events of the loop name and others may not.
func (s *Set) typeOf(in Input) string {
	if s == nil || in.Agent == "" {
		return in.AgentType
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if in.AgentType == "" {
		return s.types[in.Agent]
	}
	if s.types == nil {
		s.types = map[string]string{}
	}
	s.types[in.Agent] = in.AgentType
	return in.AgentType
}

// report runs one hook within its time. A hook that ignores its context is left behind.
func (h Hook) report(ctx context.Context, in Input) Report {
	limit := h.Timeout
	if limit <= 0 {
		limit = DefaultTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took longer than %v", limit))
	defer cancel()
	in.Args = slices.Clone(in.Args)
	r := Report{Hook: h.Name, Event: in.Event}
	start := time.Now()
	done := make(chan Report, 1)
	go func(empty Report) { done <- h.call(ctx, in, empty) }(r)
	select {
	case r = <-done:
	case <-ctx.Done():
		r.Err = ctx.Err()
	}
	if errors.Is(r.Err, ctx.Err()) { // also where the hook noticed it first
		r.Err = context.Cause(ctx)
	}
	r.Duration = time.Since(start)
	if r.Output.Args = slices.Clone(r.Output.Args); r.Output.Result != nil {
		text := *r.Output.Result
		r.Output.Result = &text
	}
	if r.Err == nil && len(r.Output.Args) > 0 && !json.Valid(r.Output.Args) {
		r.Err = fmt.Errorf("the arguments that it gave are not JSON")
	}
	if r.Err != nil {
		r.Output = Output{}
		if in.Event == PreToolUse && !h.Open {
			r.Output = Output{Decision: Deny, Reason: fmt.Sprintf("the hook %q failed (%v), and calls do not run without it", h.Name, r.Err)}
		}
	}
	return r
}

func (h Hook) call(ctx context.Context, in Input, r Report) (done Report) {
	done = r
	defer func() {
		if p := recover(); p != nil {
			done.Output, done.Err = Output{}, fmt.Errorf("it panicked: %v", p)
		}
	}()
	done.Output, done.Err = h.Run(ctx, in)
	return done
}

// join makes one outcome of the reports. An approval counts only for the arguments that its hook has seen or given.
func join(all []Hook, reports []Report) Outcome {
	o := Outcome{Reports: reports}
	rewrote := -1
	for i, r := range reports {
		out := r.Output
		o.Decision = max(o.Decision, out.Decision)
		if len(out.Args) > 0 {
			o.Args, o.Changed, rewrote = out.Args, r.Hook, i
		}
		if out.Result != nil {
			o.Result = out.Result
		}
		if o.Halt == "" {
			o.Halt = out.Halt
		}
		o.Context, o.Notice = lines(o.Context, out.Context), lines(o.Notice, out.Notice)
	}
	for i, r := range reports {
		if r.Output.Decision != o.Decision || o.Decision == None {
			continue
		}
		o.Reason, o.By = lines(o.Reason, r.Output.Reason), comma(o.By, r.Hook)
		o.Approves = o.Approves || o.Decision == Allow && all[i].Approves && (rewrote < 0 || rewrote == i)
	}
	return o
}

func lines(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

func comma(a, b string) string { return strings.TrimPrefix(a+", "+b, ", ") }
