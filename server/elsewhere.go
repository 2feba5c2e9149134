package server

import (
	"context"
	"sync"

	"rein/event"
)

// followers read the journals of sessions that other programs run, while a client watches them.
type followers struct {
	mu  sync.Mutex
	all map[string]*follower
}

type follower struct {
	users int
	stop  context.CancelFunc
}

// follow brings the events that another program records in a session to the clients, until the function that it gives is
// called. A session that this server runs needs no follower: its events come at once.
func (s *Server) follow(w *workspace, id string) (leave func()) {
	if s.running(id) != nil {
		return func() {}
	}
	s.followers.mu.Lock()
	defer s.followers.mu.Unlock()
	f := s.followers.all[id]
	if f == nil {
		ctx, cancel := context.WithCancel(s.ending)
		f = &follower{stop: cancel}
		if s.followers.all == nil {
			s.followers.all = map[string]*follower{}
		}
		s.followers.all[id] = f
		last := s.last(w, id) // before the caller reads the journal, so that nothing is between the two
		s.work.Go(func() { s.read(ctx, w, id, last) })
	}
	f.users++
	return func() {
		s.followers.mu.Lock()
		defer s.followers.mu.Unlock()
		if f.users--; f.users > 0 {
			return
		}
		f.stop()
		delete(s.followers.all, id)
		if s.running(id) == nil {
			s.hub.Ended(id) // what is recorded from now on, nobody sees
		}
	}
}

// last gives the number of the last recorded event of a session.
func (s *Server) last(w *workspace, id string) (last int64) {
	for e, err := range w.h.Events(id, 0) {
		if err != nil {
			break // the session's reader shows the fault
		}
		last = e.Seq
	}
	return last
}

// read publishes what is recorded after an event. Once the session runs in this server, it ends.
func (s *Server) read(ctx context.Context, w *workspace, id string, last int64) {
	for e, err := range w.h.Store().Follow(ctx, id, last) {
		if err != nil || s.running(id) != nil || !s.publish(ctx, id, e) {
			return
		}
		if e.Kind.Synced() || e.Stop != "" {
			s.past.Forget()
			s.touched.Add(id)
		}
	}
}

// publish publishes an event unless the follower has been stopped.
func (s *Server) publish(ctx context.Context, id string, e event.Event) bool {
	s.followers.mu.Lock()
	defer s.followers.mu.Unlock()
	if ctx.Err() != nil {
		return false
	}
	s.hub.Event(id, e)
	return true
}
