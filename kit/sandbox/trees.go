package sandbox

import (
	"context"
	"sync"
	"time"
)

// Trees are the names in the user's directories: one walk serves all that ask for them. What is known of large ones is kept between
// sessions. Its methods may be called at once by many. Nil knows nothing.
type Trees struct {
	Kept string // directory of what is kept between sessions; "": nothing

	mu   sync.Mutex
	all  map[string]*Tree         // by directory
	runs map[string]chan struct{} // walks that run, closed at their end
	news map[string]bool          // what is known is not what is kept
}

// Walk brings what is known of a directory up to date, and returns it. When ctx ends, it returns what is known then. alone is to use one
// processor.
func (x *Trees) Walk(ctx context.Context, dir string, alone bool) *Tree {
	now, _ := x.walk(ctx, dir, alone, time.Now())
	return now
}

func (x *Trees) walk(ctx context.Context, dir string, alone bool, began time.Time) (*Tree, int) {
	w := newTreeWalk(ctx, dir, began, alone)
	if x == nil {
		return w.visit(&Tree{}, dir, 0, true), int(w.reads.Load())
	}
	done := make(chan struct{})
	defer close(done)
	x.mu.Lock()
	if x.all == nil {
		x.all, x.runs, x.news = map[string]*Tree{}, map[string]chan struct{}{}, map[string]bool{}
	}
	x.runs[dir] = done
	old := x.all[dir]
	x.mu.Unlock()
	if old == nil {
		old = x.load(dir)
	}
	now := w.visit(old, dir, 0, true)
	reads := int(w.reads.Load())
	x.mu.Lock()
	defer x.mu.Unlock()
	x.all[dir], x.news[dir] = now, x.news[dir] || reads > 0
	if x.runs[dir] == done {
		delete(x.runs, dir)
	}
	return now, reads
}

// known is what is known of a directory; nil: nothing. It waits for a walk that runs, for a while.
func (x *Trees) known(dir string, most time.Duration) *Tree {
	if x == nil {
		return nil
	}
	x.mu.Lock()
	runs := x.runs[dir]
	x.mu.Unlock()
	if runs != nil {
		timer := time.NewTimer(most)
		defer timer.Stop()
		select {
		case <-runs:
		case <-timer.C:
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.all[dir]
}
