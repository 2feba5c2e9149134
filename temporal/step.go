package temporal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	sdk "go.temporal.io/sdk/temporal"

	"rein/agent"
	"rein/event"
	"rein/guard"
)

// activityName is the one activity: a step of a session.
const activityName = "rein.step"

// stepper does steps.
type stepper struct {
	store  Store
	watch  func(event.Event) // may be nil
	flush  func()            // is called after each step, and before what is recorded: what was watched is passed on
	open   func(ctx context.Context, in StepInput, o Opening) (Opened, error)
	offers bool                                       // it keeps what the model is offered, for those that ask it
	end    func(ctx context.Context, o Opening) error // may be nil

	asks  *stepper // asks models in this process; nil: another one does
	queue string   // of the models that asks has

	levels int // how deep sub-agents have workflows of their own; 0: they work in the step that starts them
	state  func(ctx context.Context, session string) (State, error)
	signal func(ctx context.Context, session, name string, arg any) error
}

// ends is the part of a session that ends, for the host: no part of the loop.
const ends agent.Part = "end"

// Step is the activity: a part of the loop, or several where this process can do what comes next.
func (w *stepper) Step(ctx context.Context, in StepInput) (out StepResult, err error) {
	defer beating(ctx)()
	out, err = w.part(ctx, in)
	if err != nil || w.asks == nil || or(in.Models, DefaultModels) != w.queue {
		return out, err
	}
	return w.more(ctx, in, out)
}

// part does one part of the loop.
func (w *stepper) part(ctx context.Context, in StepInput) (StepResult, error) {
	return w.opened(ctx, in, func(ctx context.Context, s *step, opened Opened) (err error) {
		s.out, err = s.run(ctx)
		s.out.Offer, s.out.Kept, s.out.Host, s.out.Ends = in.Offer, in.Kept, opened.Host, opened.Ends
		if opened.Keep != nil && err == nil {
			s.out.Kept, err = opened.Keep(context.WithoutCancel(ctx), s.told)
		}
		if w.offers && err == nil { // what the step learned counts for the next request
			s.out.Offer, err = offered(opened).keep(context.WithoutCancel(ctx), w.store, in.Session)
		}
		return err
	})
}

// opened opens a session, and does something with it.
func (w *stepper) opened(ctx context.Context, in StepInput, do func(context.Context, *step, Opened) error) (out StepResult, err error) {
	defer w.flush()
	log, err := w.store.Open(ctx, in.Session)
	if err != nil {
		return out, err
	}
	defer func() {
		if closing := log.Close(); err == nil { // an error that is joined with another one is not known to the server
			err = closing
		}
	}()
	held := &held{Log: log, flush: w.flush}
	ctx, cancel := context.WithCancelCause(stepContext(ctx, held))
	defer cancel(nil)
	s := &step{stepper: w, in: in, log: held}
	if in.Part == ends {
		if w.end != nil {
			err = w.end(ctx, s.opening(ctx))
		}
		return out, err
	}
	opened, err := w.open(ctx, in, s.opening(ctx))
	if opened.Close != nil {
		defer func() {
			if closing := opened.Close(); err == nil {
				err = closing
			}
		}()
	}
	if lost := s.lost(); lost != nil {
		err = lost
	}
	if err != nil {
		return out, err
	}
	opened.Session.Continues(in.Carried)
	s.session, s.tell, s.host = opened.Session, opened.Tell, opened.Host
	if in.Cancel {
		cancel(errors.New("the user stopped the turn"))
	}
	err = do(ctx, s, opened)
	return s.out, err
}

// beating tells the server that the step is at work, until the function that it returns is called.
func beating(ctx context.Context) (done func()) {
	ended, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(heartbeatEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				activity.RecordHeartbeat(ctx)
			case <-ended:
				return
			}
		}
	}()
	return func() { close(ended); <-stopped }
}

// stepContext is the context of a step. It ends with that of the activity; where that is not because the user cancelled the turn, nothing is
// recorded any more: the worker stops, or the server thinks that it is gone, and another step takes the session up.
func stepContext(ctx context.Context, log *held) context.Context {
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		cause := context.Cause(ctx)
		if !sdk.IsCanceledError(cause) {
			log.fail(fmt.Errorf("the step was given up: %w", cause))
		}
		cancel(cause)
	})
	return own
}

// held is the journal of a session during a step. It knows the last event and whether appending failed.
type held struct {
	Log
	flush    func() // see stepper; may be nil
	mu       sync.Mutex
	seq      int64
	err      error
	children []*held // of sub-agents that are at work in the step
}

// child opens the journal of a sub-agent. It fails with that of the session.
func (h *held) child(ctx context.Context, s Store, id string) (event.Journal, error) {
	log, err := s.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	c := &held{Log: log, flush: h.flush, err: h.err}
	h.children = append(h.children, c)
	return c, nil
}

// Append appends behind the live text that came before, else who watches would not get the end of an answer.
func (h *held) Append(events ...event.Event) error {
	if h.flush != nil {
		h.flush()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err == nil {
		h.err = h.Log.Append(events...)
	}
	if h.err == nil && len(events) > 0 {
		h.seq = max(h.seq, events[len(events)-1].Seq)
	}
	return h.err
}

func (h *held) fail(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.err = errors.Join(h.err, err)
	for _, c := range h.children {
		c.fail(err)
	}
}

func (h *held) failed() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// step is a step while it is done.
type step struct {
	*stepper
	in      StepInput
	log     *held
	session *agent.Session
	out     StepResult

	prompts int        // messages of the user since the step before ended
	task    int64      // the last one that the session got, where it is that of a sub-agent
	damaged int        // lines of the journal that cannot be read
	stop    event.Stop // of the last turn
	tell    string     // see Opened
	told    bool
	host    string // see Opened

	mu         sync.Mutex
	personOnly map[string]bool // by SESSION/CALL
}

// opening is the session that the step opens.
func (s *step) opening(ctx context.Context) Opening {
	o := Opening{About: s.in.About, Kept: s.in.Kept, After: s.in.After, Journal: s.log, Later: guard.ApproverFunc(s.later), Session: s.in.Task.Options(), Task: s.in.Task}
	o.Session.ID, o.Session.Journal, o.Session.Watch = s.in.Session, s.log, s.watch
	o.Session.Child = func(id string) (event.Journal, error) { return s.log.child(ctx, s.store, id) }
	o.Session.Past = func(id string) iter.Seq2[event.Event, error] {
		if id == s.in.Session {
			return o.Past
		}
		return s.store.Events(ctx, id, 0)
	}
	if s.levels > 0 {
		o.Session.Elsewhere = s
	}
	o.Past = func(yield func(event.Event, error) bool) {
		s.prompts, s.stop, s.damaged = 0, "", 0
		for e, err := range s.log.Past() {
			if err == nil {
				s.saw(e)
			}
			if !yield(e, err) {
				return
			}
		}
		if err := s.lost(); err != nil {
			yield(event.Event{}, err)
		}
	}
	return o
}

// lostType is the type of the error of a step whose journal has lost events. Its details are how many.
const lostType = "lost"

// lost is why the step is not done with the journal as it is: events of the session are not in it any more, and nobody has said that the
// session may continue without them.
func (s *step) lost() error {
	missing := int(max(0, s.in.After-s.log.seq-int64(s.damaged)))
	n := s.damaged + missing
	if n <= s.in.LeftOut {
		return nil
	}
	return sdk.NewNonRetryableApplicationError(fmt.Sprintf("the journal of the session is damaged (lines that cannot be read: %d; events that are missing: %d; the last event was %d). "+
		"Put it back from a copy, or let the session continue without them (retry)", s.damaged, missing, s.in.After), lostType, nil, n)
}

// saw takes note of an event that the journal had.
func (s *step) saw(e event.Event) {
	s.log.seq = max(s.log.seq, e.Seq)
	switch {
	case e.Kind == event.Damaged:
		s.damaged++
	case e.Kind == event.Prompted:
		if e.Seq > s.in.After {
			s.prompts++
		}
		s.task, s.stop = max(s.task, e.At), ""
	case e.Kind == event.Stopped:
		s.stop = e.Stop
	}
}

// later is the approver of all calls: the workflow has the answers.
func (s *step) later(_ context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.personOnly == nil {
		s.personOnly = map[string]bool{}
	}
	session := c.Session
	if c.SubAgent != "" {
		session = c.SubAgent
	}
	s.personOnly[session+"/"+c.Call.ID] = v.PersonOnly
	return guard.Answer{Choice: guard.Later}, nil
}

// run does the step, unless an earlier one whose end nobody heard of has done it.
func (s *step) run(ctx context.Context) (StepResult, error) {
	messages, err := s.messages(ctx)
	if err != nil {
		return StepResult{}, err
	}
	for _, a := range s.in.Answers {
		if err := s.session.Answer(a.Request, a.guard()); err != nil && !errors.Is(err, agent.ErrNotPending) {
			return StepResult{}, err
		}
	}
	due, _ := s.session.Due()
	part := due
	if s.in.Cancel || due == "" || slices.ContainsFunc(messages, func(m agent.Queued) bool { return m.Steer }) {
		part = agent.Works
	}
	if part != s.in.Part || due == "" && (s.in.Cancel || len(messages) == 0) {
		return s.result(len(s.in.Messages)-len(messages), due), s.log.failed()
	}
	var last event.Event
	for e, err := range s.session.Step(ctx, agent.Stepping{Part: part, Messages: messages, Carried: s.in.Carried, Tell: s.tell}) {
		last = e
		s.told = s.told || s.tell != "" && e.Kind == event.Hinted && e.Text == s.tell
		if err != nil && last.Kind != event.Stopped {
			return StepResult{}, err
		}
	}
	if err := s.log.failed(); err != nil {
		return StepResult{}, err
	}
	s.stop = ""
	if last.Kind == event.Stopped && last.Session == s.in.Session {
		s.stop = last.Stop
	}
	due, _ = s.session.Due()
	return s.result(len(s.in.Messages)-len(s.session.Queue().List()), due), nil
}

// messages are those that the session has not got. They are taken in the order in which they are given: see agent.Session.Queue.
func (s *step) messages(ctx context.Context) (all []agent.Queued, err error) {
	for i, m := range s.in.Messages[min(s.prompts, len(s.in.Messages)):] {
		if m.Task > 0 && m.Task <= s.task { // the step above was done again, and has asked for a sub-agent that is done
			continue
		}
		var ref []byte
		if m.Ref != "" {
			if ref, err = s.store.Get(ctx, s.in.Session, m.Ref); err != nil {
				return nil, fmt.Errorf("the message %s: %w", m.ID, err)
			}
		}
		parts := s.session.Assigned()
		if m.Task == 0 {
			if parts, err = m.parts(ref); err != nil {
				return nil, fmt.Errorf("the message %s: %w", m.ID, err)
			}
		}
		all = append(all, agent.Queued{ID: i + 1, Steer: m.Steer, Parts: parts, Task: m.Task})
	}
	return all, nil
}

// result is what the workflow gets to know.
func (s *step) result(taken int, due agent.Part) StepResult {
	_, carried := s.session.Due()
	out := StepResult{Seq: s.log.seq, Due: due, Stop: s.stop, Taken: taken, Carried: carried, Usage: s.session.Usage()}
	if s.stop != event.Waiting {
		if s.stop != "" { // calls of the last answer may be left: a message continues with them
			out.Due = ""
		}
		return out
	}
	for _, r := range s.session.Pending() {
		out.Pending = append(out.Pending, Pending{ID: r.ID, Session: r.Session, Tool: r.Call.Name, Hash: r.Hash, PersonOnly: s.personOnly[r.Session+"/"+r.Call.ID]})
	}
	return out
}
