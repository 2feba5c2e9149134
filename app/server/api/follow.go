package api

import (
	"context"
	"iter"
	"sync"

	"rein/event"
)

// Followers read the journals of sessions that other programs run, while a client watches them. The zero value is ready.
type Followers struct {
	mu   sync.Mutex
	all  map[string]*follower
	work sync.WaitGroup
}

type follower struct {
	users int
	stop  context.CancelFunc
}

// Journal is the journal of a session that another program may be recording.
type Journal struct {
	Session string
	Last    func() int64                                                         // the number of the last recorded event
	Follow  func(ctx context.Context, after int64) iter.Seq2[event.Event, error] // what is recorded after an event, until ctx ends
	Ours    func() bool                                                          // the session runs in this server by now: its events come at once
	Seen    func(e event.Event)                                                  // is called with each event
}

// Follow brings what is recorded in a session to its subscribers, until ctx ends or all who follow it have called leave.
func (f *Followers) Follow(ctx context.Context, h *Hub, j Journal) (leave func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one := f.all[j.Session]
	if one == nil {
		ctx, cancel := context.WithCancel(ctx)
		one = &follower{stop: cancel}
		if f.all == nil {
			f.all = map[string]*follower{}
		}
		f.all[j.Session] = one
		last := j.Last() // before the caller reads the journal, so that nothing is between the two
		f.work.Go(func() { f.read(ctx, h, j, last) })
	}
	one.users++
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if one.users--; one.users > 0 {
			return
		}
		one.stop()
		delete(f.all, j.Session)
		if !j.Ours() {
			h.Ended(j.Session) // what is recorded from now on, nobody sees
		}
	}
}

// Count returns how many sessions are followed.
func (f *Followers) Count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.all)
}

// Wait waits until all that is followed has ended.
func (f *Followers) Wait() { f.work.Wait() }

// read publishes what is recorded after an event. Once the session runs in this server, it ends.
func (f *Followers) read(ctx context.Context, h *Hub, j Journal, last int64) {
	for e, err := range j.Follow(ctx, last) {
		if err != nil || j.Ours() || !f.publish(ctx, h, j.Session, e) {
			return
		}
		j.Seen(e)
	}
}

// publish publishes an event unless the follower has been stopped.
func (f *Followers) publish(ctx context.Context, h *Hub, session string, e event.Event) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ctx.Err() != nil {
		return false
	}
	h.Event(session, e)
	return true
}
