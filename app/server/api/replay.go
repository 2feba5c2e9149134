package api

import (
	"iter"
	"slices"

	"rein/event"
)

// How much a client gets of a session.
const (
	LastPage  = 500  // events of a session that a client gets that has none of it
	maxReplay = 5000 // events that a client may have missed; with more it gets the last page
)

// Replay sends the recorded events of a session and its sub-agents that the client does not have, and then what is live. Of
// a session at work it sends the events that live follows; later ones come through the subscription.
func (w *Writer) Replay(id string, now *Live, recorded func(id string) iter.Seq2[event.Event, error]) error {
	waiting := []string{id}
	for len(waiting) > 0 {
		session := waiting[0]
		children, err := w.replayOne(session, now, recorded(session))
		if err != nil {
			return err
		}
		waiting = append(waiting[1:], children...)
	}
	if now == nil {
		now = &Live{Session: id, At: map[string]int64{}}
	}
	return w.Write(Message("snapshot", now))
}

// replayOne sends the events of one session and returns its sub-agents.
func (w *Writer) replayOne(id string, now *Live, recorded iter.Seq2[event.Event, error]) (children []string, err error) {
	after, known := w.Cursor[id]
	var events, terms []event.Event // terms say how the session runs
	most := maxReplay
	if !known {
		most = LastPage
	}
	dropped := false
	for e, err := range recorded {
		if err != nil {
			break // what can be read is shown; the list of sessions shows the fault
		}
		if now != nil && now.At[id] > 0 && e.Seq > now.At[id] {
			break
		}
		if e.Kind == event.SubAgentStarted && e.Child != "" && !slices.Contains(children, e.Child) {
			children = append(children, e.Child)
		}
		if e.Start != nil {
			terms = append(terms, e)
		}
		if e.Seq <= after {
			continue
		}
		if events = append(events, e); len(events) >= 2*most {
			events, dropped = append(events[:0], events[len(events)-most:]...), true
		}
	}
	if len(events) > most || dropped && known {
		if known {
			most = LastPage
		}
		if len(events) > most {
			events, dropped = events[len(events)-most:], true
		}
	}
	if !known || dropped {
		first := int64(1)
		if len(events) > 0 {
			first = events[0].Seq
		}
		if err := w.Write(Message("reset", map[string]any{"session": id, "first": first, "start": startBefore(first, terms)})); err != nil {
			return nil, err
		}
	}
	for _, e := range events {
		f, err := EventFrame(e)
		if err != nil {
			continue
		}
		if err := w.Write(f); err != nil {
			return nil, err
		}
	}
	return children, nil
}

// startBefore is how a session runs before the event with a number; nil where it has not begun.
func startBefore(first int64, terms []event.Event) (s *event.Start) {
	for _, e := range terms {
		if e.Seq < first {
			s = e.Start
		}
	}
	return s
}
