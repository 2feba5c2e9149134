package server

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"slices"
	"strings"

	"rein/event"
	"rein/server/api"
	"rein/server/auth"
	"rein/server/description"
	"rein/server/signin"
	"rein/server/stream"
)

// maxWatch is how many sessions one stream brings.
const maxWatch = 64

// watched is what one stream brings.
type watched struct {
	rooms    []*workspace
	inbox    bool
	sessions bool
	ids      []string
}

func (w watched) topics() (all []string) {
	for _, room := range w.rooms {
		if w.inbox {
			all = append(all, "inbox:"+room.dir)
		}
		if w.sessions {
			all = append(all, "sessions:"+room.dir)
		}
	}
	return append(all, w.ids...)
}

// watch reads what a client wants to watch, and refuses what the user may not see.
func (s *Server) watch(u auth.User, text string) (watched, error) {
	out := watched{rooms: s.visible(u)}
	for _, part := range strings.Split(text, ",") {
		id, isSession := strings.CutPrefix(part, "s:")
		switch {
		case part == "inbox":
			out.inbox = true
		case part == "sessions":
			out.sessions = true
		case isSession && !slices.Contains(out.ids, id):
			if _, err := s.seen(u, id); err != nil {
				return out, err
			}
			out.ids = append(out.ids, id)
		case !isSession:
			return out, problem(http.StatusUnprocessableEntity, "watch", "watch takes inbox, sessions and s:ID")
		}
	}
	if len(out.ids) > maxWatch {
		return out, problem(http.StatusUnprocessableEntity, "watch", "too many sessions in one stream")
	}
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
	sub := s.hub.Subscribe(want.topics()...) // before the journals are read, so that nothing is missed
	defer sub.Close()
	for _, id := range want.ids {
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
	for _, id := range want.ids {
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
			if e.Kind.Synced() || e.Stop != "" {
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
		if want.inbox {
			if err := out.Write(stream.Message("inbox", api.WorkspaceRequests{Dir: room.dir, Requests: room.inbox.list()})); err != nil {
				return err
			}
		}
		if want.sessions {
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

// page gives recorded events of a session before an event, the last ones first cut to most.
func (s *Server) page(id string, before int64, most int) (api.Events, error) {
	out := api.Events{Events: []event.Event{}}
	for e, err := range s.rooms[0].h.Events(id, 0) {
		if err != nil {
			return out, err
		}
		if before > 0 && e.Seq >= before {
			break
		}
		if out.Events = append(out.Events, e); len(out.Events) >= 2*most {
			out.Events, out.More = append(out.Events[:0], out.Events[len(out.Events)-most:]...), true
		}
	}
	if over := len(out.Events) - most; over > 0 {
		out.Events, out.More = out.Events[over:], true
	}
	return out, nil
}
