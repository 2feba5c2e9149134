package server

import (
	"context"
	"sync"
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
		s.work.Go(func() { s.read(ctx, w, id) })
	}
	f.users++
	return func() {
		s.followers.mu.Lock()
		defer s.followers.mu.Unlock()
		if f.users--; f.users == 0 {
			f.stop()
			delete(s.followers.all, id)
		}
	}
}

// read publishes what is recorded from now on. Once the session runs in this server, it ends.
func (s *Server) read(ctx context.Context, w *workspace, id string) {
	var last int64
	for e, err := range w.h.Events(id, 0) {
		if err != nil {
			return
		}
		last = e.Seq
	}
	for e, err := range w.h.Store().Follow(ctx, id, last) {
		if err != nil || s.running(id) != nil {
			return
		}
		s.hub.Event(id, e)
		if e.Kind.Synced() || e.Stop != "" {
			s.past.forget()
			s.touched.add(id)
		}
	}
}
