package undo

import (
	"context"
	"sync/atomic"
	"time"
)

// A walk in the background stands still for giveWay at a time while others are at work, and for mostGiven in all.
const (
	giveWay   = time.Millisecond
	mostGiven = time.Second
)

// SnapshotAhead is Snapshot in the background. Its walk stands still while others reports that something is to come first, for a second in all,
// and goes on at once when somebody waits for the store.
func (s *Store) SnapshotAhead(ctx context.Context, others func() bool) error {
	var given atomic.Int64
	return s.Snapshot(context.WithValue(ctx, givesWay{}, func() {
		for s.waiting.Load() == 0 && ctx.Err() == nil && others() && given.Add(int64(giveWay)) <= int64(mostGiven) {
			time.Sleep(giveWay)
		}
	}))
}

// givesWay is the key of a context's func() that a walk calls before it reads a directory.
type givesWay struct{}

// take locks mu. A walk in the background does not stand still while somebody waits for it.
func (s *Store) take() {
	s.waiting.Add(1)
	s.mu.Lock()
	s.waiting.Add(-1)
}
