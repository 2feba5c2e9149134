package undo

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// A walk in the background stands still for giveWay at a time while others are at work, and for mostGiven in all.
const (
	giveWay   = time.Millisecond
	mostGiven = time.Second
)

// GivingWay returns a context for Store.Snapshot in the background: its walk stands still while others reports that something is to come first, for
// a second in all, and goes on at once when somebody waits for the store.
func GivingWay(ctx context.Context, others func() bool) context.Context {
	return context.WithValue(ctx, wayKey{}, others)
}

type wayKey struct{}

// way is what a walk gives way to.
type way struct {
	others func() bool
	asked  func() bool  // somebody waits for the end of the walk
	given  atomic.Int64 // nanoseconds so far
}

// wayOf returns what a walk with a context gives way to, as long as nobody has asked for its end; nil: nothing.
func wayOf(ctx context.Context, asked func() bool) *way {
	others, ok := ctx.Value(wayKey{}).(func() bool)
	if !ok {
		return nil
	}
	return &way{others: others, asked: asked}
}

// give stands still while others come first.
func (w *treeWalk) give() {
	if w.way == nil {
		return
	}
	for !w.way.asked() && w.ctx.Err() == nil && w.way.others() && w.way.given.Add(int64(giveWay)) <= int64(mostGiven) {
		time.Sleep(giveWay)
	}
}

// askedMutex is a mutex that knows whether somebody waits for it.
type askedMutex struct {
	sync.Mutex
	waiting atomic.Int32
}

// Lock locks it.
func (m *askedMutex) Lock() {
	m.waiting.Add(1)
	m.Mutex.Lock()
	m.waiting.Add(-1)
}

func (m *askedMutex) asked() bool { return m.waiting.Load() > 0 }
