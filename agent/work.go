package agent

import (
	"context"
	"errors"
	"time"

	"rein/event"
	"rein/model"
	"rein/tool"
	"rein/toolcall"
)

// work is one Send or Resume on its way.
type work struct {
	*Session
	ctx        context.Context
	cancel     context.CancelFunc
	yield      func(event.Event, error) bool
	left       bool  // the caller left the loop
	asks       int   // requests to the model
	spent      int64 // tokens
	unapproved bool  // a call needed a yes and nobody was there
	malformed  int   // answers in a row that the provider could not read
	last       string
}

// ended is the error of a loop that ends for a reason which is no fault.
type ended struct{ stop event.Stop }

func (e ended) Error() string { return string(e.stop) }

// turns asks the model and runs its calls until nothing is called.
func (w *work) turns() error {
	for {
		if w.open != nil {
			if err := w.runCalls(); err != nil {
				return err
			}
		}
		if w.asks >= w.agent.maxTurns() {
			return ended{event.MaxTurns}
		}
		if w.agent.Budget > 0 && w.spent >= w.agent.Budget {
			return ended{event.Budget}
		}
		again, err := w.ask()
		if err != nil {
			return err
		}
		if w.open == nil && !again {
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
	results := make([]model.Part, len(parts))
	for i, p := range parts {
		r := open.results[p.ID]
		results[i] = model.Result(p.ID, r.Text, r.Failed)
	}
	w.messages = append(w.messages, model.Answer(open.asked, results...))
	w.open = nil
	return nil
}

// run gives calls to the runner and hands its events on as they come.
func (w *work) run(calls []tool.Call) ([]tool.Result, error) {
	if w.agent.Calls == nil {
		return (&toolcall.Runner{}).Run(w.ctx, calls, nil)
	}
	events := make(chan event.Event) // from the runner's goroutines to ours, the only one that may yield
	var results []tool.Result
	var err error
	go func() {
		defer close(events)
		results, err = w.agent.Calls.Run(w.ctx, calls, func(e event.Event) { events <- e })
	}()
	for e := range events {
		e.Turn = w.turn
		w.emit(e)
	}
	return results, err
}

// start checks that the session can be recorded, and records how it runs.
func (w *work) start() error {
	if w.started {
		return nil
	}
	s := &event.Start{Model: w.agent.Model.Info().String(), Resumed: w.resumed, Version: w.agent.Version}
	if r := w.agent.Calls; r != nil {
		s.Mode, s.Dir, s.Tools = r.Mode.String(), r.Root, r.Tools.Names()
	}
	if err := w.record(event.Event{Kind: event.Started, Start: s}); err != nil {
		return err
	}
	w.started = true
	return nil
}

// stop tells how it ended: always, and always last.
func (w *work) stop(err error) {
	e := event.Event{Kind: event.Stopped, Stop: event.Failed, Text: w.last, Usage: &event.Usage{}}
	*e.Usage = w.usage
	var failure error
	pending, isPending := errors.AsType[*toolcall.Pending](err)
	end, isEnd := errors.AsType[ended](err)
	switch {
	case isPending:
		e.Stop, e.Text = event.Waiting, pending.Error()
	case w.ctx.Err() != nil:
		e.Stop, e.Text = event.Cancelled, "cancelled"
	case isEnd && end.stop == event.Done && w.unapproved:
		e.Stop = event.Denied
	case isEnd:
		e.Stop = end.stop
	default:
		e.Text, failure = err.Error(), err
	}
	w.stamp(&e)
	if recordErr := w.journal(e); recordErr != nil && failure == nil {
		e.Stop, e.Text, failure = event.Failed, recordErr.Error(), recordErr
	}
	if !w.left {
		w.yield(e, failure)
	}
}

// record writes an event to the journal and gives it to the caller.
func (w *work) record(e event.Event) error {
	w.stamp(&e)
	if err := w.journal(e); err != nil {
		return err
	}
	w.emit(e)
	return nil
}

func (w *work) stamp(e *event.Event) {
	e.Time, e.Turn = time.Now(), w.turn
	if r := w.agent.Calls; r != nil {
		e.Session, e.Parent = r.Session, r.Parent
	}
}

func (w *work) journal(e event.Event) error {
	if r := w.agent.Calls; r != nil && r.Journal != nil {
		return r.Journal.Append(e)
	}
	return nil
}

// emit gives an event to the caller; when the caller leaves the loop, what runs is cancelled.
func (w *work) emit(e event.Event) {
	if !w.left && !w.yield(e, nil) {
		w.left = true
		w.cancel()
	}
}

func (w *work) live(kind event.Kind, text string) {
	e := event.Event{Kind: kind, Text: text}
	w.stamp(&e)
	w.emit(e)
}
