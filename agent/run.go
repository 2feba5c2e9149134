package agent

import (
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"rein/event"
	"rein/toolcall"
)

// run is one Send, Resume or Compact of a session, from its beginning to the event Stopped.
type run struct {
	*Session
	ctx        context.Context
	events     *stream
	recorder   *recorder
	background background // sub-agents that the model does not wait for
	meter      meter      // what the run took so far

	part  Part   // of the loop that the run does; "": all
	tells string // what the model is told before the next request
	turnState
	choice     string      // which tools may be called: see model.Request
	answered   bool        // the model had answered before the run began: the run continues with what follows an answer
	tightNoted bool        // it was said that the window is nearly full
	unapproved atomic.Bool // a call, of a sub-agent too, needed an approval and no person was connected
}

// background is where sub-agents work that the model does not wait for.
type background struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	working sync.WaitGroup
}

// ended is the error of a loop that ends for a reason which is no fault.
type ended struct{ stop event.Stop }

func (e ended) Error() string { return string(e.stop) }

// run begins with a step of its own, runs the loop, and gives the event Stopped.
func (s *Session) run(ctx context.Context, begin func(*run) error) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		r := &run{Session: s, ctx: ctx, events: newStream(s.options.Watch, yield, cancel)}
		r.recorder = &recorder{journal: s.options.Journal, show: func(e event.Event) {
			r.track(e)
			r.events.give(e, true)
		}}
		if !s.enter(r) {
			yield(event.Event{Kind: event.Stopped, Session: s.options.ID, Stop: event.Failed, Text: ErrBusy.Error(), Time: time.Now()}, ErrBusy)
			return
		}
		defer s.leave()
		if s.spent.account() == nil {
			s.openAccount()
		}
		err := r.recordStart()
		if err == nil {
			err = r.startHooks()
		}
		if err == nil {
			err = begin(r)
		}
		defer r.timed()()
		r.background.ctx, r.background.cancel = context.WithCancelCause(r.ctx)
		defer r.background.cancel(nil)
		if err == nil {
			r.lastStop = ""
			r.resumeBackground()
			err = r.loop()
		}
		if !left(r, err) {
			r.stop(err)
		}
	}
}

// enter reports whether nothing was at work in the session; r is then.
func (s *Session) enter(r *run) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		return false
	}
	s.running, s.queue.closed = r, false
	return true
}

func (s *Session) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running.events.close()
	s.running = nil
}

// current is the run that is at work, or nil.
func (s *Session) current() *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running
}

// Working reports whether a turn is at work.
func (s *Session) Working() bool { return s.current() != nil }

// Interrupt cancels the turn that is at work, whoever began it, and reports whether one was.
func (s *Session) Interrupt() bool {
	r := s.current()
	if r != nil {
		r.events.cancel()
	}
	return r != nil
}

// recordStart checks that the session can be recorded, and records how it runs.
func (r *run) recordStart() error {
	if r.tools.err != nil {
		return r.tools.err
	}
	if r.agent.Model == nil {
		return errors.New("the agent has no model")
	}
	if r.agent.Output != nil && len(r.agent.Output.Raw()) == 0 {
		return errors.New("the schema in Agent.Output is empty")
	}
	if !r.started {
		runner := r.agent.runner()
		mode, _ := modeOf(runner)
		how := r.agent.How
		how.Model, how.Resumed, how.Version = r.agent.Model.Info().String(), r.resumed, r.agent.Version
		how.Mode, how.Dir, how.Tools = mode.String(), runner.Root, r.tools.set.Names()
		if !continues(r.Session) {
			if _, err := r.record(event.Event{Kind: event.Started, Start: &how}); err != nil {
				return err
			}
		}
		r.started = true
		r.mu.Lock()
		r.history.Base(how.Model, r.agent.system(), r.tools.specs)
		r.mu.Unlock()
	}
	for _, text := range r.notices {
		r.notice(text)
	}
	r.notices = nil
	return nil
}

// stop gives the last event, with the reason why the run ended.
func (r *run) stop(err error) {
	e := event.Event{Kind: event.Stopped, Stop: event.Failed, Text: r.lastAnswer}
	var failure error
	pending, isPending := errors.AsType[*toolcall.Pending](err)
	end, isEnd := errors.AsType[ended](err)
	cause := context.Cause(r.ctx)
	r.endBackground(isPending)
	usage := r.Usage()
	e.Usage = &usage
	hook, isHalt := errors.AsType[halt](err)
	switch {
	case isPending:
		e.Stop, e.Text = event.Waiting, r.waitsFor(pending)
	case isHalt && cause == nil:
		e.Stop, e.Text = event.Halted, hook.reason
	case isExceeded(cause):
		e.Stop = event.Budget
	case cause != nil:
		e.Stop, e.Text = event.Cancelled, "cancelled"
	case isEnd && end.stop == event.Done && r.unapproved.Load():
		e.Stop = event.Denied
	case isEnd:
		e.Stop = end.stop
	default:
		e.Text, failure = err.Error(), err
	}
	events := []event.Event{e}
	r.stamp(&events[0])
	if recordErr := event.Append(r.options.Journal, events...); recordErr != nil && failure == nil {
		events[0].Stop, events[0].Text, failure = event.Failed, recordErr.Error(), recordErr
	}
	r.lastStop, r.paused = events[0].Stop, turnState{}
	r.events.last(events[0], failure)
}

// waitsFor names the calls that wait for an approval: where a sub-agent asks, its own and not the one that it serves.
func (r *run) waitsFor(pending *toolcall.Pending) string {
	all := r.Pending()
	if len(all) == 0 {
		return pending.Error()
	}
	named := toolcall.Pending{}
	for _, one := range all {
		named.Calls = append(named.Calls, one.ID)
	}
	return named.Error()
}

func isExceeded(err error) bool {
	_, is := errors.AsType[*BudgetExceeded](err)
	return is
}
