package toolcall

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"rein/event"
	"rein/guard"
	"rein/internal/jsontext"
	"rein/tool"
)

// journalError means that the journal failed, so nothing more may run.
type journalError struct{ err error }

func (e journalError) Error() string { return fmt.Sprintf("it could not be recorded (%v)", e.err) }
func (e journalError) Unwrap() error { return e.err }

// record writes events to the journal and shows them to the watcher, in the order of their numbers. When the journal fails
// the turn is cancelled.
func (t *turn) record(events ...event.Event) error {
	if !t.session.recorded() {
		return nil
	}
	if t.session.Watch != nil && t.session.Journal != nil {
		t.shown.recording.Lock()
		defer t.shown.recording.Unlock()
	}
	for i := range events {
		t.stamp(&events[i])
	}
	if err := event.Append(t.session.Journal, events...); err != nil {
		return t.fail(err)
	}
	for _, e := range events {
		t.show(e)
	}
	return nil
}

func (t *turn) stamp(e *event.Event) {
	s := &t.session
	e.Time, e.Session, e.Parent, e.ParentCall, e.Turn, e.Within = time.Now(), s.ID, s.Parent, s.ParentCall, s.Turn, t.within
}

// show gives an event to the watcher.
func (t *turn) show(e event.Event) {
	if t.session.Watch == nil {
		return
	}
	if e.Time.IsZero() {
		t.stamp(&e)
	}
	t.shown.watched.Lock()
	defer t.shown.watched.Unlock()
	defer func() { // a watcher changes nothing
		if p := recover(); p != nil {
			t.log("a watcher", tool.Call{}, p, debug.Stack())
		}
	}()
	t.session.Watch(e.Clone())
}

// fail cancels the turn because the journal failed.
func (t *turn) fail(err error) error {
	failed := journalError{err}
	t.mu.Lock()
	if t.err == nil {
		t.err = failed
	}
	t.mu.Unlock()
	t.cancel(failed)
	return failed
}

// replies are the results that are not yet recorded.
type replies struct {
	events  []event.Event
	writing sync.WaitGroup // the goroutine that records them
	busy    bool           // it is at work
}

// reply records a result. The replies of calls that end while another one is being synced are written together. All of
// them are on disk before Run returns, and so before the model sees one.
func (t *turn) reply(e event.Event) {
	if len(t.results) == 1 {
		t.record(e)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.replies.events = append(t.replies.events, e)
	if !t.replies.busy {
		t.replies.busy = true
		t.replies.writing.Go(t.writeReplies)
	}
}

func (t *turn) writeReplies() {
	for {
		t.mu.Lock()
		batch := t.replies.events
		t.replies.events = nil
		t.replies.busy = len(batch) > 0
		t.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		t.record(batch...)
	}
}

// recordCalled records all calls of the turn, and the results of those that could not be understood.
func (t *turn) recordCalled() error {
	if !t.session.recorded() {
		return nil
	}
	events := make([]event.Event, 0, len(t.calls)+1)
	for i := range t.calls {
		if v := t.understood[i]; v != nil {
			events = append(events, t.event(event.Called, v))
			continue
		}
		events = append(events,
			event.Event{Kind: event.Called, Call: recordable(t.calls[i])},
			event.Event{Kind: event.Replied, Call: ref(t.calls[i]), Result: &t.results[i]})
	}
	return t.record(events...)
}

// recordable is a call as the model wrote it, with arguments that are no JSON written as a text: nothing that a model
// writes may make the journal fail.
func recordable(c tool.Call) *tool.Call {
	switch {
	case len(c.Args) == 0:
		c.Args = nil
	case !jsontext.Valid(c.Args):
		text, err := json.Marshal(string(c.Args))
		if err != nil {
			text = []byte("null")
		}
		c.Args = text
	}
	return &c
}

// recordGranted records the grants of calls, nil where one has none.
func (t *turn) recordGranted(grants ...*granted) error {
	if !t.session.recorded() {
		return nil
	}
	events := make([]event.Event, 0, len(grants))
	for _, g := range grants {
		if g != nil {
			events = append(events, event.Event{Kind: event.Granted, Call: ref(g.call), Verdict: recordedVerdict(g.verdict), Grant: &g.grant, Answer: g.answer})
		}
	}
	if len(events) == 0 {
		return nil
	}
	return t.record(events...)
}

// event is an event with the whole call.
func (t *turn) event(kind event.Kind, v *valid) event.Event {
	e := event.Event{Kind: kind, Call: &v.call}
	if !v.intent.IsZero() {
		e.Intent = &v.intent
	}
	return e
}

// ref is a call without its arguments, for events that follow the one with the whole call.
func ref(c tool.Call) *tool.Call { return &tool.Call{ID: c.ID, Name: c.Name} }

// recordedVerdict is a verdict as events have it; nil when it only allows.
func recordedVerdict(v guard.Verdict) *event.Verdict {
	if v.Decision == guard.Allow && v.Reason == "" && len(v.Rules) == 0 && len(v.Effects) == 0 {
		return nil
	}
	k := &event.Verdict{Decision: v.Decision.String(), Reason: v.Reason, Rules: v.Rules, RuleAt: v.RuleAt, Effects: v.Effects}
	if v.Severity > guard.None {
		k.Severity = v.Severity.String()
	}
	return k
}
