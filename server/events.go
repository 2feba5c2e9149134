package server

import (
	"cmp"
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

// How much a client gets of a session.
const (
	maxWatch  = 64   // sessions of one stream
	lastPage  = 500  // events of a session that a client gets that has none of it
	maxReplay = 5000 // events that a client may have missed; with more it gets the last page
)

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
		if err := s.replay(out, id, sub.Live[id]); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-r.Context().Done():
		case <-s.ending.Done():
		}
	}()
	return out.Follow(done, sub)
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

// replay sends the recorded events of a session and its sub-agents that the client does not have, and then what is live. Of
// a session at work it sends the events that live follows; later ones come through the subscription.
func (s *Server) replay(out *stream.Writer, id string, now *stream.Live) error {
	waiting := []string{id}
	for len(waiting) > 0 {
		session := waiting[0]
		children, err := s.replayOne(out, session, now)
		if err != nil {
			return err
		}
		waiting = append(waiting[1:], children...)
	}
	if now == nil {
		now = &stream.Live{Session: id, At: map[string]int64{}}
	}
	return out.Write(stream.Message("snapshot", now))
}

// replayOne sends the events of one session and gives its sub-agents.
func (s *Server) replayOne(out *stream.Writer, id string, now *stream.Live) (children []string, err error) {
	after, known := out.Cursor[id]
	var events []event.Event
	most := maxReplay
	if !known {
		most = lastPage
	}
	dropped := false
	for e, err := range s.rooms[0].h.Events(id, 0) {
		if err != nil {
			break // what can be read is shown; the list of sessions shows the fault
		}
		if now != nil && now.At[id] > 0 && e.Seq > now.At[id] {
			break
		}
		if e.Kind == event.SubAgentStarted && e.Child != "" && !slices.Contains(children, e.Child) {
			children = append(children, e.Child)
		}
		if e.Seq <= after {
			continue
		}
		if events = append(events, e); len(events) >= 2*most {
			events, dropped = append(events[:0], events[len(events)-most:]...), true
		}
	}
	if len(events) > most || dropped && known {
		if known {
			most = lastPage
		}
		if len(events) > most {
			events, dropped = events[len(events)-most:], true
		}
	}
	if !known || dropped {
		first := int64(1)
		if len(events) > 0 {
			first = events[0].Seq
		}
		if err := out.Write(stream.Message("reset", map[string]any{"session": id, "first": first})); err != nil {
			return nil, err
		}
	}
	for _, e := range events {
		f, err := stream.EventFrame(e)
		if err != nil {
			continue
		}
		if err := out.Write(f); err != nil {
			return nil, err
		}
	}
	return children, nil
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
