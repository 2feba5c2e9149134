package event

// Journal takes the events of one session in the order in which they happen. Append sets the Seq of each of its events,
// in the slice that it is given: one more than that of the event before it, from 1. It writes all of its events or
// fails; when one of them must be on disk before anything else happens (Kind.Synced), it returns only then. Live
// events are not given to it. It may be called at once from several goroutines. After an error nothing more may run: the
// error stays.
type Journal interface {
	Append(events ...Event) error
}
