package agent

import (
	"context"
	"errors"
	"sync"
	"time"

	"rein/agent/budget"
	"rein/event"
	"rein/tool"
	"rein/toolcall"
)

// work is one Send or Resume while it runs.
type work struct {
	*Session
	ctx        context.Context
	cancel     context.CancelFunc
	yield      func(event.Event, error) bool
	left       bool          // the caller left the loop
	unapproved bool          // a call needed an approval and no person was connected
	fallen     int           // fallback models that took over
	dearest    float64       // the most that a request cost, in US dollars
	began      time.Time     // when this Send or Resume began
	timeLeft   time.Duration // that the budget left it then; 0 is no limit
	slowest    time.Duration // the longest that a request took
	warned     bool          // of the time
	choice     string        // which tools may be called: see model.Request
	malformed  int           // answers in a row that the provider could not read
	resting    bool          // the turn continues where the model had answered already
	misfit     bool          // an answer did not fit Agent.Answer

	relay      *relay
	recorder   *recorder
	background context.Context // of background sub-agents
	dismiss    context.CancelFunc
	helpers    sync.WaitGroup // background sub-agents that are at work
	kept       int            // how often in a row hooks kept the session going
}

// ended is the error of a loop that ends for a reason which is no fault.
type ended struct{ stop event.Stop }

func (e ended) Error() string { return string(e.stop) }

// turns sends requests to the model and runs its calls until nothing is called.
func (w *work) turns() error {
	for {
		if w.open != nil {
			if err := w.runCalls(); err != nil {
				return err
			}
		}
		if w.resting { // a background sub-agent was suspended, and the model had answered
			w.resting = false
		} else if again, err := w.turnOnce(); err != nil {
			return err
		} else if again {
			continue
		}
		more, err := w.next()
		if err != nil {
			return err
		}
		if more {
			continue
		}
		if again, err := w.checkAnswer(); err != nil {
			return err
		} else if again {
			continue
		}
		if on, err := w.goesOn(); err != nil {
			return err
		} else if !on {
			return ended{event.Done}
		}
	}
}

// turnOnce sends the next request, with what has come for the model meanwhile. again means that calls follow, or that the model
// gets another request.
func (w *work) turnOnce() (again bool, err error) {
	if _, err := w.deliver(false); err != nil {
		return false, err
	}
	if err := w.think(); err != nil || w.open != nil {
		return w.open != nil, err
	}
	w.warnOfTime()
	switch {
	case w.asks >= w.agent.maxTurns():
		return false, ended{event.MaxTurns}
	case w.reportDue():
		return false, w.report()
	}
	asked := time.Now()
	again, err = w.ask()
	w.slowest = max(w.slowest, time.Since(asked))
	return again || w.open != nil, err
}

// runCalls runs the calls of the open turn that have no result yet, and adds the message with all results.
func (w *work) runCalls() error {
	open := w.open
	for _, id := range open.lost {
		r := open.results[id]
		if _, err := w.record(event.Event{Kind: event.Replied, Call: &tool.Call{ID: id, Name: r.Name}, Result: &r}); err != nil {
			return err
		}
	}
	open.lost = nil
	parts := open.asked.Calls()
	var calls []tool.Call
	for _, p := range parts {
		if _, done := open.results[p.ID]; !done {
			calls = append(calls, tool.Call{ID: p.ID, Name: p.Name, Args: []byte(p.Args), Truncated: p.Truncated})
		}
	}
	if len(calls) > 0 {
		n := budget.Amount{Calls: int64(len(calls))}
		if err := w.hold(n); err != nil {
			return err
		}
		w.count(n, n)
		results, err := w.run(calls)
		for _, r := range results {
			if r.ID != "" && r.Kind != tool.Waiting {
				open.results[r.ID] = r
			}
			w.unapproved = w.unapproved || r.Kind == tool.Unapproved
		}
		if stop, ok := errors.AsType[*toolcall.Halted](err); ok {
			w.close()
			return halt{stop.Reason}
		}
		if err != nil {
			return err
		}
	}
	w.close()
	return nil
}

// run gives calls to the runner and passes its events on as they come.
func (w *work) run(calls []tool.Call) ([]tool.Result, error) {
	runner := w.agent.runner()
	if w.agent.Team != nil {
		own := *runner
		own.Tools, runner = w.tools, &own
	}
	session := w.calls()
	session.Earlier, session.Journal, session.Take = w.earlier(), w.recorder, w.takeCalls
	session.Watch = func(e event.Event) {
		if e.Kind.Live() { // the recorder shows the others
			w.relay.give(e, false)
		}
	}
	var results []tool.Result
	var err error
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		results, err = runner.Run(w.ctx, session, calls)
	}()
	for {
		select {
		case <-w.relay.ready:
			w.drain()
		case <-finished:
			w.drain()
			w.unapproved = w.unapproved || w.relay.denied.Load()
			return results, err
		}
	}
}

// start checks that the session can be recorded, and records how it runs.
func (w *work) start() error {
	if w.broken != nil {
		return w.broken
	}
	if w.agent.Model == nil {
		return errors.New("the agent has no model")
	}
	if !w.started {
		r := w.agent.runner()
		how := w.agent.How
		s := &how
		s.Model, s.Resumed, s.Version = w.agent.Model.Info().String(), w.resumed, w.agent.Version
		s.Mode, s.Dir, s.Tools = r.Mode.String(), r.Root, w.tools.Names()
		if r.Now != nil {
			mode, _ := r.Now()
			s.Mode = mode.String()
		}
		if _, err := w.record(event.Event{Kind: event.Started, Start: s}); err != nil {
			return err
		}
		w.started = true
		w.mu.Lock()
		w.history.Base(s.Model, w.agent.system(), w.specs)
		w.mu.Unlock()
	}
	for _, text := range w.notices {
		w.live(event.Notice, text)
	}
	w.notices = nil
	return nil
}

// stop gives the last event, with the reason why the turn ended.
func (w *work) stop(err error) {
	e := event.Event{Kind: event.Stopped, Stop: event.Failed, Text: w.last}
	var failure error
	pending, isPending := errors.AsType[*toolcall.Pending](err)
	end, isEnd := errors.AsType[ended](err)
	cause := context.Cause(w.ctx)
	w.settle(isPending)
	usage := w.Usage()
	e.Usage = &usage
	hook, isHalt := errors.AsType[halt](err)
	switch {
	case isPending:
		e.Stop, e.Text = event.Waiting, pending.Error()
	case isHalt && cause == nil:
		e.Stop, e.Text = event.Halted, hook.reason
	case isExceeded(cause):
		e.Stop = event.Budget
	case cause != nil:
		e.Stop, e.Text = event.Cancelled, "cancelled"
	case isEnd && end.stop == event.Done && w.unapproved:
		e.Stop = event.Denied
	case isEnd:
		e.Stop = end.stop
	default:
		e.Text, failure = err.Error(), err
	}
	events := []event.Event{e}
	w.stamp(&events[0])
	if recordErr := w.append(events); recordErr != nil && failure == nil {
		events[0].Stop, events[0].Text, failure = event.Failed, recordErr.Error(), recordErr
	}
	w.ended = events[0].Stop
	w.show(events[0])
	if !w.left {
		w.yield(events[0], failure)
	}
}

func isExceeded(err error) bool {
	_, is := errors.AsType[*budget.Exceeded](err)
	return is
}

// record writes an event to the journal and returns it to the caller. seq is the number that the journal gave it.
func (w *work) record(e event.Event) (seq int64, err error) {
	events := []event.Event{e}
	w.stamp(&events[0])
	err = w.recorder.Append(events...)
	w.drain()
	return events[0].Seq, err
}

func (s *Session) stamp(e *event.Event) {
	e.Time, e.Turn, e.Session, e.Parent, e.ParentCall = time.Now(), s.turn, s.o.ID, s.o.Parent, s.o.ParentCall
}

// append writes events to the journal, which numbers them.
func (s *Session) append(events []event.Event) error {
	return event.Append(s.o.Journal, events...)
}

// show gives an event to the watcher. One that panics changes nothing.
func (w *work) show(e event.Event) {
	defer func() { _ = recover() }()
	if w.o.Watch != nil {
		w.o.Watch(e)
	}
}

// emit gives an event to the watcher and the caller; when the caller leaves the loop, what runs is cancelled.
func (w *work) emit(e event.Event) {
	w.show(e)
	if !w.left && !w.yield(e, nil) {
		w.left = true
		w.cancel()
	}
}

func (w *work) live(kind event.Kind, text string) {
	w.emitLive(event.Event{Kind: kind, Text: text})
}

func (w *work) emitLive(e event.Event) {
	w.stamp(&e)
	w.drain()
	w.emit(e)
}
