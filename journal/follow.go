package journal

import (
	"context"
	"errors"
	"iter"
	"path/filepath"
	"time"

	"rein/event"
)

// FollowInterval is how often Follow looks for more.
const FollowInterval = 100 * time.Millisecond

// Follow gives the events of a journal as Read does, and then those that another process appends, until ctx is done. A last
// line without its end is one that is being written.
func Follow(ctx context.Context, name string) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		look := time.NewTicker(FollowInterval)
		defer look.Stop()
		var offset int64
		for {
			for l, err := range ReadFrom(name, offset) {
				if errors.Is(err, ErrTorn) {
					break
				}
				if err == nil {
					_, err = l.complete(filepath.Dir(name))
				}
				if !yield(l.Event, err) || err != nil {
					return
				}
				offset = l.Next
			}
			select {
			case <-ctx.Done():
				return
			case <-look.C:
			}
		}
	}
}
