package server

import (
	"cmp"
	"iter"
	"net/http"
	"slices"

	"rein/app/server/api"
	"rein/event"
)

// eventStreams bring clients all that they watch.
type eventStreams struct {
	*allSessions
	rates *userCounter
	hello func(requestSender) api.Me
}

// watched is what one stream brings of which workspaces.
type watched struct {
	api.Watch
	rooms   []*servedWorkspace
	unknown []string // sessions that there are not, or that the user may not see
}

// watch reads what a client wants to watch, and leaves out what the user may not see: the tabs of a browser share one stream.
func (e eventStreams) watch(u User, text string) (out watched, err error) {
	if out.Watch, err = api.ParseWatch(text); err != nil {
		return out, problem(http.StatusUnprocessableEntity, "watch", err.Error())
	}
	out.Sessions = slices.DeleteFunc(out.Sessions, func(id string) bool {
		_, err := e.seen(u, id)
		if err != nil {
			out.unknown = append(out.unknown, id)
		}
		return err != nil
	})
	if len(out.unknown) > 0 && len(out.Sessions) == 0 && !out.Inbox && !out.Lists {
		return out, errNoSession
	}
	out.rooms = e.visible(u)
	return out, nil
}

// serve is the stream of all that a client watches.
func (e eventStreams) serve(w http.ResponseWriter, r *http.Request) {
	c := senderOf(r.Context())
	want, err := e.watch(c.User, r.URL.Query().Get("watch"))
	var cursor api.Cursor
	if err == nil {
		if cursor, err = api.ParseCursor(cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("after"))); err != nil {
			err = problem(http.StatusBadRequest, "cursor", err.Error())
		}
	}
	if err != nil {
		writeProblem(w, problemOf(err))
		return
	}
	who := c.Name + " " + c.Through
	if !e.rates.Enter(who, e.config.limits().Streams) {
		writeProblem(w, problem(http.StatusTooManyRequests, "streams", "too many event streams at once"))
		return
	}
	defer e.rates.Leave(who)
	if err := e.stream(w, r, c, want, cursor); err != nil {
		e.log.Debug("an event stream ended", "error", err)
	}
}

func (e eventStreams) stream(w http.ResponseWriter, r *http.Request, c requestSender, want watched, cursor api.Cursor) error {
	var dirs []string
	for _, room := range want.rooms {
		dirs = append(dirs, room.dir)
	}
	sub := e.hub.Subscribe(want.Topics(dirs)...) // before the journals are read, so that nothing is missed
	defer sub.Close()
	for _, id := range want.Sessions {
		if w, err := e.seen(c.User, id); err == nil {
			defer e.follow(w, id)()
		}
	}
	out, err := api.NewWriter(w, cursor)
	if err != nil {
		return err
	}
	if err := e.first(out, c, want); err != nil {
		return err
	}
	for _, id := range want.Sessions {
		if err := out.Replay(id, sub.Live[id], func(id string) iter.Seq2[event.Event, error] { return e.workspaces.all[0].h.Events(id, 0) }); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return out.Follow(r.Context(), e.ending.Done(), sub, c.still)
}

// first sends what the lists contain now.
func (e eventStreams) first(out *api.Writer, c requestSender, want watched) error {
	if err := out.Write(api.Message("hello", e.hello(c))); err != nil {
		return err
	}
	for _, id := range want.unknown {
		if err := out.Write(api.Message("unknown", map[string]string{"session": id})); err != nil {
			return err
		}
	}
	for _, room := range want.rooms {
		if want.Inbox {
			if err := out.Write(api.Message("inbox", api.WorkspaceRequests{Dir: room.dir, Requests: room.inbox.list()})); err != nil {
				return err
			}
		}
		if want.Lists {
			list, err := e.list(room, "", listed)
			if err != nil {
				return err
			}
			if err := out.Write(api.Message("sessions", map[string]any{"dir": room.dir, "sessions": list})); err != nil {
				return err
			}
		}
	}
	return nil
}
