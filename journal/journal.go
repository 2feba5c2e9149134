// Package journal keeps what did happen: an append-only file of JSON lines for each session, written before the effect
// that a line describes.
package journal

import "rein/event"

// Journal takes events in the order in which they happen. Append writes all of its events or fails; when one of them
// must be on disk before anything else happens (event.Kind.Synced), it returns only then. Live events are not given to
// it. It may be called at once from several goroutines. After an error nothing more may run: the error stays.
type Journal interface {
	Append(events ...event.Event) error
}
