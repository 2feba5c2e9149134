package server

import (
	"cmp"
	"context"
	"iter"
	"net/http"

	"rein/event"
	"rein/server/api"
	"rein/server/auth"
	"rein/server/description"
	"rein/server/signin"
	"rein/server/stream"
)

// watched is what one stream brings of which workspaces.
type watched struct {
	stream.Watch
	rooms []*workspace
}

// watch reads what a client wants to watch, and refuses what the user may not see.
func (s *Server) watch(u auth.User, text string) (out watched, err error) {
	if out.Watch, err = stream.ParseWatch(text); err != nil {
		return out, problem(http.StatusUnprocessableEntity, "watch", err.Error())
	}
	for _, id := range out.Sessions {
		if _, err := s.seen(u, id); err != nil {
			return out, err
		}
	}
	out.rooms = s.visible(u)
	return out, nil
}

// events is the stream of all that a client watches.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	c := signin.Of(r.Context())
	want, err := s.watch(c.User, r.URL.Query().Get("watch"))
	var cursor stream.Cursor
	if err == nil {
		if cursor, err = stream.ParseCursor(cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("after"))); err != nil {
			err = problem(http.StatusBadRequest, "cursor", err.Error())
		}
	}
	if err != nil {
		description.Refuse(w, asProblem(problemOf(err)))
		return
	}
	who := c.Name + " " + c.Through
	if !s.rates.Enter(who, s.limits().Streams) {
		description.Refuse(w, problem(http.StatusTooManyRequests, "streams", "too many event streams at once"))
		return
	}
	defer s.rates.Leave(who)
	if err := s.stream(w, r, c, want, cursor); err != nil {
		s.o.Log.Debug("an event stream ended", "error", err)
	}
}

func (s *Server) stream(w http.ResponseWriter, r *http.Request, c signin.Client, want watched, cursor stream.Cursor) error {
	var dirs []string
	for _, room := range want.rooms {
		dirs = append(dirs, room.dir)
	}
	sub := s.hub.Subscribe(want.Topics(dirs)...) // before the journals are read, so that nothing is missed
	defer sub.Close()
	for _, id := range want.Sessions {
		if w, err := s.seen(c.User, id); err == nil {
			defer s.follow(w, id)()
		}
	}
	out, err := stream.NewWriter(w, cursor)
	if err != nil {
		return err
	}
	if err := s.first(out, c, want); err != nil {
		return err
	}
	for _, id := range want.Sessions {
		if err := out.Replay(id, sub.Live[id], func(id string) iter.Seq2[event.Event, error] { return s.rooms[0].h.Events(id, 0) }); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return out.Follow(r.Context(), s.ending.Done(), sub)
}

// follow brings the events that another program records in a session to the clients, until the function that it gives is
// called. A session that this server runs needs no follower.
func (s *Server) follow(w *workspace, id string) (leave func()) {
	ours := func() bool { return s.running(id) != nil }
	if ours() {
		return func() {}
	}
	return s.followers.Follow(s.ending, s.hub, stream.Journal{Session: id, Ours: ours,
		Last: func() (last int64) {
			for e, err := range w.h.Events(id, 0) {
				if err != nil {
					break // the session's reader shows the fault
				}
				last = e.Seq
			}
			return last
		},
		Follow: func(ctx context.Context, after int64) iter.Seq2[event.Event, error] {
			return w.h.Store().Follow(ctx, id, after)
		},
		Seen: func(e event.Event) {
			if e.Synced() || e.Stop != "" {
				s.past.Forget()
				s.touched.Add(id)
			}
		}})
}

// first sends what the lists contain now.
func (s *Server) first(out *stream.Writer, c signin.Client, want watched) error {
	if err := out.Write(stream.Message("hello", s.whoIs(c))); err != nil {
		return err
	}
	for _, room := range want.rooms {
		if want.Inbox {
			if err := out.Write(stream.Message("inbox", api.WorkspaceRequests{Dir: room.dir, Requests: room.inbox.list()})); err != nil {
				return err
			}
		}
		if want.Lists {
			list, _, err := s.list(room, "", listed)
			if err != nil {
				return err
			}
			if err := out.Write(stream.Message("sessions", map[string]any{"dir": room.dir, "sessions": list})); err != nil {
				return err
			}
		}
	}
	return nil
}

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
		s.hub.Publish("sessions:"+w.dir, stream.Message("session", r.Shown(w.inbox.count(id))))
	}
}
