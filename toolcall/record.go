package toolcall

import (
	"encoding/json"
	"fmt"
	"time"

	"rein/event"
	"rein/guard"
	"rein/internal/jsonscan"
	"rein/tool"
)

// journalError means that the journal died, so nothing more may run.
type journalError struct{ err error }

func (e journalError) Error() string { return fmt.Sprintf("it could not be recorded (%v)", e.err) }
func (e journalError) Unwrap() error { return e.err }

// recorded reports whether anybody wants the events.
func (t *turn) recorded() bool { return t.Journal != nil || t.watch != nil }

// record writes events to the journal and shows them to the watcher. When the journal dies the turn is cancelled.
func (t *turn) record(events ...event.Event) error {
	if !t.recorded() {
		return nil
	}
	for i := range events {
		t.stamp(&events[i])
	}
	if t.Journal != nil {
		if err := t.Journal.Append(events...); err != nil {
			return t.die(err)
		}
	}
	for _, e := range events {
		t.tell(e)
	}
	return nil
}

func (t *turn) stamp(e *event.Event) {
	e.Time, e.Session, e.Parent = time.Now(), t.Session, t.Parent
}

func (t *turn) tell(e event.Event) {
	if t.watch == nil {
		return
	}
	if e.Time.IsZero() {
		t.stamp(&e)
	}
	t.watched.Lock()
	defer t.watched.Unlock()
	t.watch(e)
}

func (t *turn) die(err error) error {
	dead := journalError{err}
	t.mu.Lock()
	if t.err == nil {
		t.err = dead
	}
	t.mu.Unlock()
	t.cancel(dead)
	return dead
}

// reply records a result. The replies of calls that end while another one is being synced are written together: all of
// them are on disk before Run returns, and so before the model is told.
func (t *turn) reply(e event.Event) {
	if len(t.results) == 1 {
		t.record(e)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.replies = append(t.replies, e)
	if !t.busy {
		t.busy = true
		t.writing.Go(t.writeReplies)
	}
}

func (t *turn) writeReplies() {
	for {
		t.mu.Lock()
		batch := t.replies
		t.replies = nil
		t.busy = len(batch) > 0
		t.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		t.record(batch...)
	}
}

// recordCalled records all calls of the turn, and the results of those that could not be understood.
func (t *turn) recordCalled(calls []tool.Call, understood []*valid) error {
	if !t.recorded() {
		return nil
	}
	events := make([]event.Event, 0, len(calls)+1)
	for i := range calls {
		if v := understood[i]; v != nil {
			events = append(events, t.event(event.Called, v, nil))
			continue
		}
		events = append(events,
			event.Event{Kind: event.Called, Call: recordable(calls[i])},
			event.Event{Kind: event.Replied, Call: &tool.Call{ID: calls[i].ID, Name: calls[i].Name}, Result: &t.results[i]})
	}
	return t.record(events...)
}

// recordable is a call as the model said it, with arguments that are no JSON written as a text: what a model says must
// never be able to end the journal.
func recordable(c tool.Call) *tool.Call {
	switch {
	case len(c.Args) == 0:
		c.Args = nil
	case !jsonscan.Valid(c.Args):
		text, err := json.Marshal(string(c.Args))
		if err != nil {
			text = []byte("null")
		}
		c.Args = text
	}
	return &c
}

func (t *turn) recordGranted(grants ...*granted) error {
	if len(grants) == 0 || !t.recorded() {
		return nil
	}
	events := make([]event.Event, len(grants))
	for i, g := range grants {
		events[i] = event.Event{Kind: event.Granted, Call: &tool.Call{ID: g.call.ID, Name: g.call.Name}, Verdict: kept(g.verdict), Grant: &g.grant}
	}
	return t.record(events...)
}

func (t *turn) event(kind event.Kind, v *valid, verdict *guard.Verdict) event.Event {
	e := event.Event{Kind: kind, Call: &v.call}
	if !v.intent.IsZero() {
		e.Intent = &v.intent
	}
	if verdict != nil {
		e.Verdict = kept(*verdict)
	}
	return e
}

// kept is a verdict as the journal keeps it; nil when it says nothing.
func kept(v guard.Verdict) *event.Verdict {
	if v.Decision == guard.Allow && v.Reason == "" && len(v.Rules) == 0 && len(v.Effects) == 0 {
		return nil
	}
	k := &event.Verdict{Decision: v.Decision.String(), Reason: v.Reason, Rules: v.Rules, RuleAt: v.RuleAt, Effects: v.Effects}
	if v.Severity > guard.None {
		k.Severity = v.Severity.String()
	}
	return k
}
