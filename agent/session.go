package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"rein/event"
	"rein/model"
	"rein/tool"
)

// Session is one conversation of an agent. One Send or Resume at a time.
type Session struct {
	agent    *Agent
	busy     sync.Mutex
	started  bool // the journal knows how the session runs
	resumed  bool
	turn     int // requests so far
	usage    event.Usage
	messages []*model.Message
	open     *openTurn // calls of the last answer that have no result yet
	specs    []model.ToolSpec
}

// openTurn is an answer of the model whose calls are not all done.
type openTurn struct {
	asked   *model.Message
	results map[string]tool.Result // of the calls that are done, by id
}

// ErrBusy means that the session is at work.
var ErrBusy = errors.New("the session is at work")

// ErrWaiting means that a call of the session waits for an approval: Resume it first.
var ErrWaiting = errors.New("a call of this session waits for an approval; resume it first")

// Start begins a session.
func (a *Agent) Start() *Session { return &Session{agent: a, specs: a.specs()} }

// Usage gives the tokens of the session so far.
func (s *Session) Usage() event.Usage { return s.usage }

// Waiting reports whether calls of the last answer are still to be run: the session was parked or cut off.
func (s *Session) Waiting() bool { return s.open != nil }

// Send tells the model what the user said and gives all that happens until the model has answered and calls nothing
// more. The last event is always Stopped and says why; the error is not nil only with it, when the reason is Failed.
// Leaving the loop early cancels what runs.
func (s *Session) Send(ctx context.Context, text string) iter.Seq2[event.Event, error] {
	return s.loop(ctx, func(w *work) error {
		if s.open != nil {
			return ErrWaiting
		}
		return w.say(text)
	})
}

// Resume goes on where the session was parked or cut off: calls that never ran are judged and asked about again, calls
// that may have run are not repeated. It gives events as Send does.
func (s *Session) Resume(ctx context.Context) iter.Seq2[event.Event, error] {
	return s.loop(ctx, func(w *work) error {
		if s.open == nil {
			return errors.New("nothing of this session is left to do")
		}
		return nil
	})
}

func (s *Session) loop(ctx context.Context, begin func(*work) error) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		if !s.busy.TryLock() {
			yield(event.Event{Kind: event.Stopped, Stop: event.Failed, Text: ErrBusy.Error(), Time: time.Now()}, ErrBusy)
			return
		}
		defer s.busy.Unlock()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		w := &work{Session: s, ctx: ctx, cancel: cancel, yield: yield}
		err := w.start()
		if err == nil {
			err = begin(w)
		}
		if err == nil {
			err = w.turns()
		}
		w.stop(err)
	}
}

// keep records a message, in an event of that kind, and adds it to the session.
func (w *work) keep(e event.Event, m *model.Message) error {
	encoded, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("a message cannot be recorded: %w", err)
	}
	e.Message = encoded
	if err := w.record(e); err != nil {
		return err
	}
	w.messages = append(w.messages, m)
	return nil
}
