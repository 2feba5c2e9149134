package server

import (
	"maps"
	"slices"
	"sync"

	"rein/server/stream"
)

// touched are the sessions that lists must show anew. Who records an event may hold locks of the session, so it only leaves
// the id here, and a goroutine of the server looks at the session.
type touched struct {
	mu   sync.Mutex
	ids  map[string]bool
	wake chan struct{} // one unseen wake is enough: the reader takes all ids
}

func newTouched() *touched { return &touched{ids: map[string]bool{}, wake: make(chan struct{}, 1)} }

func (t *touched) add(id string) {
	t.mu.Lock()
	t.ids[id] = true
	t.mu.Unlock()
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

func (t *touched) take() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	ids := slices.Sorted(maps.Keys(t.ids))
	clear(t.ids)
	return ids
}

// showTouched shows touched sessions in the lists of the clients until the server closes.
func (s *Server) showTouched() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.touched.wake:
		}
		for _, id := range s.touched.take() {
			s.showSession(id)
		}
	}
}

func (s *Server) showSession(id string) {
	if l := s.running(id); l != nil {
		if v, err := s.session(l.room, id); err == nil {
			s.hub.Publish("sessions:"+l.room.dir, stream.Message("session", v))
		}
		return
	}
	r, err := s.past.get(s.rooms[0].h, id)
	if w := s.workspace(r.Dir); err == nil && w != nil && r.Parent == "" {
		s.hub.Publish("sessions:"+w.dir, stream.Message("session", r.summary(w.inbox.count(id))))
	}
}
