package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"rein/app/harness"
	"rein/app/server/api"
	"rein/app/sessions"
	"rein/event"
)

// live is a session that is open in this server.
type live struct {
	of    *allSessions
	room  *servedWorkspace
	h     *harness.Harness // of s
	s     *harness.Session
	id    string
	begun time.Time
	turns sync.WaitGroup

	mu     sync.Mutex // guards what follows
	cancel context.CancelFunc
	title  string
	calls  sessions.CallCount
	stop   event.Stop
	window int    // tokens that the model takes
	lines  int    // of the journal that are damaged
	fault  string // why the last turn could not be recorded: the journal takes nothing any more
	last   time.Time
	queue  []queued
	taken  *queued        // the message whose turn has begun, until it is recorded
	sent   []string       // ids of the messages that were sent, the last ones
	unsent []queued       // that no model got: hooks did not let them through, or their turns were stopped before
	others map[int]queued // the messages of clients in the queue of the session itself, by their numbers there
	closed bool

	attached attachedFiles // that wait for a message
}

// maxSent is how many ids of messages a session remembers, so that no message is sent twice.
const maxSent = 200

// maxUnsent is how many messages a session keeps that no model got.
const maxUnsent = 20

// begin starts a new session.
func (s *allSessions) begin(ctx context.Context, w *servedWorkspace, n harness.NewSession) (*live, error) {
	l := &live{of: s, room: w, h: w.newest(), begun: time.Now(), last: time.Now()}
	n.Recorded, n.Author = l.recorded, l.author
	opened, err := l.h.Start(ctx, n)
	if err != nil {
		return nil, err
	}
	s.adopt(l, opened)
	return l, nil
}

// adopt makes an open session one of the server's.
func (s *allSessions) adopt(l *live, opened *harness.Session) {
	window := opened.Context().Window
	l.mu.Lock()
	l.s, l.id, l.window, l.others = opened, opened.ID(), window, map[int]queued{}
	l.mu.Unlock()
	s.mu.Lock()
	s.live[opened.ID()] = l
	s.mu.Unlock()
}

// running returns a session that is open here; nil when it is not.
func (s *allSessions) running(id string) *live {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live[id]
}

// resume returns a session that is open here, and opens it where it is not.
func (s *allSessions) resume(ctx context.Context, w *servedWorkspace, id string) (*live, error) {
	s.opened.Lock()
	defer s.opened.Unlock()
	return s.resumeLocked(ctx, w, id)
}

// resumeLocked is resume while s.opened is held.
func (s *allSessions) resumeLocked(ctx context.Context, w *servedWorkspace, id string) (*live, error) {
	if l := s.running(id); l != nil {
		if !l.broken() {
			return l, nil
		}
		if err := s.shut(ctx, id); err != nil && s.running(id) != nil { // the broken journal may report its fault once more
			return nil, err
		}
	}
	recorded, err := s.past.Get(id)
	if err != nil {
		return nil, err
	}
	l := &live{of: s, room: w, h: w.newest(), id: id, title: recorded.Title, calls: recorded.CallCount, stop: recorded.Stop, lines: recorded.Damaged, begun: recorded.Start, last: recorded.Last, queue: s.unrecorded(w, id), unsent: s.notSent.Get(id)}
	opened, err := l.h.Resume(ctx, id, harness.NewSession{KeepsWaiting: true, Recorded: l.recorded, Author: l.author})
	if err != nil {
		return nil, err
	}
	s.adopt(l, opened)
	return l, nil
}

// send sends a message, or puts it in the queue while the session is at work.
func (l *live) send(u User, m api.NewMessage) (string, error) { return l.sendFirst(u, m, nil) }

// sendFirst is send for the first message of a session, with what it begins with.
func (l *live) sendFirst(u User, m api.NewMessage, begin *beginning) (string, error) {
	if l.shared() {
		return l.deliver(m)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	files, repeated, err := l.acceptLocked(m)
	if err != nil || repeated {
		return "repeated", err
	}
	shown := api.Queued{ID: cmp.Or(m.ID, rand.Text()), Text: m.Text, By: u.Name, Attached: files.shown()}
	l.queue = append(l.queue, queued{Queued: shown, Files: files, Begin: begin})
	defer l.keepQueueLocked()
	if l.cancel != nil {
		l.of.touched.Add(l.id)
		if m.Steer && l.steerLocked(l.queue[len(l.queue)-1]) {
			l.queue = l.queue[:len(l.queue)-1]
			return "steered", nil
		}
		return "queued", nil
	}
	l.startLocked(nil)
	return "sent", nil
}

// steerLocked gives the turn that runs a message for its next request; l.mu is held. It reports whether the turn took it.
func (l *live) steerLocked(q queued) bool {
	m := q.message()
	n, err := l.s.Enqueue(true, harness.Message(m.Text, m.Parts...)...)
	if err == nil {
		q.Steer = true
		l.others[n] = q
	}
	return err == nil
}

// acceptLocked takes a message of a client, with the files that it names; l.mu is held. repeated means that it was taken before.
func (l *live) acceptLocked(m api.NewMessage) (files attachedFiles, repeated bool, err error) {
	if l.closed {
		return nil, false, errClosed
	}
	if m.ID != "" && slices.Contains(l.sent, m.ID) {
		return nil, true, nil
	}
	if most := l.of.config.limits().Queue; len(l.queue) >= most {
		return nil, false, problem(429, "queue_full", fmt.Sprintf("%d messages wait already", most))
	}
	if files, err = l.attached.Take(m.Attachments); err != nil {
		return nil, false, problem(http.StatusUnprocessableEntity, "attachment", err.Error())
	}
	if m.ID != "" {
		l.sent = append(l.sent[max(0, len(l.sent)-maxSent):], m.ID)
	}
	return files, false, nil
}

// recorded brings a recorded event to the clients. It does not call the session, which holds its journal.
func (l *live) recorded(e event.Event) {
	l.see(e)
	if e.Kind == event.ApprovalRequested {
		approvals{l.of}.read(l.room) // who sees the event finds the request
	}
	l.of.hub.Event(l.id, e)
	l.of.answered(l, e)
}

// author names who wrote a message that is about to be recorded: that of the turn, or one that the turn took. It does not call the session.
func (l *live) author(e event.Event) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.taken != nil {
		return User{Name: l.taken.By}.By().String()
	}
	by := "" // of one that the turn took; two may have written the same
	for _, q := range l.others {
		switch name := (User{Name: q.By}).By().String(); {
		case q.Text != e.Text || name == by:
		case by != "":
			return ""
		default:
			by = name
		}
	}
	return by
}

// name is the session's id and title. It does not call the session.
func (l *live) name() pastSession {
	l.mu.Lock()
	defer l.mu.Unlock()
	return pastSession{ID: l.id, Title: l.title}
}

// see follows what lists show of the session.
func (l *live) see(e event.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.id == "" {
		l.id = e.Session // it begins
	}
	l.last = e.Time
	if e.Session != l.id {
		return
	}
	l.calls.See(&e)
	switch e.Kind {
	case event.Prompted:
		l.settleLocked()
		if l.title == "" {
			l.title = cmp.Or(sessions.TitleOf(e.Text), l.id)
		}
	case event.Stopped:
		if l.stop = e.Stop; l.stop == event.Cancelled && l.shared() {
			l.of.work.Go(l.drop)
		}
		l.of.config.tellEnd(l, l.title, e)
	case event.Started, event.Changed, event.Called, event.ApprovalRequested, event.ApprovalVoid, event.Granted, event.Refused:
	default:
		return
	}
	l.of.touched.Add(l.id)
}

// summary is the session as lists show it.
func (l *live) summary() api.Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.summaryLocked()
}

func (l *live) summaryLocked() api.Session {
	how := l.s.Terms()
	usage := l.s.Usage()
	v := api.Session{
		ID: l.id, Title: l.title, Dir: l.room.dir, Model: how.Model, Mode: how.Mode, Stop: l.stop, Started: l.begun, Last: l.last,
		Calls: l.calls.Calls, Working: l.workingLocked(), Pending: l.room.inbox.count(l.id), Usage: &usage, Window: l.window, Allowed: harness.Allowed(l.s), Damaged: l.lines, Unrecorded: l.fault,
	}
	v.Queued, v.Unsent = l.queuedLocked(), shownQueue(l.unsent)
	v.State = sessionState(v)
	if !v.Working && l.s.Waiting() && v.Pending == 0 && l.fault == "" {
		v.State = api.Interrupted
	}
	return v
}

// works reports whether a turn is at work.
func (l *live) works() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.workingLocked()
}

// waits reports whether the session is at work and a call of it waits for an approval.
func (l *live) waits() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cancel != nil && (len(l.s.Pending()) > 0 || l.room.inbox.count(l.id) > 0) // the inbox has a request before the journal
}

// takeBack takes a message out of the queue for a user: see dropLocked. One that is not sent is gone then, whoever wrote it.
func (l *live) takeBack(id, by string) (api.Queued, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	is := func(q queued) bool { return q.ID == id }
	var taken queued
	for n, q := range l.others {
		if is(q) && l.s.Unqueue(n) {
			delete(l.others, n)
			taken = q
		}
	}
	if at := slices.IndexFunc(l.queue, is); at >= 0 {
		taken = l.queue[at]
		l.queue = slices.Delete(slices.Clone(l.queue), at, at+1)
	}
	if at := slices.IndexFunc(l.unsent, is); at >= 0 {
		taken, by = l.unsent[at], l.unsent[at].By
		l.unsent = slices.Delete(slices.Clone(l.unsent), at, at+1)
	}
	if taken.ID == "" {
		return api.Queued{}, false
	}
	if l.dropLocked(taken, by); taken.By != by {
		taken.Attached = nil // they stay with it
	}
	l.keepQueueLocked()
	l.of.touched.Add(l.id)
	return taken.Queued, true
}

// interrupt cancels the turn for a user, and drops the messages that wait. It reports whether something was at work.
func (l *live) interrupt(by string) bool {
	if l.shared() {
		l.drop()
		return l.s.Interrupt()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, q := range l.s.Queued() {
		if l.s.Unqueue(q.ID) {
			l.dropLocked(l.others[q.ID], by)
		}
	}
	for _, q := range l.queue {
		l.dropLocked(q, by)
	}
	l.queue = nil
	clear(l.others)
	l.keepQueueLocked()
	if l.cancel == nil {
		return false
	}
	l.cancel()
	return true
}

// dropLocked drops a message for the user who stopped the session, or took the message back. The files of an own one wait again: the client
// has its words. What others wrote stays as not sent; l.mu is held.
func (l *live) dropLocked(q queued, by string) {
	if q.By == by {
		l.attached = append(l.attached, q.Files...)
		return
	}
	l.unsentLocked(q)
}

// use gives the session another model.
func (l *live) use(ctx context.Context, ref string) error {
	if err := l.s.SetModel(ctx, ref); err != nil {
		return err
	}
	window := l.s.Context().Window
	l.mu.Lock()
	defer l.mu.Unlock()
	l.window = window
	return nil
}

// attach keeps a file for the next message that names it.
func (l *live) attach(u api.Upload) (api.Attachment, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return api.Attachment{}, errClosed
	}
	return attach(&l.attached, u)
}

func attach(all *attachedFiles, u api.Upload) (api.Attachment, error) {
	f, err := all.Add(u.Name, u.Data)
	if err != nil {
		return api.Attachment{}, problem(http.StatusUnprocessableEntity, "attachment", err.Error())
	}
	return api.Attachment{ID: f.ID, Name: f.Name, Type: f.Type, Size: f.Size}, nil
}
