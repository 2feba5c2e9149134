package main

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"rein/app/extend"
	"rein/app/harness"
	"rein/app/server/api"
	"rein/app/session"
	"rein/app/sessions"
	"rein/event"
	"rein/guard"
	"rein/tool"
)

// remoteSession is a session of a server, as the screen sees it. What the screen reads is kept here, and follows what the server sends.
type remoteSession struct {
	place *remotePlace
	id    string
	ctx   context.Context // until it is closed
	close context.CancelFunc
	turns *session.Turns
	asked remoteRequests
	held  trouble // is used by one goroutine at a time

	mu       sync.Mutex // guards what follows
	now      api.Session
	past     sessions.Past
	message  int64           // the number of the user's last one; 0: there is none
	seen     int64           // events of the session up to this one are not shown
	since    time.Time       // those of sub-agents up to then neither
	own      []remoteMessage // messages of this screen that the model has not got
	numbers  int
	sending  <-chan struct{} // closed when the last of them is sent; nil: there was none
	jobs     []session.Job
	commands []extend.Command // as they were read last; nil: not yet
	reads    bool             // the jobs are read
	offline  bool
	left     bool // by the user
}

// remoteMessage is a message that waits in the server.
type remoteMessage struct {
	harness.Queued
	id      string // of the message
	after   int64  // the event before it
	taken   bool   // the server has it
	stopped bool   // a turn was stopped since it was written
	back    bool   // the server has dropped it
}

// open begins to follow a session. Of a turn at work all events come again.
func (f *remotePlace) open(ctx context.Context, now api.Session) (session.Session, error) {
	recorded, err := f.client.Past(ctx, now.ID, 0, 2000)
	if err != nil {
		return nil, err
	}
	s := &remoteSession{place: f, id: now.ID, now: now}
	s.ctx, s.close = context.WithCancel(context.WithoutCancel(ctx))
	working := now.Working || now.Pending > 0
	s.turns = session.NewTurns(&session.Turns{ID: now.ID, Happened: f.person.Happened, Joined: f.person.Joined, Cancel: s.cancel, Stopped: s.awaitSent,
		Closed: s.ctx.Done(), Goes: true}, working)
	shown := recorded.Events
	for i, e := range recorded.Events {
		if working && e.Kind == event.Prompted {
			shown = recorded.Events[:i]
		}
		if e.Start != nil {
			s.now.Mode, s.now.Model = cmp.Or(e.Start.Mode, s.now.Mode), cmp.Or(e.Start.Model, s.now.Model)
		}
	}
	for _, e := range shown {
		s.seen, s.since = e.Seq, e.Time
	}
	s.past = sessions.LastOf(shown, recorded.More, sessions.Most{Turns: session.PastTurns, Steps: session.PastSteps})
	for _, e := range s.past.Events {
		if e.Kind == event.Prompted {
			s.message = e.Seq
		}
	}
	s.asked = remoteRequests{of: s, openRequests: openRequests{root: s.id}, open: map[string]*remoteRequest{}, listed: map[string]string{}, answers: map[string]guard.Answer{}}
	s.asked.opened, s.asked.closed = s.asked.ask, s.asked.gone
	if now.State == api.Interrupted {
		f.person.Warn("the last turn was interrupted: /continue continues it")
	}
	f.shown, s.held.own = s, ownWords()
	s.tellTrouble(now.Trouble)
	go s.follow()
	return s, nil
}

// follow takes what the server sends, until the session is closed.
func (s *remoteSession) follow() {
	for seen, err := range s.place.client.Watch(s.ctx, s.id) {
		switch {
		case err != nil && s.ctx.Err() == nil:
			s.place.person.Warn("the server sends nothing more: " + err.Error())
			s.turns.Over()
			return
		case seen.Event != nil:
			s.event(*seen.Event)
		case seen.Requests != nil:
			s.asked.take(*seen.Requests)
		case seen.Session != nil:
			s.changed(*seen.Session)
			s.tellTrouble(seen.Session.Trouble)
		case seen.Lost != nil && s.place.moves != nil:
			s.place.moves(s)
			return
		case seen.Lost != nil:
			why := seen.Lost
			if u, ok := errors.AsType[*url.Error](why); ok {
				why = u.Err // the user knows the address
			}
			s.lost(why.Error())
		case seen.Whole:
			s.back()
		}
	}
}

// leave ends what is shown of a session whose process is gone, and returns the events that the screen has not got.
func (s *remoteSession) leave() []event.Event {
	s.mu.Lock()
	for i := range s.own {
		s.own[i].back = true // the model has not got it, and will not
	}
	s.mu.Unlock()
	s.close()
	s.asked.wait()
	return s.turns.Rest()
}

// given reports whether the user has left the session.
func (s *remoteSession) given() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left
}

func (s *remoteSession) lastSeen() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}

// skip leaves out what is shown already.
func (s *remoteSession) skip(last int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = max(s.seen, last)
}

// lost shows that there is no connection. reason "" means that there is one again.
func (s *remoteSession) lost(reason string) {
	s.mu.Lock()
	s.offline = reason != ""
	s.mu.Unlock()
	s.place.person.Offline(reason)
}

// back is called when all that was missed has come. A turn that the server does not continue is over.
func (s *remoteSession) back() {
	s.mu.Lock()
	was := s.offline
	s.mu.Unlock()
	if !was {
		return
	}
	s.lost("")
	now, err := s.place.client.Session(s.ctx, s.id)
	if err != nil {
		return // the next connection asks again
	}
	s.changed(now)
	cut := s.turns.Working() && !now.Working && now.Pending == 0 && now.State == api.Interrupted
	if cut {
		s.place.person.Warn("the server was started again and the turn was interrupted: /continue continues it")
		s.turns.Over()
	}
}

// changed takes what lists show of the session.
func (s *remoteSession) changed(now api.Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now.Mode, now.Model = cmp.Or(now.Mode, s.now.Mode), cmp.Or(now.Model, s.now.Model)
	if now.Usage == nil {
		now.Usage = s.now.Usage
	}
	if now.Window == 0 {
		now.Window = s.now.Window
	}
	s.now = now
}

// event takes one event: those that the screen shows already are left out.
func (s *remoteSession) event(e event.Event) {
	own := e.Session == s.id
	s.mu.Lock()
	if e.Seq > 0 && (own && e.Seq <= s.seen || !own && !e.Time.After(s.since)) {
		s.mu.Unlock()
		return
	}
	if own {
		if e.Seq > 0 {
			s.seen, s.since = e.Seq, e.Time
		}
		if e.Start != nil {
			s.now.Mode, s.now.Model = e.Start.Mode, e.Start.Model
		}
		switch {
		case e.Kind == event.Prompted:
			s.message = e.Seq
			s.arrivedLocked(e.Text)
		case e.Kind == event.Stopped && e.Stop == event.Cancelled:
			s.droppedLocked()
		}
	}
	s.mu.Unlock()
	s.asked.event(e)
	if e.Kind == event.Replied || e.Kind == event.Stopped {
		go s.readJobs()
	}
	s.turns.Came(e)
}

// arrivedLocked forgets a message that the model has got; s.mu is held.
func (s *remoteSession) arrivedLocked(text string) {
	if i := slices.IndexFunc(s.own, func(w remoteMessage) bool { return strings.HasPrefix(text, w.Text) }); i >= 0 {
		s.own = slices.Delete(s.own, i, i+1)
	}
}

// droppedLocked notes that the server has dropped the messages that wait, as it does when somebody stops a turn; s.mu is held. One that is
// still on its way may come after that: see taken.
func (s *remoteSession) droppedLocked() {
	for i := range s.own {
		s.own[i].stopped, s.own[i].back = true, s.own[i].taken
	}
}

func (s *remoteSession) ID() string { return s.id }

func (s *remoteSession) How() session.How {
	s.mu.Lock()
	defer s.mu.Unlock()
	return session.How{Dir: s.now.Dir, Model: s.now.Model, Mode: s.now.Mode, Joined: s.place.moves != nil}
}

func (s *remoteSession) Usage() (u event.Usage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now.Usage != nil {
		u = *s.now.Usage
	}
	return u
}

func (s *remoteSession) Window() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(s.now.Window)
}

func (s *remoteSession) Waiting() bool { return s.turns.Waiting() }

// Context is a server's own: it is not sent.
func (s *remoteSession) Context() (session.Context, error) {
	return session.Context{}, session.NotThere("the parts are shown where the session was begun")
}

// StatusLine runs nothing: the user's command is for the sessions of this machine.
func (s *remoteSession) StatusLine(context.Context, []byte) (string, error) {
	return "", errOwnCommand
}

// RunCommand runs nothing: what runs on the server's machine is asked of its model.
func (s *remoteSession) RunCommand(context.Context, string, func(event.Event)) (string, error) {
	return "", errOwnCommand
}

const errOwnCommand = session.NotThere("your own commands run where the session was begun: ask the model to run it")

// Expand leaves the commands that the server has to it.
func (s *remoteSession) Expand(_ context.Context, name, _ string, _ func(event.Event)) (string, []tool.Part, error) {
	s.mu.Lock()
	known := s.commands
	s.mu.Unlock()
	if known == nil {
		known = s.Commands()
	}
	if slices.ContainsFunc(known, func(c extend.Command) bool { return c.Name == name }) {
		return "", nil, session.ErrSendLine
	}
	return "", nil, session.ErrNoCommand
}

func (s *remoteSession) Past() (sessions.Past, error) { return s.past, nil }

// Close leaves the session. It continues in the server.
func (s *remoteSession) Close(context.Context) error {
	s.mu.Lock()
	s.left = true
	s.mu.Unlock()
	s.close()
	return nil
}

// SetMode shows the mode at once; the server's answer comes later.
func (s *remoteSession) SetMode(mode string) error {
	s.mu.Lock()
	before := s.now.Mode
	s.now.Mode = mode
	s.mu.Unlock()
	go func() {
		now, err := s.place.client.Change(s.ctx, s.id, api.Change{Mode: mode})
		if err != nil {
			s.place.person.Warn("the mode was not changed: " + err.Error())
			now.Mode = before
			s.mu.Lock()
			defer s.mu.Unlock()
			s.now.Mode = before
			return
		}
		s.changed(now)
	}()
	return nil
}

func (s *remoteSession) Allowed(ctx context.Context) ([]string, error) {
	now, err := s.place.client.Session(ctx, s.id)
	return now.Allowed, err
}

func (s *remoteSession) Disallow(ctx context.Context, rule string) (bool, error) {
	all, err := s.Allowed(ctx)
	if err != nil || !slices.Contains(all, rule) {
		return false, err
	}
	_, err = s.place.client.Change(ctx, s.id, api.Change{Disallow: rule})
	return err == nil, err
}

func (s *remoteSession) SetModel(ctx context.Context, ref string) error {
	now, err := s.place.client.Change(ctx, s.id, api.Change{Model: ref})
	if err == nil {
		s.changed(now)
	}
	return err
}

// Commands asks the server, which knows them.
func (s *remoteSession) Commands() (all []extend.Command) {
	names, err := s.place.client.Names(s.ctx, s.id, "")
	if err != nil {
		return nil // completion offers none
	}
	for _, c := range names.Commands {
		all = append(all, extend.Command{Name: c.Name, About: c.About, Hint: c.Hint})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commands = all
	return all
}

func (s *remoteSession) Files(ctx context.Context, _ int) ([]string, error) {
	names, err := s.place.client.Names(ctx, s.id, "")
	return names.Files, err
}
