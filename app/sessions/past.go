package sessions

import (
	"errors"
	"iter"
	"slices"

	"rein/event"
	"rein/journal"
)

// Past is the end of a session's conversation, for a face that shows it when the session is opened again.
type Past struct {
	Events []event.Event // from a message of the user on, without those that the user went back from
	Turns  int           // the messages of the user before them
	Steps  int           // the answers and results between the first event and the second that are left out
	More   bool          // Turns does not count all
}

// Most bounds a Past.
type Most struct {
	Turns int // messages of the user
	Steps int // answers of the model and results of calls
}

// Last returns the end of a session's conversation. It decodes only what it returns, however long the journal is.
func (s *Store) Last(id string, most Most) (p Past, err error) {
	name, err := s.journal(id)
	if err != nil {
		return p, err
	}
	var o outline
	for h, err := range journal.Heads(name) {
		if err != nil {
			return p, err
		}
		o.see(h)
	}
	read := func(from int64) iter.Seq2[event.Event, error] { return journal.Rest(name, from) }
	return p, o.past(&p, o.ending(most), read)
}

// LastOf returns the end of a conversation of which these are the last events. more: there are earlier ones.
func LastOf(events []event.Event, more bool, most Most) (p Past) {
	var o outline
	for i, e := range events {
		o.see(journal.Head{Kind: e.Kind, Seq: e.Seq, At: e.At, Offset: int64(i)})
	}
	read := func(from int64) iter.Seq2[event.Event, error] {
		return func(yield func(event.Event, error) bool) {
			for _, e := range events[from:] {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
	_ = o.past(&p, o.ending(most), read) // a slice has no error
	p.More = more
	return p
}

// outline is the messages and results of a session, and what the user went back from.
type outline struct {
	steps []journal.Head
	gone  [][2]int64 // from a message up to the event that took it back, by their numbers
}

func (o *outline) see(h journal.Head) {
	switch h.Kind {
	case event.Prompted, event.Responded, event.Replied:
		o.steps = append(o.steps, h)
	case event.Rewound:
		o.steps = slices.DeleteFunc(o.steps, func(s journal.Head) bool { return s.Seq >= h.At })
		o.gone = append(o.gone, [2]int64{h.At, h.Seq})
	}
}

// ending says what is shown: all from a step on, and before it the message of its turn, where that is another one; -1: it is not.
type ending struct{ message, from int }

func (o *outline) ending(most Most) ending {
	first, turns := 0, 0
	for i, s := range slices.Backward(o.steps) {
		if s.Kind != event.Prompted {
			continue
		}
		if turns++; turns > most.Turns {
			break
		}
		first = i
	}
	if turns <= most.Turns {
		first = 0 // with what came before the first message
	}
	if len(o.steps)-first <= most.Steps {
		return ending{-1, first}
	}
	from := len(o.steps) - most.Steps
	begins := func(s journal.Head) bool { return s.Kind != event.Replied } // results need the calls of their answer
	if next := slices.IndexFunc(o.steps[from:], begins); next >= 0 {
		from += next
	} else {
		for from > first && !begins(o.steps[from]) {
			from--
		}
	}
	if o.steps[from].Kind == event.Prompted {
		return ending{-1, from}
	}
	for i := from - 1; i >= first; i-- {
		if o.steps[i].Kind == event.Prompted {
			return ending{i, from}
		}
	}
	return ending{-1, from}
}

// past reads what is shown.
func (o *outline) past(p *Past, end ending, read func(offset int64) iter.Seq2[event.Event, error]) error {
	first := end.from
	if end.message >= 0 {
		first = end.message
		p.Steps = end.from - end.message - 1
	}
	for _, s := range o.steps[:first] {
		if s.Kind == event.Prompted {
			p.Turns++
		}
	}
	from := int64(0)
	if p.Turns > 0 || end.from > 0 {
		from = o.steps[end.from].Offset
	}
	if end.message >= 0 {
		for e, err := range read(o.steps[end.message].Offset) {
			if err != nil {
				return err
			}
			p.Events = append(p.Events, e)
			break
		}
	}
	for e, err := range read(from) {
		if errors.Is(err, journal.ErrTorn) {
			return nil
		}
		if err != nil {
			return err
		}
		if e.Kind != event.Rewound && !o.wentBack(e.Seq) {
			p.Events = append(p.Events, e)
		}
	}
	return nil
}

// wentBack reports whether the user went back from an event.
func (o *outline) wentBack(seq int64) bool {
	return slices.ContainsFunc(o.gone, func(g [2]int64) bool { return seq >= g[0] && seq < g[1] })
}
