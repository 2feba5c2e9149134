package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"rein/event"
	"rein/internal/plainfile"
	"rein/journal"
	"rein/model"
)

// unsent keeps the messages of the user that are not recorded yet, in a file beside the journal: the one that is being sent, until a model is
// found, hooks and commands have run and resources are read, and those that wait for the turn at work. Who kills rein meanwhile does not
// lose them: the session is listed with the first one, and Resume sends them in their order.
type unsent struct {
	of    *Session
	file  string
	keeps bool // what the user writes is kept
	waits bool // what waits for the turn at work is

	mu  sync.Mutex
	all []*unsentMessage // as the file has them
	bad bool             // the file could not be written
	seq int64            // of the last event that is recorded
}

// unsentMessage is a message in the file, a line of it. Its event is Prompted; At is the number of the last event that was recorded before: only
// a later one can be that of the message. Without a Message, Text is a line that may be a slash command.
type unsentMessage struct {
	event.Event
	waits string // afterAnswer, withRequest; "": it is being sent
	id    int    // in the queue; 0: it is in none
	front bool   // it waits in a front end, and is in no queue
	left  bool   // by a process that was killed, and Resume has not taken it
	again bool   // Resume has queued it
}

// How a message waits, as the file has it.
const (
	withRequest = "steer"
	afterAnswer = "queue"
)

// open reads what another process has left in the session's directory.
func (u *unsent) open(s *Session, n NewSession) {
	u.file, u.keeps = filepath.Join(s.Dir(), journal.UnsentName), n.Keeps && !s.ephemeral
	u.waits = u.keeps || n.KeepsWaiting && !s.ephemeral
	if !s.resumed {
		u.remove(func(*unsentMessage) bool { return true }) // a session of the same id began before, and begins again
		_ = os.Remove(u.file)
		return
	}
	for l, err := range journal.ReadFrom(u.file, 0) { // no file, or one that was being written: nothing is left
		if err == nil && l.Event.Kind == event.Prompted {
			var how struct{ Waits string }
			_ = json.Unmarshal(l.Text, &how) // it was read as an event
			u.all = append(u.all, &unsentMessage{Event: l.Event, waits: how.Waits, left: true})
		}
	}
}

// entry makes an entry of what the user wrote.
func (u *unsent) entry(line string, parts []model.Part, waits string) (m *unsentMessage, err error) {
	m = &unsentMessage{Event: event.Event{Kind: event.Prompted, Session: u.of.id, Time: time.Now(), Text: line}, waits: waits}
	if parts != nil {
		var texts []string
		for _, p := range parts {
			if p.Kind == model.TextKind {
				texts = append(texts, p.Text)
			}
		}
		m.Text = strings.Join(texts, "\n\n")
		m.Message, err = json.Marshal(model.UserParts(parts...))
	}
	return m, err
}

// keep keeps what the user sends. A line without its message may be a slash command, which is expanded when it is sent.
func (u *unsent) keep(line string, parts []model.Part) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.keeps || u.of.record.conversation != nil && u.of.Working() {
		return
	}
	m, err := u.entry(line, parts, "")
	at := slices.IndexFunc(u.all, func(m *unsentMessage) bool { return m.waits == "" })
	switch {
	case at >= 0 && u.all[at].left:
		return // Resume sends that one first
	case err != nil:
	case at < 0:
		u.all = slices.Insert(u.all, 0, m)
	case len(m.Message) > 0 && string(m.Message) == string(u.all[at].Message):
		return // before the session began
	default:
		u.all[at] = m
	}
	u.write(err)
}

// queue keeps a message that waits for the turn at work; nil: nothing is kept.
func (u *unsent) queue(steer bool, parts []model.Part) *unsentMessage {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.waits {
		return nil
	}
	waits := afterAnswer
	if steer {
		waits = withRequest
	}
	m, err := u.entry("", parts, waits)
	if err == nil {
		u.all = append(u.all, m)
	}
	u.write(err)
	return m
}

// Unsent reports whether the message that could not be recorded is kept beside the journal: who opens the session again sends it.
func Unsent(s *Session) bool {
	u := &s.unsent
	u.mu.Lock()
	defer u.mu.Unlock()
	return !u.bad && slices.ContainsFunc(u.all, beingSent)
}

// KeepWaiting keeps a message that waits in a front end because no turn is at work that takes it, as what waits for a turn is kept. release
// ends that: sends says that Send has it next, else it is forgotten.
func (s *Session) KeepWaiting(parts ...model.Part) (release func(sends bool)) {
	u := &s.unsent
	m := u.queue(false, parts)
	if m == nil {
		return func(bool) {}
	}
	u.mu.Lock()
	m.front = true
	u.mu.Unlock()
	return func(sends bool) {
		if !sends {
			u.forget(func(other *unsentMessage) bool { return other == m })
			return
		}
		u.mu.Lock()
		defer u.mu.Unlock()
		m.front, m.waits = false, "" // Send writes it
	}
}

// write writes the file anew; u.mu is held. failed is why something cannot be kept.
func (u *unsent) write(failed error) {
	if len(u.all) == 0 && failed == nil {
		if err := os.Remove(u.file); err != nil && !errors.Is(err, os.ErrNotExist) {
			u.of.h.options.Warn(fmt.Sprintf("a message that was sent stays in a file: %v", err))
		}
		return
	}
	s := u.of
	begun := event.Event{Kind: event.Started, Session: s.id, Time: time.Now(), Start: &event.Start{Terms: s.Terms(), Version: s.record.version}}
	lines, err := begun.Line(nil)
	lines, err = s.record.mask(lines), errors.Join(err, failed)
	for _, m := range u.all {
		m.At = u.seq
		line, lineErr := m.Line(nil)
		if lineErr == nil && m.waits != "" {
			line = append([]byte(`{"waits":"`+m.waits+`",`), line[1:]...)
		}
		lines, err = append(lines, s.record.mask(line)...), errors.Join(err, lineErr)
	}
	if err == nil {
		err = plainfile.Replace(u.file, lines)
	}
	if u.bad = err != nil; u.bad {
		s.h.options.Warn(fmt.Sprintf("the message is not kept until it is recorded: %v", err))
	}
}

// remove forgets the messages of which gone is true; u.mu is held.
func (u *unsent) remove(gone func(*unsentMessage) bool) {
	before := len(u.all)
	if u.all = slices.DeleteFunc(u.all, gone); len(u.all) < before {
		u.write(nil)
	}
}

// forget forgets the messages of which gone is true.
func (u *unsent) forget(gone func(*unsentMessage) bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.remove(gone)
}

// beingSent is the message whose turn has begun.
func beingSent(m *unsentMessage) bool { return m.waits == "" && !m.left }

// recorded forgets the message that an event is about.
func (u *unsent) recorded(e event.Event) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.seq = max(u.seq, e.Seq)
	switch e.Kind {
	case event.Prompted:
		u.sent(e, false)
	case event.Stopped:
		u.remove(beingSent)
	}
}

// replayed forgets what another process has left, where it was killed after it had recorded it.
func (u *unsent) replayed(e event.Event) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.seq = max(u.seq, e.Seq)
	if e.Kind == event.Prompted {
		u.sent(e, true)
	}
}

// sent forgets the message that an event has, else the one that is being sent: what was added to it is in the event. u.mu is held.
func (u *unsent) sent(e event.Event, left bool) {
	of := func(same func(*unsentMessage) bool) int {
		return slices.IndexFunc(u.all, func(m *unsentMessage) bool {
			return m.left == left && m.At < e.Seq && !e.Time.Before(m.Time) && same(m)
		})
	}
	at := of(func(m *unsentMessage) bool { return m.Text == e.Text })
	if at < 0 {
		at = of(func(m *unsentMessage) bool { return m.waits == "" })
	}
	if at >= 0 {
		u.all = slices.Delete(u.all, at, at+1)
		u.write(nil)
	}
}

// drop forgets a line that could not be sent: the user knows why.
func (u *unsent) drop() { u.forget(beingSent) }

// leftBefore returns what another process has left.
func (u *unsent) leftBefore() (left []*unsentMessage) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, m := range u.all {
		if m.left {
			left = append(left, m)
		}
	}
	return left
}

// sendLeft sends what another process has left.
func (u *unsent) sendLeft(ctx context.Context, left *unsentMessage) iter.Seq2[event.Event, error] {
	u.mu.Lock()
	left.left, left.waits = false, ""
	u.mu.Unlock()
	if parts := left.parts(); len(parts) > 0 {
		return u.of.Send(ctx, parts...)
	}
	return u.of.SendLine(ctx, left.Text)
}

// parts is what the message has; none: it is a line.
func (m *unsentMessage) parts() []model.Part {
	var out model.Message
	if len(m.Message) == 0 || json.Unmarshal(m.Message, &out) != nil {
		return nil
	}
	return out.Parts
}

// withLeft runs a turn, and lets what another process has left wait for it as it did before.
func (u *unsent) withLeft(turn iter.Seq2[event.Event, error], left []*unsentMessage) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for e, err := range turn {
			for len(left) > 0 && u.queueLeft(left[0]) {
				left = left[1:]
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// queueLeft queues a message again, and reports whether it could.
func (u *unsent) queueLeft(left *unsentMessage) bool {
	parts := left.parts()
	if len(parts) == 0 {
		return false
	}
	take := func(taken bool) *unsentMessage {
		u.mu.Lock()
		defer u.mu.Unlock()
		left.left, left.again = !taken, taken
		return left
	}
	_, err := u.enqueue(left.waits == withRequest, parts, func() *unsentMessage { return take(true) })
	if err != nil {
		take(false)
	}
	return err == nil
}

// queued says which message of the queue one of the file is.
func (u *unsent) queued(m *unsentMessage, id int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if m != nil {
		m.id = id
	}
}

// WasLeft reports whether a message that waits, by its ID, was written in a process that was killed.
func (s *Session) WasLeft(id int) bool {
	s.unsent.mu.Lock()
	defer s.unsent.mu.Unlock()
	return slices.ContainsFunc(s.unsent.all, func(m *unsentMessage) bool { return m.again && m.id == id })
}

// settled runs a turn, and forgets then what waited for it and does not wait any more: a hook did not let it through.
func (u *unsent) settled(turn iter.Seq2[event.Event, error]) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		defer func() {
			s := u.of
			s.queueing.Lock()
			defer s.queueing.Unlock()
			if s.Working() { // another turn has begun, and forgets it
				return
			}
			waiting := s.Queued()
			u.forget(func(m *unsentMessage) bool {
				return m.waits != "" && !m.front && !m.left && !slices.ContainsFunc(waiting, func(q Queued) bool { return q.ID == m.id })
			})
		}()
		maskAnswers(u.of.h.mask, turn)(yield)
	}
}
