package session

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"sync"

	"rein/event"
)

// Turns shows a screen the turns of a session that several front ends lead, whoever began them. The fields are set before the first event,
// and do not change.
type Turns struct {
	ID       string                    // of the session
	Happened func(event.Event)         // shows an event that belongs to no turn
	Joined   func()                    // lets the screen show, by Resume, a turn that it did not begin
	Cancel   func(failed chan<- error) // stops what is at work; its end comes as an event
	Stopped  func()                    // is called before the end of a turn that was stopped is shown; nil: nothing is
	Closed   <-chan struct{}           // closed when no more events come
	Fault    func() error              // why nothing more of the session can be recorded; nil: that is not known here
	Goes     bool                      // turns continue when the user leaves

	mu      sync.Mutex    // guards what follows
	wake    chan struct{} // has room for one: the turn that is shown has an event, or is over
	events  []event.Event // that wait for the screen
	working bool          // a turn is at work, or a call waits
	taking  bool          // the screen shows a turn
	joined  bool          // the screen knows that there is one
}

// NewTurns returns the turns of a session. working: one is at work.
func NewTurns(t *Turns, working bool) *Turns {
	t.wake, t.working = make(chan struct{}, 1), working
	return t
}

// Waiting reports whether there is something that Show shows.
func (t *Turns) Waiting() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.working || len(t.events) > 0
}

// Working reports whether a turn is at work.
func (t *Turns) Working() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.working
}

// beginsTurn reports whether an event of the session shows that a turn is at work. A call that the user made is in none.
func beginsTurn(e event.Event) bool {
	switch e.Kind {
	case event.Prompted, event.Requested, event.Delta, event.Thought:
		return true
	case event.Called, event.Granted:
		return e.Turn > 0
	}
	return false
}

// Came takes an event that the screen has not shown: a turn that is shown gets it, or else the person.
func (t *Turns) Came(e event.Event) {
	own := e.Session == t.ID
	t.mu.Lock()
	defer t.mu.Unlock()
	if own && beginsTurn(e) {
		t.working = true
	}
	if own && e.Kind == event.Stopped {
		t.working = false
	}
	if !t.taking && len(t.events) == 0 && !(own && beginsTurn(e)) {
		t.Happened(e)
		return
	}
	t.events = append(t.events, e)
	t.wakeLocked()
	t.joinLocked()
}

// Over ends the turn that is shown.
func (t *Turns) Over() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.working = false
	t.wakeLocked()
}

// joinLocked lets the screen show a turn that it did not begin; t.mu is held.
func (t *Turns) joinLocked() {
	if !t.taking && !t.joined && len(t.events) > 0 {
		t.joined = true
		t.Joined()
	}
}

func (t *Turns) wakeLocked() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// Rest returns the events that the screen has not got, and forgets them.
func (t *Turns) Rest() []event.Event {
	t.mu.Lock()
	defer t.mu.Unlock()
	rest := t.events
	t.events = nil
	return rest
}

// next returns the next event of the turn. over is set where nothing is running any more.
func (t *Turns) next() (e event.Event, ok, over bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.events) == 0 {
		return e, false, !t.working
	}
	e = t.events[0]
	t.events = t.events[1:]
	return e, true, false
}

// Show returns the events until the turn has ended. begin starts it; nil: it is at work already.
func (t *Turns) Show(ctx context.Context, begin func(context.Context) error) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		t.mu.Lock()
		t.taking, t.joined = true, false
		t.mu.Unlock()
		defer func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.taking = false
			t.joinLocked()
		}()
		begun := make(chan error, 1)
		if begin != nil {
			go func() { begun <- begin(ctx) }()
		}
		t.show(ctx, begin != nil, begun, yield)
	}
}

// show passes on the events of a turn. starts is set while it is not at work yet.
func (t *Turns) show(ctx context.Context, starts bool, begun <-chan error, yield func(event.Event, error) bool) {
	cancelled, failed := ctx.Done(), make(chan error, 1)
	for {
		e, ok, over := t.next()
		switch {
		case ok && e.Session == t.ID && e.Kind == event.Stopped:
			if e.Stop == event.Cancelled && t.Stopped != nil {
				t.Stopped()
			}
			yield(e, t.failure(e))
			return
		case ok && !yield(e, nil):
			return
		case ok:
			starts = starts && !(e.Session == t.ID && beginsTurn(e))
			continue
		case over && !starts:
			return
		}
		select {
		case <-t.wake:
		case err := <-begun:
			if err != nil {
				yield(event.Event{Kind: event.Audit, Session: t.ID}, err)
				return
			}
		case err := <-failed:
			yield(event.Event{Kind: event.Audit, Session: t.ID}, err)
			return
		case <-cancelled:
			if cancelled = nil; t.Goes && errors.Is(context.Cause(ctx), ErrLeaves) {
				return
			}
			go t.Cancel(failed)
		case <-t.Closed:
			return
		}
	}
}

// failure is the error of a turn that has failed.
func (t *Turns) failure(e event.Event) error {
	if e.Stop != event.Failed {
		return nil
	}
	if t.Fault != nil {
		if err := t.Fault(); err != nil { // what the front end does about it depends on its kind, which the text does not say
			return err
		}
	}
	return errors.New(cmp.Or(e.Text, "the turn failed"))
}
