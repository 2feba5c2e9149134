package harness

import (
	"bytes"
	"iter"

	"rein/event"
	"rein/redact"
)

// maskedAnswers hides secrets in the words of models while they come, as in the journal: also one that comes in several pieces.
type maskedAnswers struct {
	mask *redact.Filter
	open map[answerPart]*maskedAnswer
}

// answerPart is the text or the thinking of the answer that comes in a session.
type answerPart struct {
	session string
	kind    event.Kind
}

type maskedAnswer struct {
	out    bytes.Buffer
	hidden *redact.Writer // writes to out
	last   event.Event
	given  int64 // bytes
}

// pass returns what is shown in place of an event: words that could be the beginning of a secret wait for the next ones.
func (m *maskedAnswers) pass(e event.Event) (all []event.Event) {
	switch e.Kind {
	case event.Delta:
		return append(m.flush(e.Session, event.Thought), m.of(e).take(e)...)
	case event.Thought:
		return append(m.flush(e.Session, event.Delta), m.of(e).take(e)...)
	case event.Preparing:
		all = append(m.flush(e.Session, event.Thought), m.flush(e.Session, event.Delta)...)
	case event.Responded, event.Stopped:
		all = append(m.flush(e.Session, event.Thought), m.flush(e.Session, event.Delta)...)
		m.forget(e.Session)
		e.Text = m.mask.String(e.Text)
	case event.Requested, event.Restarted:
		m.forget(e.Session)
	}
	return append(all, e)
}

func (m *maskedAnswers) of(e event.Event) *maskedAnswer {
	part := answerPart{e.Session, e.Kind}
	a := m.open[part]
	if a == nil {
		a = &maskedAnswer{}
		a.hidden = m.mask.Writer(&a.out)
		m.open[part] = a
	}
	return a
}

func (m *maskedAnswers) forget(session string) {
	delete(m.open, answerPart{session, event.Delta})
	delete(m.open, answerPart{session, event.Thought})
}

// flush gives the rest of a part that has ended for now.
func (m *maskedAnswers) flush(session string, kind event.Kind) []event.Event {
	a := m.open[answerPart{session, kind}]
	if a == nil {
		return nil
	}
	_ = a.hidden.Flush() // a buffer takes all, here and below
	return a.give()
}

func (a *maskedAnswer) take(e event.Event) []event.Event {
	a.last = e
	_, _ = a.hidden.Write([]byte(e.Text))
	return a.give()
}

func (a *maskedAnswer) give() []event.Event {
	if a.out.Len() == 0 {
		return nil
	}
	e := a.last.Clone()
	e.Text, e.Offset = a.out.String(), a.given
	a.given += int64(a.out.Len())
	a.out.Reset()
	return []event.Event{e}
}

// maskAnswers passes the events of a turn on with the words of models masked.
func maskAnswers(mask *redact.Filter, turn iter.Seq2[event.Event, error]) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		m := maskedAnswers{mask, map[answerPart]*maskedAnswer{}}
		for e, err := range turn {
			all := m.pass(e)
			for i, e := range all {
				var of error
				if i == len(all)-1 {
					of = err
				}
				if !yield(e, of) {
					return
				}
			}
		}
	}
}

// maskWatched is a watcher that sees the words of models masked; nil: nobody watches.
func maskWatched(mask *redact.Filter, watch func(event.Event)) func(event.Event) {
	if watch == nil {
		return nil
	}
	m := maskedAnswers{mask, map[answerPart]*maskedAnswer{}}
	return func(e event.Event) {
		for _, e := range m.pass(e) {
			watch(e)
		}
	}
}
