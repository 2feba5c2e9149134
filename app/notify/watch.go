package notify

import (
	"context"
	"sync"
	"time"
)

// Watch notifies of what happens in one session. A nil Watch notifies of nothing.
type Watch struct {
	Dir     string
	Session string
	After   time.Duration             // of a request without an answer, and of a run
	To      func(kind string) *Sender // gives the sender of a kind of note
	Go      func(func())              // runs a function beside the session, which waits for it at its end
	Warn    func(line string)         // gets what went wrong
	Quiet   bool                      // the end of a run is not notified: who started the session does it

	mu    sync.Mutex
	began time.Time // of the run; zero: none is at work
}

// Waits notifies that a request waits, unless ctx is done before a while has passed.
func (w *Watch) Waits(ctx context.Context, title, text string) {
	if w == nil {
		return
	}
	sender := w.To(Approval)
	if len(sender.Channels()) == 0 {
		return
	}
	w.Go(func() {
		late := time.NewTimer(w.After)
		defer late.Stop()
		select {
		case <-ctx.Done():
		case <-late.C:
			w.send(sender, Note{Kind: Approval, Title: title, Text: text})
		}
	})
}

// Prompted begins a run: the session has got a message.
func (w *Watch) Prompted(session string, at time.Time) { w.next(session, at) }

// Stopped is how a run ended.
type Stopped struct {
	Time   time.Time
	Text   string // of the model, or the error
	Waits  bool   // the session is suspended until somebody answers
	Failed string // why the run did not finish; "": it did
}

// Stopped notifies of the end of a run that took a while, and of a session that was suspended.
func (w *Watch) Stopped(session string, how Stopped) {
	began := w.next(session, time.Time{})
	if began.IsZero() {
		return
	}
	n := Note{Kind: End, Title: "rein has finished", Text: how.Text}
	switch {
	case how.Waits:
		n.Kind, n.Title = Approval, "rein waits: rein approve "+w.Session
	case w.Quiet || how.Time.Sub(began) < w.After:
		return
	case how.Failed != "":
		n.Title = "rein stopped: " + how.Failed
	}
	if sender := w.To(n.Kind); len(sender.Channels()) > 0 {
		w.Go(func() { w.send(sender, n) })
	}
}

// next notes when the present run of the session began, and returns the time of the one before; zero: there was none.
func (w *Watch) next(session string, at time.Time) (before time.Time) {
	if w == nil || session != w.Session {
		return before
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	before, w.began = w.began, at
	return before
}

// Send sends what the model says.
func (w *Watch) Send(ctx context.Context, title, text string) error {
	return w.To(Message).Send(ctx, Note{Kind: Message, Title: title, Text: text, Dir: w.Dir, Session: w.Session})
}

func (w *Watch) send(s *Sender, n Note) {
	n.Dir, n.Session = w.Dir, w.Session
	if err := s.Send(context.Background(), n); err != nil {
		w.Warn(err.Error())
	}
}
