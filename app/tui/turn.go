package tui

import (
	"context"
	"errors"
	"iter"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/app/harness"
	"rein/app/session"
	"rein/app/tui/text"
	"rein/event"
	"rein/tool"
)

// turn is one Send or Resume while it runs.
type turn struct {
	cancel context.CancelCauseFunc
	began  time.Time
	over   chan struct{} // closed at its end
	stops  bool          // the user has interrupted it

	message string   // that began it, until it is recorded
	offered []string // outputs of the user's own commands that went with it
}

// interrupt stops the turn. What came of the answer stays, and messages that the model has not got go back into the
// line.
func (t *turn) interrupt() {
	if t != nil && !t.stops {
		t.stops = true
		t.cancel(nil)
	}
}

// leave ends the turn when the program leaves, and waits for its end. What waits for an answer stays in the inbox.
func (t *turn) leave(requests *pendingRequests) {
	if t == nil {
		return
	}
	requests.Leave()
	t.cancel(session.ErrLeaves)
	select {
	case <-t.over:
	case <-time.After(5 * time.Second):
	}
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

// asTurn does what the user has run through the checks of calls, as a turn of its own; then takes its end.
func (u *ui) asTurn(do func(ctx context.Context, happened func(event.Event)) error, then func(*ui, error) tea.Cmd) tea.Cmd {
	ctx, t := u.newTurn()
	box := u.requests.Box
	return later(func() func(*ui) tea.Cmd {
		defer close(t.over)
		defer t.cancel(nil)
		err := do(ctx, func(e event.Event) { box.Put(e) })
		return func(u *ui) tea.Cmd {
			return tea.Batch(u.drain(), then(u, err)) // what happened comes before its end
		}
	})
}

// send gives the model a message: as a new turn, or with its next request while it works.
func (u *ui) send(message string, attached []tool.Part) tea.Cmd {
	whole := message + strings.Join(u.offered, "") // behind the user's words, which name the message in lists
	if u.turn == nil {
		cmd := u.begin(func(ctx context.Context) iter.Seq2[event.Event, error] { return u.session.Send(ctx, whole, attached) })
		u.turn.message, u.turn.offered, u.offered = message, u.offered, nil
		return cmd
	}
	switch err := u.session.Steer(whole, attached); {
	case errors.Is(err, harness.ErrIdle):
		u.wait(message, attached)
	case err != nil:
		u.line.add(message)
		u.hint = u.words.Message(err.Error())
	default:
		u.offered = nil
	}
	return nil
}

// waiting is a message that waits here, because no turn is at work that takes it: a command of the user runs, for example.
type waiting struct {
	text     string
	attached []tool.Part
	release  func(sends bool) // see session.Keeper
}

// wait lets a message wait until what runs is over.
func (u *ui) wait(message string, attached []tool.Part) {
	w := waiting{message, attached, func(bool) {}}
	if k, ok := u.session.(session.Keeper); ok {
		w.release = k.Keep(message, attached)
	}
	u.after = append(u.after, w)
}

// queue keeps a message until the turn is over.
func (u *ui) queue(message string, attached []tool.Part) tea.Cmd {
	if u.turn == nil {
		return u.send(message, attached)
	}
	if err := u.session.Queue(message, attached); err != nil {
		u.wait(message, attached)
	}
	return nil
}

// ended takes the end of a turn.
func (u *ui) ended(o turnOver) tea.Cmd {
	t := u.turn
	stopped := t != nil && t.stops
	u.turn = nil
	u.talk.end()
	u.bar.branch = gitBranch(u.root())
	if o.err != nil && !errors.Is(o.err, context.Canceled) {
		u.talk.failed(o.err, func() (recorded, unsent bool) {
			p, _ := u.session.Past() // what cannot be read has no messages
			k, ok := u.session.(session.Keeper)
			return len(p.Events) > 0, ok && k.Unsent()
		})
	}
	if u.leaving { // who continues the session sends what waits
		return tea.Quit
	}
	takeBackUnsent(u, t)
	u.takeBackQueued()
	if u.moves != nil {
		return u.move(*u.moves)
	}
	if u.joins {
		u.joins = false
		return u.begin(u.session.Resume)
	}
	if stopped { // the user stopped what would come too
		u.takeBackWaiting()
	} else if len(u.after) > 0 {
		next := u.after[0]
		u.after = u.after[1:]
		next.release(true)
		return u.send(next.text, next.attached)
	}
	u.line.sent = nil // nothing waits that could come back
	return nil
}

// ends are the words for a user who looks elsewhere when a turn has ended.
var ends = map[event.Stop]string{event.Done: "the answer is there", event.Cancelled: "interrupted", event.Failed: "it failed", event.MaxTurns: "stopped: the limit of requests is reached",
	event.Budget: "stopped: the budget is used", event.Waiting: "a call waits for an approval", event.Denied: "a call needed an approval", event.Halted: "the turn was ended"}

// happened takes one event.
func (u *ui) happened(e event.Event) {
	u.talk.happened(e)
	if e.Kind == event.Called && e.Parent != "" && e.Call != nil {
		callBegins(u, e.Call.ID)
	}
	if e.Kind == event.Prompted && e.Parent == "" {
		if u.sent = true; u.turn != nil {
			u.turn.message = ""
		}
	}
	if e.Kind == event.Stopped && e.Parent == "" {
		u.callUser(u.words.Of(ends[e.Stop]))
	}
}

// drain takes what happened since the last frame.
func (u *ui) drain() tea.Cmd {
	var cmds []tea.Cmd
	for _, item := range u.requests.Box.Take() {
		switch item := item.(type) {
		case event.Event:
			u.happened(item)
		case turnOver:
			cmds = append(cmds, u.ended(item))
		case *asked:
			u.ask(item)
		case pendingGone:
			u.gone(item)
		case pendingLost:
			lost(u, item.ID)
		case warning:
			u.note(text.Warn, "! "+item.line)
		case offline:
			u.bar.offline = item.reason
		case joined:
			if u.joins = u.turn != nil; !u.joins {
				cmds = append(cmds, u.begin(u.session.Resume))
			}
		case moved:
			if u.moves = &item; u.turn == nil {
				cmds = append(cmds, u.move(item))
			}
		case done:
			cmds = append(cmds, item.do(u))
		}
	}
	u.talk.printAnswer(false)
	return tea.Batch(cmds...)
}

// move goes on with the session where another process leads it. What it left open is resumed.
func (u *ui) move(to moved) tea.Cmd {
	u.session, u.moves, u.joins = to.session, nil, false
	for _, e := range to.missed {
		u.happened(e)
	}
	u.talk.printAnswer(true)
	u.talk.end()
	u.talk.usage = u.session.Usage()
	u.note(text.Dim, to.words)
	if u.session.Waiting() {
		return u.begin(u.session.Resume)
	}
	return nil
}

// takeBack puts messages that the model has not got back into the line.
func (u *ui) takeBack() {
	u.takeBackQueued()
	u.takeBackWaiting()
}

// takeBackUnsent puts the message that began a turn back into the line where the turn has ended without it: it could not be recorded, or a hook
// did not let it through. What another process has of it comes back with what waits there.
func takeBackUnsent(u *ui, t *turn) {
	if t == nil || t.message == "" || u.o.Place.Elsewhere() || u.how().Joined {
		return
	}
	for _, q := range u.session.Queued() {
		if strings.HasPrefix(q.Text, t.message) {
			return
		}
	}
	u.line.add(t.message)
	u.offered = append(t.offered, u.offered...)
}

func (u *ui) takeBackWaiting() {
	for _, w := range u.after {
		w.release(false)
		u.line.add(w.text)
	}
	u.after = nil
}

func (u *ui) takeBackQueued() {
	var texts []string
	for _, q := range u.session.Queued() {
		if u.session.Unqueue(q.ID) {
			texts = append(texts, q.Text)
		}
	}
	if u.turn != nil && len(texts) == 0 && len(u.session.Queued()) > 0 {
		u.hint = "it waits where the session runs: Esc stops the turn and gives it back"
	}
	for _, t := range texts {
		u.line.add(t)
	}
}

// hangUp suspends the session: requests stay in the inbox, and a running turn is stopped.
func (u *ui) hangUp() tea.Cmd {
	u.requests.Leave()
	u.leaving = true
	if u.turn == nil {
		return tea.Quit
	}
	if u.turn.stops && (u.o.Place.Elsewhere() || u.how().Joined) { // who runs it may be out of reach, and then never says that it has stopped
		return tea.Tick(stopTime, func(time.Time) tea.Msg { return done{leaveTurn} })
	}
	cancel := u.turn.cancel
	return tea.Tick(200*time.Millisecond, func(time.Time) tea.Msg { // requests that wait are suspended before the rest is cancelled
		cancel(session.ErrLeaves)
		return nil
	})
}

// stopTime is how long who leaves waits for the end of a turn that was stopped and runs elsewhere.
const stopTime = 2 * time.Second

// leaveTurn leaves although the turn has not ended.
func leaveTurn(u *ui) tea.Cmd {
	u.unreached = u.turn != nil
	u.turn = nil
	return tea.Quit
}
