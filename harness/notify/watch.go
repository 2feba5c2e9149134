package notify

import (
	"context"
	"sync"
	"time"

	"rein/event"
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

// See notifies of the end of a run that took a while, and of a session that was suspended. It is given the events of the session as
// they are recorded.
func (w *Watch) See(e event.Event) {
	if w == nil || e.Session != w.Session || e.Kind != event.Prompted && e.Kind != event.Stopped {
		return
	}
	w.mu.Lock()
	began := w.began
	w.began = time.Time{}
	if e.Kind == event.Prompted {
		w.began = e.Time
	}
	w.mu.Unlock()
	n := Note{Kind: End, Title: "rein has finished", Text: e.Text}
	switch {
	case e.Kind == event.Prompted, began.IsZero():
		return
	case e.Stop == event.Waiting:
		n.Kind, n.Title = Approval, "rein waits: rein approve "+w.Session
	case w.Quiet || e.Time.Sub(began) < w.After:
		return
	case e.Stop != event.Done:
		n.Title = "rein stopped: " + string(e.Stop)
	}
	if sender := w.To(n.Kind); len(sender.Channels()) > 0 {
		w.Go(func() { w.send(sender, n) })
	}
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
