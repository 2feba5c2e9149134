package tui

import (
	"context"
	"errors"
	"iter"
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/event"
	"rein/harness"
	"rein/tool"
	"rein/tui/place"
	"rein/tui/session"
)

// turn is one Send or Resume while it runs.
type turn struct {
	cancel context.CancelCauseFunc
	began  time.Time
	over   chan struct{} // closed at its end
	stops  bool          // the user has interrupted it
}

// turnOver says that the turn has ended.
type turnOver struct{ err error }

// newTurn makes the turn that is at work from now on.
func (u *ui) newTurn() (context.Context, *turn) {
	ctx, cancel := context.WithCancelCause(u.ctx)
	u.turn = &turn{cancel: cancel, began: u.now(), over: make(chan struct{})}
	u.talk.begin(u.now())
	return ctx, u.turn
}

// begin runs a turn. Its events go into the mailbox.
func (u *ui) begin(events func(context.Context) iter.Seq2[event.Event, error]) tea.Cmd {
	ctx, t := u.newTurn()
	box := u.requests.Box
	go func() {
		defer close(t.over)
		var failure error
		for e, err := range events(ctx) {
			box.Put(e)
			failure = err
		}
		box.Put(turnOver{failure})
	}()
	return nil
}

// send gives the model a message: as a new turn, or with its next request while it works.
func (u *ui) send(message string, attached []tool.Part) tea.Cmd {
	for _, o := range u.offered { // behind the user's words, which name the message in lists
		message += o
	}
	u.offered = nil
	u.sent = true
	if u.turn == nil {
		return u.begin(func(ctx context.Context) iter.Seq2[event.Event, error] { return u.session.Send(ctx, message, attached) })
	}
	if err := u.session.Steer(message, attached); errors.Is(err, harness.ErrIdle) {
		u.talk.after = append(u.talk.after, message)
	} else if err != nil {
		u.hint = err.Error()
	}
	return nil
}

// compact replaces the older part of the conversation by a summary that keeps what focus says.
func (u *ui) compact(focus string) tea.Cmd {
	if !u.idle() {
		return nil
	}
	return u.begin(func(ctx context.Context) iter.Seq2[event.Event, error] { return u.session.Compact(ctx, focus) })
}

// goOn continues a turn that was interrupted.
func (u *ui) goOn(string) tea.Cmd {
	far, ok := u.session.(interface {
		Continue(ctx context.Context) iter.Seq2[event.Event, error]
	})
	switch {
	case !u.idle():
	case ok:
		return u.begin(far.Continue)
	case u.session.Waiting():
		return u.begin(u.session.Resume)
	default:
		u.hint = "there is nothing to continue"
	}
	return nil
}

// queue keeps a message until the turn is over.
func (u *ui) queue(message string) tea.Cmd {
	if u.turn == nil {
		return u.send(message, nil)
	}
	if err := u.session.Queue(message); err != nil {
		u.talk.after = append(u.talk.after, message)
	}
	return nil
}

// interrupt stops the turn. What came of the answer stays, and messages that the model has not got go back into the
// line.
func (u *ui) interrupt() {
	if u.turn == nil || u.turn.stops {
		return
	}
	u.turn.stops = true
	u.turn.cancel(nil)
}

// ended takes the end of a turn.
func (u *ui) ended(o turnOver) tea.Cmd {
	u.turn = nil
	u.talk.end()
	u.branch = place.Branch(u.root())
	if o.err != nil && !errors.Is(o.err, context.Canceled) {
		u.failed(o.err)
	}
	u.takeBack()
	if u.leaving {
		return tea.Quit
	}
	if u.joins {
		u.joins = false
		return u.begin(u.session.Resume)
	}
	if after := u.talk.after; len(after) > 0 {
		u.talk.after = after[1:]
		return u.send(after[0], nil)
	}
	return nil
}

// takeBack puts messages that the model has not got back into the line.
func (u *ui) takeBack() {
	var texts []string
	for _, q := range u.session.Queued() {
		if u.session.Unqueue(q.ID) {
			texts = append(texts, q.Text)
		}
	}
	if u.turn != nil && len(texts) == 0 && len(u.session.Queued()) > 0 {
		u.hint = "a server keeps what waits: Esc stops the turn and gives it back"
	}
	for _, t := range texts {
		if !u.editor.Empty() {
			u.editor.End()
			u.editor.Insert("\n")
		}
		u.editor.Insert(t)
	}
}

// stopTurn ends the turn that still runs when the program leaves, and waits for its end.
func (u *ui) stopTurn() {
	if u.turn == nil {
		return
	}
	u.requests.Leave()
	u.turn.cancel(session.ErrLeaves)
	select {
	case <-u.turn.over:
	case <-time.After(5 * time.Second):
	}
}

// hangUp suspends the session: requests stay in the inbox, and a running turn is stopped.
func (u *ui) hangUp() tea.Cmd {
	u.requests.Leave()
	u.leaving = true
	if u.turn == nil {
		return tea.Quit
	}
	cancel := u.turn.cancel
	return tea.Tick(200*time.Millisecond, func(time.Time) tea.Msg { // requests that wait are suspended before the rest is cancelled
		cancel(session.ErrLeaves)
		return nil
	})
}
