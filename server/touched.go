package server

import (
	"rein/server/stream"
)

// showTouched shows touched sessions in the lists of the clients until the server closes.
func (s *Server) showTouched() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.touched.Wake():
		}
		for _, id := range s.touched.Take() {
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
	r, err := s.past.Get(id)
	if w := s.workspace(r.Dir); err == nil && w != nil && r.Parent == "" {
		s.hub.Publish("sessions:"+w.dir, stream.Message("session", summary(r, w.inbox.count(id))))
	}
}
