package agent

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
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
	left       bool    // the caller left the loop
	unapproved bool    // a call needed an approval and no person was connected
	fallen     int     // fallback models that took over
	dearest    float64 // the most that a request cost, in US dollars
	choice     string  // which tools may be called: see model.Request
	malformed  int     // answers in a row that the provider could not read
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
		if _, err := w.deliver(false); err != nil {
			return err
		}
		if w.asks >= w.agent.maxTurns() {
			return ended{event.MaxTurns}
		}
		if w.reportDue() {
			return w.report()
		}
		again, err := w.ask()
		if err != nil {
			return err
		}
		if w.open != nil || again {
			continue
		}
		if more, err := w.deliver(true); err != nil {
			return err
		} else if !more {
			return ended{event.Done}
		}
	}
}

// runCalls runs the calls of the open turn that have no result yet, and adds the message with all results.
func (w *work) runCalls() error {
	open := w.open
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
		if err != nil {
			return err
		}
	}
	w.close()
	return nil
}

// relay takes events from the goroutines of running calls to the goroutine of the session, the only one that may yield.
// After the calls have ended, what an abandoned tool still gives is dropped.
type relay struct {
	events chan event.Event
	done   chan struct{}
	denied atomic.Bool // a sub-agent's call needed an approval and no person was connected
}

func (r *relay) give(e event.Event) {
	select {
	case r.events <- e:
	case <-r.done:
	}
}

// recorder is the session's journal while calls run. Each event is shown before the next one is recorded, so that events
// come in the order of their numbers: a client that has seen a number has seen all before it.
type recorder struct {
	mu      sync.Mutex
	journal event.Journal
	show    func(event.Event)
}

// Append records the events and shows them.
func (r *recorder) Append(events ...event.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.journal.Append(events...); err != nil {
		return err
	}
	for _, e := range events {
		r.show(e)
	}
	return nil
}

// run gives calls to the runner and hands its events on as they come.
func (w *work) run(calls []tool.Call) ([]tool.Result, error) {
	w.relay = &relay{events: make(chan event.Event), done: make(chan struct{})}
	defer close(w.relay.done)
	runner := w.agent.runner()
	if len(w.agent.SubAgents) > 0 {
		own := *runner
		own.Tools, runner = w.tools, &own
	}
	session := w.calls()
	session.Earlier, session.Take = w.earlier(), w.takeCalls
	relay := w.relay
	w.recorder = nil
	session.Watch = func(e event.Event) {
		if session.Journal == nil || e.Kind.Live() { // the recorder shows the others
			w.track(e)
			relay.give(e)
		}
	}
	if w.o.Journal != nil {
		w.recorder = &recorder{journal: w.o.Journal, show: func(e event.Event) {
			w.track(e)
			relay.give(e)
		}}
		session.Journal = w.recorder
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
		case e := <-w.relay.events:
			w.emit(e)
		case <-finished:
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
		w.history.Base(s.Model, w.agent.System, w.specs)
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
	usage := w.Usage()
	e := event.Event{Kind: event.Stopped, Stop: event.Failed, Text: w.last, Usage: &usage}
	var failure error
	pending, isPending := errors.AsType[*toolcall.Pending](err)
	end, isEnd := errors.AsType[ended](err)
	switch {
	case isPending:
		e.Stop, e.Text = event.Waiting, pending.Error()
	case isExceeded(context.Cause(w.ctx)):
		e.Stop = event.Budget
	case w.ctx.Err() != nil:
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

// record writes an event to the journal and gives it to the caller. seq is the number that the journal gave it.
func (w *work) record(e event.Event) (seq int64, err error) {
	events := []event.Event{e}
	w.stamp(&events[0])
	if err := w.append(events); err != nil {
		return 0, err
	}
	w.track(events[0])
	w.emit(events[0])
	return events[0].Seq, nil
}

func (s *Session) stamp(e *event.Event) {
	e.Time, e.Turn, e.Session, e.Parent, e.ParentCall = time.Now(), s.turn, s.o.ID, s.o.Parent, s.o.ParentCall
}

// append writes events to the journal, which numbers them.
func (s *Session) append(events []event.Event) error {
	if s.o.Journal == nil {
		return nil
	}
	return s.o.Journal.Append(events...)
}

// show gives an event to the watcher.
func (w *work) show(e event.Event) {
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
	w.emit(e)
}
