package journal

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"time"

	"rein/event"
)

// FollowInterval is how often Follow looks for more.
const FollowInterval = 50 * time.Millisecond

// Follow returns the events of a journal as Read does, and then those that another process appends, until ctx is done. A last
// line without its end is one that is being written.
func Follow(ctx context.Context, name string) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		var offset int64
		look := time.NewTicker(FollowInterval)
		defer look.Stop()
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
			for same := true; same; { // a look at the size costs much less than to open and read
				select {
				case <-ctx.Done():
					return
				case <-look.C:
				}
				info, err := os.Stat(name)
				same = err == nil && info.Size() == offset
			}
		}
	}
}
