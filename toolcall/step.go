package toolcall

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"rein/tool"
)

// leastStep is how long a step before a call runs may take at least, however short the time limit of calls is.
const leastStep = 10 * time.Second

// inTime does a step of a call that may use files, and gives it up when it takes longer than a call may: a file system that does
// not answer holds back no session. What was given up continues by itself until the file system answers; after is then called
// with its error, and may be nil. Where the step gives an error, what it set is not read. Without a worker it has one of its own.
func inTime(t *turn, w *worker, call *tool.Call, does string, do func(context.Context) error, after func(error)) error {
	s := &step{call: call, does: does, limit: max(t.limits.Timeout, leastStep), grace: max(t.limits.Grace, time.Second), work: do, after: after}
	if w != nil {
		return w.step(s, time.Now())
	}
	var err error
	t.relay([]part{{do: func(_ *turn, w *worker, _ int) { err = w.step(s, time.Now()) }, instead: func(_ *turn, _ int, why error) { err = why }}})
	return err
}

// step is a step that may hang, and its context. Most steps never look at it, so a context with a timer is made when one does.
type step struct {
	context.Context // of the turn
	call            *tool.Call
	does            string // what it does, for the model; "": it is the tool
	limit, grace    time.Duration
	work            func(context.Context) error
	after           func(error) // called with what it gave when it ends after it was given up; may be nil

	deadline time.Time
	due      time.Time // when it is given up, or has only its grace left
	hurried  bool      // it has
	gave     error
	why      error // why its context ended before it did

	mu     sync.Mutex
	made   context.Context
	cancel context.CancelFunc
	over   bool
}

func (s *step) run(t *turn) {
	defer func() { s.why = s.end() }()
	defer t.caught("a tool", *s.call, &s.gave)
	s.gave = s.work(s)
}

// hurry leaves the step its grace only, and reports whether it had more.
func (s *step) hurry() bool {
	if s.hurried {
		return false
	}
	s.hurried, s.due = true, time.Now().Add(s.grace)
	return true
}

// givenUp records that the step was given up, and is the error that it counts as.
func (s *step) givenUp(t *turn) error {
	if s.does == "" {
		t.audit(*s.call, "the tool did not end when it had to, and was given up")
		return cmp.Or(t.ended(), error(deadline{s.limit}))
	}
	t.audit(*s.call, s.does+" did not end and was given up")
	if err := t.ended(); err != nil {
		return err
	}
	return &tool.Error{Kind: tool.TimedOut, Text: fmt.Sprintf("Not run: %s took longer than %v. A directory that it looked at may belong to a file system that does not answer.", s.does, s.limit),
		Hint: "Leave that path alone, or ask the user to look at the mounted directories."}
}

// own is the context of the step itself.
func (s *step) own() context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made == nil {
		s.made, s.cancel = context.WithDeadlineCause(s.Context, s.deadline, deadline{s.limit})
		if s.over {
			s.cancel()
		}
	}
	return s.made
}

func (s *step) Deadline() (time.Time, bool) { return s.own().Deadline() }
func (s *step) Done() <-chan struct{}       { return s.own().Done() }
func (s *step) Err() error                  { return s.own().Err() }
func (s *step) Value(key any) any           { return s.own().Value(key) } // package context looks for the one that it made

// end ends the context of the step, and returns why it ended before.
func (s *step) end() (why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	if s.made != nil {
		why = context.Cause(s.made)
		s.cancel()
	}
	return why
}

// errNoReturn is the error of a step that ended its goroutine, as runtime.Goexit does.
var errNoReturn = &tool.Error{Kind: tool.Failed, Text: "It ended without a result."}
