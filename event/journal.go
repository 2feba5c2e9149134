package event

import "fmt"

// Journal takes the events of one session in the order in which they happen. Append sets the Seq of each of its events,
// in the slice that it is given: one more than that of the event before it, from 1. It keeps nothing else of the slice. It writes all of
// its events or fails; when one of them must be on disk before anything else happens (Event.Synced), it returns only then. Live
// events are not given to it. It may be called at once from several goroutines. After an error nothing more may run: the
// error stays.
type Journal interface {
	Append(events ...Event) error
}

// Append gives copies of events to a journal, and takes their numbers from it. A journal that panics has failed; none records nothing.
func Append(j Journal, events ...Event) (err error) {
	if j == nil {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the journal failed with an internal error: %v", p)
		}
	}()
	own := make([]Event, len(events))
	for i := range events {
		own[i] = events[i].Clone()
	}
	err = j.Append(own...)
	for i := range events {
		events[i].Seq, events[i].Format = own[i].Seq, own[i].Format
	}
	return err
}
