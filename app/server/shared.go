package server

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"rein/app/harness"
	"rein/app/server/api"
	"rein/event"
)

// Shared is a session that a front end of this process leads, served to other terminals of the same user. Until one of them connects it
// only keeps what is live of the session. The turns are the session's own: whoever sends a message begins one, or gives it to the one
// that is at work.
type Shared struct {
	s      *Server
	l      *live
	opened *harness.Session
	first  sync.Once
	begun  atomic.Bool // a terminal has connected
	stop   context.CancelFunc
	served sync.WaitGroup
}

// sharedHost is the host in the addresses of a shared session.
const sharedHost = "session"

// joinedTerminal is the client of answers that come through Shared: see guard.Answer.
const joinedTerminal = "joined terminal"

// Share prepares to serve a session of a harness. Sees, Serve and Close follow.
func Share(h *harness.Harness) *Shared {
	s := newServer(context.Background(), Options{Dir: DefaultDir(h.Dirs()), Hosts: []string{sharedHost}})
	s.users = &users{}
	s.rooms.all = []*servedWorkspace{{dir: h.Root(), h: h}}
	s.join()
	s.config.users = s.users
	s.sessions.queues, s.sessions.notSent = &queueStore[queued]{all: map[string][]queued{}}, &queueStore[queued]{}
	l := &live{of: &s.sessions, room: s.rooms.all[0], h: h}
	s.sessions.only = l
	return &Shared{s: s, l: l}
}

// Sees adds to what a new session has of its own that its events are shared.
func (s *Shared) Sees(n harness.NewSession) harness.NewSession {
	n.Recorded, n.Watch = both(s.recorded, n.Recorded), both(s.watched, n.Watch)
	return n
}

func both(a, b func(event.Event)) func(event.Event) {
	if b == nil {
		return a
	}
	return func(e event.Event) { a(e); b(e) }
}

func (s *Shared) recorded(e event.Event) {
	if s.begun.Load() {
		s.l.recorded(e)
		return
	}
	s.s.sessions.hub.Event(s.l.named(e.Session), e)
}

// watched takes the live events: recorded has the others.
func (s *Shared) watched(e event.Event) {
	if e.Seq == 0 {
		s.s.sessions.hub.Event(s.l.named(e.Session), e)
	}
}

// named returns the id of the session; first is that of its first event.
func (l *live) named(first string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.id == "" {
		l.id = first
	}
	return l.id
}

// Serve answers other terminals until Close. opened is the session that the events of Sees come from.
func (s *Shared) Serve(opened *harness.Session) error {
	l, a, err := listenShared(opened.Dir())
	if err != nil {
		return err
	}
	s.opened, s.s.users.key = opened, a.Key
	s.l.named(opened.ID())
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.first.Do(s.begin)
		s.s.handler.ServeHTTP(w, r)
	})
	s.served.Go(func() { _ = serveUntil(ctx, l, nil, handler, s.s.end, s.s.o.Log) })
	return nil
}

// begin makes the server ready for the first request.
func (s *Shared) begin() {
	all, id := &s.s.sessions, s.opened.ID()
	if known, err := all.past.Get(id); err == nil {
		s.l.title, s.l.calls, s.l.stop, s.l.begun, s.l.last = known.Title, known.CallCount, known.Stop, known.Start, known.Last
	}
	_ = s.s.config.apply() // without settings it cannot fail
	all.adopt(s.l, s.opened)
	s.s.handler = s.s.sharedRoutes()
	s.begun.Store(true)
	s.s.background.work.Go(all.showTouched)
	approvals{all}.read(s.l.room)
	s.s.background.work.Go(func() { approvals{all}.watch(s.l.room) })
}

// Close ends the connections, and the turns that others began. The session stays open. It may be called again.
func (s *Shared) Close() {
	if s.stop != nil {
		s.stop()
	}
	s.s.background.cancel()
	s.served.Wait()
	s.s.background.work.Wait()
	s.s.sessions.followers.Wait()
	s.l.turns.Wait()
}

// sharedOperations are those that a terminal needs which shows one session.
var sharedOperations = strings.Fields(`me get-session list-events send-message attach-file cancel-turn resume-session change-session compact-session list-requests
	answer-request answer-requests list-jobs job-output stop-job session-changes list-steps undo whole-output list-names`)

// sharedRoutes are what other terminals may ask.
func (s *Server) sharedRoutes() http.Handler {
	mux := http.NewServeMux()
	serveOperations(mux, slices.DeleteFunc(s.operations(), func(o apiOperation) bool { return !slices.Contains(sharedOperations, o.ID) }), mayCall, problemOf)
	mux.HandleFunc("GET /v1/events", eventStreams{&s.sessions, &s.rates, s.whoIs}.serve)
	checks := s.checks()
	checks.Face = joinedTerminal
	return checks.Secure(checks.SignedIn(mux))
}

// shared reports whether a front end of this process leads the session.
func (l *live) shared() bool { return l.of.only != nil }

// workingLocked reports whether a turn is at work; l.mu is held.
func (l *live) workingLocked() bool { return l.cancel != nil || l.shared() && l.s.Working() }

// queuedLocked returns the messages that wait, as clients see them; l.mu is held.
func (l *live) queuedLocked() (all []api.Queued) {
	if l.taken != nil {
		all = shownQueue([]queued{*l.taken})
		all[0].Begun = true
	}
	for _, q := range l.s.Queued() {
		shown := l.others[q.ID].Queued
		shown.Text, shown.Steer = cmp.Or(shown.Text, q.Text), q.Steer
		all = append(all, shown)
	}
	return append(all, shownQueue(l.queue)...)
}

// deliver sends a message to a shared session.
func (l *live) deliver(m api.NewMessage) (state string, err error) {
	l.mu.Lock()
	files, repeated, err := l.acceptLocked(m)
	l.mu.Unlock()
	if err != nil || repeated {
		return "repeated", err
	}
	ctx, message := l.of.ctx, files.Message(m.Text)
	if l.s.Waiting() {
		_ = l.s.Begin(l.s.Resume(ctx)) // another turn is as good
	}
	turn := func(yield func(event.Event, error) bool) { l.turn(ctx, message)(yield) } // SendLine reads the line when the turn begins
	text := message.Text
	if strings.HasPrefix(text, "//") && len(message.Parts) == 0 {
		text = text[1:] // as SendLine has it
	}
	id, waits, err := l.s.Deliver(m.Steer, turn, harness.Message(text, message.Parts...)...)
	switch {
	case err != nil:
		return "", problem(http.StatusConflict, "not_taken", err.Error())
	case !waits:
		return "sent", nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.others[id] = queued{Queued: api.Queued{ID: m.ID, Text: m.Text, Attached: files.shown()}, Files: files}
	l.of.touched.Add(l.id)
	if m.Steer {
		return "steered", nil
	}
	return "queued", nil
}

// drop takes the messages of other terminals back that the model has not got: who sent them has them in the line again.
func (l *live) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, q := range l.others {
		if l.s.Unqueue(id) {
			l.attached = append(l.attached, q.Files...)
		}
	}
	clear(l.others)
	l.of.touched.Add(l.id)
}
