package server

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"rein/app/harness"
	"rein/app/inbox"
	"rein/app/server/api"
	"rein/app/sessions"
	"rein/event"
)

// listed is how many sessions a list has when the client names no number.
const listed = 100

// allSessions are those that are open here, and those that are recorded.
type allSessions struct {
	*workspaces
	*auditLog
	*background
	config    *configuration
	hub       *api.Hub
	touched   *changedNames
	queues    *queueStore[queued] // messages that wait for the end of a turn
	notSent   *queueStore[queued] // messages that no model got
	past      recordedList
	followers api.Followers
	ending    context.Context // of the event streams; it ends when the server stops to listen
	draining  atomic.Bool     // no turn begins any more: the next server sends what waits
	engine    Engine          // runs the sessions; nil: this server does
	only      *live           // the one session that is served: see Shared; nil: all are

	opened sync.Mutex // held while a session is opened
	mu     sync.Mutex // guards what follows
	live   map[string]*live
	run    map[string]*live // that the engine runs: what webhooks need of them
}

// seen returns the workspace of a session that the user may see.
func (s *allSessions) seen(u User, id string) (*servedWorkspace, error) {
	if l := s.running(id); l != nil {
		if !u.Sees(l.room.dir) {
			return nil, errNoSession
		}
		return l.room, nil
	}
	if s.only != nil {
		return nil, errNoSession
	}
	r, err := s.past.Root(id)
	if err != nil {
		return nil, err
	}
	if w := s.workspaces.of(r.Dir); w != nil && u.Sees(r.Dir) {
		return w, nil
	}
	return nil, errNoSession
}

// list returns the sessions of a workspace, newest first; search bounds them to those whose title has its words.
func (s *allSessions) list(w *servedWorkspace, search string, most int) (all []api.Session, err error) {
	if s.only != nil {
		return []api.Session{s.only.summary()}, nil
	}
	recorded, err := s.past.All()
	if err != nil {
		return nil, err
	}
	all = []api.Session{}
	known := map[string]bool{}
	for _, l := range s.open() {
		if l.room != w {
			continue
		}
		known[l.id] = true
		v := l.summary()
		if i := slices.IndexFunc(recorded, func(r pastSession) bool { return r.ID == l.id && r.Name != "" }); i >= 0 {
			v.Title = recorded[i].Name
		}
		all = append(all, v)
	}
	for _, r := range recorded {
		if r.Parent == "" && (r.Dir == w.dir || r.lost() && w == s.workspaces.all[0]) && !known[r.ID] {
			all = append(all, r.Shown(w.inbox.count(r.ID)))
		}
	}
	words := strings.Fields(strings.ToLower(search))
	all = slices.DeleteFunc(all, func(v api.Session) bool {
		text := strings.ToLower(v.Title + " " + v.ID + " " + string(v.State))
		return slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
	})
	slices.SortStableFunc(all, func(a, b api.Session) int { return b.Last.Compare(a.Last) })
	return all[:min(len(all), most)], nil
}

// create begins a session and sends its first message.
func (s *allSessions) create(ctx context.Context, c requestSender, n api.NewSession) (api.Session, error) {
	w, err := s.find(c.User, n.Dir)
	if err != nil {
		return api.Session{}, problem(http.StatusUnprocessableEntity, "workspace", err.Error())
	}
	if n.ID != "" {
		s.opened.Lock() // the same request may come twice at once
		defer s.opened.Unlock()
		if v, begun, err := s.begunBefore(ctx, c, w, n); begun || err != nil {
			return v, err
		}
	}
	l, err := s.begin(ctx, w, harness.NewSession{ID: n.ID, KeepsWaiting: true, ModelName: n.Model, Mode: n.Mode})
	if err != nil {
		return api.Session{}, err
	}
	s.note(c, api.Entry{What: "created", Dir: w.dir, Session: l.id, Text: strings.TrimSpace(n.Model + " " + n.Mode)})
	if n.Text != "" {
		if _, err := l.sendFirst(c.User, api.NewMessage{ID: n.ID, Text: n.Text}, &beginning{w.dir, n.Model, n.Mode}); err != nil {
			return api.Session{}, err
		}
	}
	s.touched.Add(l.id)
	return l.summary(), nil
}

// begunBefore returns the session that an earlier request with the same id has begun. Where its first message never came, it is sent;
// s.opened is held.
func (s *allSessions) begunBefore(ctx context.Context, c requestSender, w *servedWorkspace, n api.NewSession) (v api.Session, begun bool, err error) {
	if where, err := s.seen(c.User, n.ID); errors.Is(err, errNoSession) {
		return v, false, nil
	} else if err != nil || where != w {
		return v, false, cmp.Or(err, error(problem(http.StatusConflict, "taken", "a session of another workspace has this id")))
	}
	if v, err = s.session(w, n.ID); err != nil || v.Title != "" || n.Text == "" {
		return v, true, err
	}
	l, err := s.resumeLocked(ctx, w, n.ID)
	if err == nil {
		_, err = l.send(c.User, api.NewMessage{ID: n.ID, Text: n.Text})
	}
	if err != nil {
		return v, true, err
	}
	return l.summary(), true, nil
}

// session returns a session as lists show it. Of one that runs here nothing is read: it changes often.
func (s *allSessions) session(w *servedWorkspace, id string) (api.Session, error) {
	if l := s.running(id); l != nil {
		v := l.summary()
		v.Title = cmp.Or(s.past.Known(id).Name, v.Title)
		return v, nil
	}
	r, err := s.past.Get(id)
	v := r.Shown(w.inbox.count(id))
	v.Queued, v.Unsent = shownQueue(s.queues.Get(id)), shownQueue(s.notSent.Get(id))
	return v, err
}

// rewind closes the session, and takes its conversation back. The next message opens it again.
func (s *allSessions) rewind(ctx context.Context, w *servedWorkspace, id string, at int64, by string) error {
	s.opened.Lock()
	defer s.opened.Unlock()
	if err := s.shut(ctx, id); err != nil {
		return err
	}
	before := w.h.Store().Rewind(id, at, by)
	if errors.Is(before, sessions.ErrNotAMessage) {
		return problem(http.StatusUnprocessableEntity, "not_a_message", before.Error())
	}
	if before != nil {
		return before
	}
	for e, err := range w.h.Events(id, 0) {
		if err == nil && e.Kind == "rewound" {
			s.hub.Event(id, e) // clients drop those that they have
		}
	}
	s.hub.Ended(id)
	s.past.Forget()
	return nil
}

// history returns what a session did to files; "" is all sessions of the workspace.
func (s *allSessions) history(w *servedWorkspace, id string) (*harness.UndoHistory, error) {
	if l := s.running(id); l != nil {
		return l.s.FileHistory()
	}
	return w.newest().FileHistory(id)
}

// rootOf returns the user's session to which a request belongs.
func (s *allSessions) rootOf(r inbox.Request) (pastSession, error) {
	if l := s.running(r.Session); l != nil {
		return l.name(), nil
	}
	if r.Depth == 0 {
		return s.past.Get(r.Session)
	}
	return s.past.Root(r.Session)
}

// answered tells the clients of the inbox who has answered a request, or why it no longer holds.
func (s *allSessions) answered(l *live, e event.Event) {
	switch {
	case e.Call == nil:
		return
	case (e.Kind == event.Granted || e.Kind == event.Refused) && e.Answer != nil:
		s.hub.Publish("inbox:"+l.room.dir, api.Message("answered", api.AnsweredMessage{Session: e.Session, Root: l.name().ID, Call: e.Call.ID, Answer: e.Answer}))
	case e.Kind == event.ApprovalVoid:
		s.hub.Publish("inbox:"+l.room.dir, api.Message("answered", api.AnsweredMessage{Session: e.Session, Root: l.name().ID, Call: e.Call.ID, Void: e.Reason, By: e.By, Text: e.Text}))
	default:
		return
	}
	s.config.tellAnswer(l, e)
}

// follow brings the events that another program records in a session to the clients, until the function that it gives is
// called. A session that this server runs needs no follower.
func (s *allSessions) follow(w *servedWorkspace, id string) (leave func()) {
	ours := func() bool { return s.engine != nil || s.running(id) != nil }
	if ours() {
		return func() {}
	}
	return s.followers.Follow(s.ending, s.hub, api.Journal{Session: id, Ours: ours,
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

// showTouched shows touched sessions in the lists of the clients until the server closes.
func (s *allSessions) showTouched() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.touched.Wake():
		}
		if s.engine != nil {
			s.readAgain()
		}
		for _, id := range s.touched.Take() {
			s.showSession(id)
		}
	}
}

func (s *allSessions) showSession(id string) {
	if l := s.running(id); l != nil {
		if v, err := s.session(l.room, id); err == nil {
			s.hub.Publish("sessions:"+l.room.dir, api.Message("session", v))
		}
		return
	}
	r, err := s.past.Get(id)
	if w := s.workspaces.of(r.Dir); err == nil && w != nil && r.Parent == "" {
		s.hub.Publish("sessions:"+w.dir, api.Message("session", r.Shown(w.inbox.count(id))))
	}
}

// whileNoneOpens calls a function with the harnesses that sessions use, and lets no session open meanwhile.
func (s *allSessions) whileNoneOpens(do func(used map[*harness.Harness]bool) error) error {
	s.opened.Lock()
	defer s.opened.Unlock()
	used := map[*harness.Harness]bool{}
	for _, l := range s.open() {
		used[l.h] = true
	}
	return do(used)
}

// open returns the sessions that are open here.
func (s *allSessions) open() []*live {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.live))
}
