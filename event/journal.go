package event

import "fmt"

// Journal takes the events of one session in the order in which they happen. Append sets the Seq of each of its events,
// in the slice that it is given: one more than that of the event before it, from 1. It writes all of its events or
// fails; when one of them must be on disk before anything else happens (Event.Synced), it returns only then. Live
// events are not given to it. It may be called at once from several goroutines. After an error nothing more may run: the
// error stays.
type Journal interface {
	Append(events ...Event) error
}

// Append gives events to a journal. A journal that panics has failed; none records nothing.
func Append(j Journal, events ...Event) (err error) {
	if j == nil {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the journal failed with an internal error: %v", p)
		}
	}()
	return j.Append(events...)
}
