package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"rein/app/harness"
	"rein/app/server/api"
	"rein/event"
	"rein/internal/plainfile"
)

// queueStore keeps a list of values for each session. Several goroutines may use it at once.
type queueStore[T any] struct {
	dir string

	mu  sync.Mutex
	all map[string][]T
}

// openQueue reads the lists in a directory. A file that cannot be read is left out, and its name is in faults.
func openQueue[T any](dir string) (s *queueStore[T], faults []string, err error) {
	s = &queueStore[T]{dir: dir, all: map[string][]T{}}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	for _, f := range files {
		text, err := os.ReadFile(f)
		var list []T
		if err == nil {
			err = json.Unmarshal(text, &list)
		}
		if err != nil {
			faults = append(faults, fmt.Sprintf("%s: %v", f, err))
			continue
		}
		s.all[strings.TrimSuffix(filepath.Base(f), ".json")] = list
	}
	return s, faults, err
}

// Get returns the list of a session, which is not changed.
func (s *queueStore[T]) Get(session string) []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all[session])
}

// Sessions returns the ids of the sessions whose lists are not empty, in their order.
func (s *queueStore[T]) Sessions() (ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, list := range s.all {
		if len(list) > 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Put keeps the list of a session in place of the one before.
func (s *queueStore[T]) Put(session string, list []T) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	file := filepath.Join(s.dir, session+".json")
	if len(list) == 0 {
		if _, ok := s.all[session]; !ok {
			return nil
		}
		delete(s.all, session)
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	s.all[session] = slices.Clone(list)
	text, err := json.Marshal(list)
	if err == nil {
		err = os.MkdirAll(s.dir, 0o700)
	}
	if err == nil {
		err = plainfile.Replace(file, append(text, '\n'))
	}
	return err
}

// queued is a message that waits, with the files that go with it.
type queued struct {
	api.Queued `json:"queued"`

	Files attachedFiles `json:"files,omitempty"`
	Begin *beginning    `json:"begin,omitempty"` // of the first message of a session
	Taken time.Time     `json:"taken,omitzero"`  // when its turn began
}

// beginning is what a session begins with, of which nothing may be recorded yet.
type beginning struct {
	Dir   string `json:"dir"`
	Model string `json:"model,omitempty"`
	Mode  string `json:"mode,omitempty"`
}

// message is what the model gets.
func (q queued) message() Message { return q.Files.Message(q.Text) }

// shownQueue returns the messages as clients see them.
func shownQueue(list []queued) (all []api.Queued) {
	for _, q := range list {
		all = append(all, q.Queued)
	}
	return all
}

// keepQueueLocked keeps the messages that wait, the one whose turn has begun until it is recorded, and those that no model got, for a server that is
// started again; l.mu is held.
func (l *live) keepQueueLocked() {
	all := l.queue
	if l.taken != nil {
		all = append([]queued{*l.taken}, all...)
	}
	if err := errors.Join(l.of.queues.Put(l.id, all), l.of.notSent.Put(l.id, l.unsent)); err != nil {
		l.of.log.Error("the queue of a session cannot be kept", "session", l.id, "error", err)
	}
}

// settleLocked forgets the message whose turn has begun, because it is recorded or never will be; l.mu is held.
func (l *live) settleLocked() {
	if l.taken != nil {
		l.taken = nil
		l.keepQueueLocked()
	}
}

// unrecorded are the messages of a session that its journal does not have: a server may be killed when the first one has just been recorded.
func (s *allSessions) unrecorded(w *servedWorkspace, id string) []queued {
	all := s.queues.Get(id)
	if len(all) == 0 || all[0].Taken.IsZero() {
		return all
	}
	for e, err := range w.newest().Events(id, 0) {
		if err == nil && e.Kind == event.Prompted && !e.Time.Before(all[0].Taken) {
			all = all[1:]
			if err := s.queues.Put(id, all); err != nil {
				s.log.Error("the queue of a session cannot be kept", "session", id, "error", err)
			}
			return all
		}
	}
	return all
}

// reopen opens a session with messages that wait. One of which nothing is recorded begins again as it was wanted.
func (s *allSessions) reopen(id string) (l *live, err error) {
	first := s.queues.Get(id)[0].Begin
	r, err := s.past.Root(id)
	if first != nil && r.Dir == "" && (err == nil || errors.Is(err, errNoSession)) {
		r.Dir, err = first.Dir, nil
	} else {
		first = nil
	}
	w := s.workspaces.of(r.Dir)
	switch {
	case err != nil || w == nil:
		return nil, nil // of another directory: it waits
	case first == nil:
		return s.resume(s.ctx, w, id)
	}
	l, err = s.begin(s.ctx, w, harness.NewSession{ID: id, KeepsWaiting: true, ModelName: first.Model, Mode: first.Mode})
	if err == nil {
		l.queue = s.queues.Get(id)
	}
	return l, err
}

// sendKept sends what waited when the server before ended, in sessions with nothing to continue. In the others it waits until a
// person continues them or answers.
func (s *allSessions) sendKept() {
	for _, id := range s.queues.Sessions() {
		l, err := s.reopen(id)
		if err != nil {
			s.log.Warn("messages that wait for a session are not sent", "session", id, "error", err)
		}
		if l == nil {
			continue
		}
		l.mu.Lock()
		if len(l.queue) > 0 && !l.closed && l.cancel == nil && !l.s.Waiting() && s.ctx.Err() == nil {
			l.startLocked(nil)
		}
		l.mu.Unlock()
	}
}

// goOn continues what a session has open. It does nothing while the session is at work.
func (l *live) goOn() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed || l.workingLocked():
		return false
	case l.s.Waiting() || l.s.CutOff():
		l.startLocked(l.s.Resume)
	case len(l.queue) > 0:
		l.startLocked(nil)
	default:
		return false
	}
	return true
}

// giveUpWaiting begins the turn again that waits for answers, already cancelled: it voids its requests, and no call of it runs. It does nothing while
// the session is at work.
func (l *live) giveUpWaiting() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.shared() || l.workingLocked() || !l.s.Waiting() {
		return false
	}
	l.startLocked(l.s.Resume)
	l.cancel()
	return true
}

// compact replaces older parts of the conversation by a summary, while nothing is at work.
func (l *live) compact(focus string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.workingLocked() || l.s.Waiting() {
		return false
	}
	l.startLocked(func(ctx context.Context) iter.Seq2[event.Event, error] { return l.s.Compact(ctx, focus) })
	return true
}

// startLocked begins to work; l.mu is held. first comes before the messages of the queue; nil: there is nothing before them, and the first message is
// the turn's at once, so that a stop is a stop of its turn and drops it no more.
func (l *live) startLocked(first func(context.Context) iter.Seq2[event.Event, error]) {
	if l.shared() {
		l.turns.Go(func() { _ = l.s.Begin(first(l.of.ctx)) }) // where another turn has begun meanwhile, clients see that one
		return
	}
	ctx, cancel := context.WithCancel(l.of.ctx)
	l.cancel = cancel
	l.stop = ""
	if first == nil && l.s.Waiting() {
		first = l.s.Resume
	}
	var m *queued
	if first == nil {
		m = l.takeLocked(ctx)
	}
	l.turns.Go(func() {
		defer cancel()
		l.work(ctx, first, m)
	})
}

// work does first, unless it is nil, and then a turn for each message, m before the others, until none is left or the session is broken.
func (l *live) work(ctx context.Context, first func(context.Context) iter.Seq2[event.Event, error], m *queued) {
	if first != nil {
		l.run(first(ctx))
	}
	for !l.broken() {
		if m == nil {
			m = l.next(ctx)
		}
		if m == nil {
			return
		}
		done := l.run(l.turn(ctx, m.message()))
		if l.of.ctx.Err() == nil && !l.broken() { // else what is not recorded yet is sent later
			l.mu.Lock()
			if l.taken != nil && !done {
				l.unsentLocked(*l.taken)
			}
			l.settleLocked()
			l.mu.Unlock()
		}
		m = nil
	}
	l.giveUp()
}

// unsentLocked keeps a message that no model got; l.mu is held.
func (l *live) unsentLocked(q queued) {
	l.unsent = append(l.unsent[max(0, len(l.unsent)-maxUnsent+1):], q)
}

// turn is the turn of a message. A command is expanded when it begins.
func (l *live) turn(ctx context.Context, m Message) iter.Seq2[event.Event, error] {
	if len(m.Parts) > 0 {
		return l.s.Send(ctx, harness.Message(m.Text, m.Parts...)...)
	}
	return l.s.SendLine(ctx, m.Text)
}

// broken reports whether the last turn could not be recorded. Such a session is opened again before it is used.
func (l *live) broken() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fault != ""
}

// giveUp ends the work of a broken session. The message whose turn is not recorded waits again, in front of the others.
func (l *live) giveUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cancel = nil
	if l.taken != nil {
		l.queue, l.taken = append([]queued{*l.taken}, l.queue...), nil
	}
	l.keepQueueLocked()
	l.of.touched.Add(l.id)
}

// next takes the first message of the queue, or ends the work.
func (l *live) next(ctx context.Context) *queued {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.takeLocked(ctx)
	if m == nil {
		l.cancel = nil
		l.of.touched.Add(l.id)
		if len(l.queue) > 0 && l.of.ctx.Err() == nil && !l.s.Waiting() && !l.of.draining.Load() { // sent after the turn was interrupted, and before it had ended
			l.startLocked(nil)
		}
	}
	return m
}

// takeLocked takes the first message of the queue for a turn; l.mu is held. nil: there is none, or the messages wait, as they do while the session
// is suspended, and when the turns or the server end.
func (l *live) takeLocked(ctx context.Context) *queued {
	if len(l.queue) == 0 || ctx.Err() != nil || l.s.Waiting() || l.of.draining.Load() {
		return nil
	}
	m := l.queue[0]
	l.queue = l.queue[1:]
	m.Taken = time.Now()
	l.taken = &m
	l.keepQueueLocked()
	return &m
}

// run brings the live events of a turn to the clients. Those that are recorded come through recorded. It reports whether the turn came to its end.
func (l *live) run(events iter.Seq2[event.Event, error]) (done bool) {
	for e, err := range events {
		done = e.Kind == event.Stopped && e.Stop == event.Done
		if e.Seq == 0 {
			l.of.hub.Event(l.id, e)
		}
		if harness.MustReopen(err) {
			l.mu.Lock()
			l.fault = err.Error()
			l.mu.Unlock()
		}
	}
	return done
}
