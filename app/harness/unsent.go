package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"time"

	"rein/event"
	"rein/internal/plainfile"
	"rein/journal"
	"rein/model"
)

// unsent keeps the message of the user that is not recorded yet, in a file beside the journal. Until it is recorded a model has to be
// found, hooks and commands run, and resources are read; who kills rein meanwhile does not lose it: the session is listed with it, and
// Resume sends it.
type unsent struct {
	file  string
	keeps bool // what the user writes is kept
	warn  func(string)

	mu      sync.Mutex
	left    *event.Event // what a process that was killed has left, and Resume has not sent
	written bool         // the file has what is being sent
	message string       // in the file
}

// open reads what another process has left in the session's directory.
func (u *unsent) open(s *Session, keep bool) {
	u.file, u.keeps, u.warn = filepath.Join(s.Dir(), journal.UnsentName), keep && !s.ephemeral, s.h.options.Warn
	if !s.resumed {
		u.forget() // a session of the same id began before, and begins again
		return
	}
	for e, err := range journal.Read(u.file) { // no file, or one that was being written: nothing is left
		if err == nil && e.Kind == event.Prompted {
			u.left = &e
		}
	}
}

// keepUnsent keeps what the user wrote. A line without its message may be a slash command, which is expanded when it is sent.
func (s *Session) keepUnsent(line string, parts []model.Part) {
	u := &s.unsent
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.keeps || u.left != nil || s.record.conversation != nil && s.Working() {
		return
	}
	now := time.Now()
	said := event.Event{Kind: event.Prompted, Session: s.id, Time: now, Text: line}
	var err error
	if parts != nil {
		said.Text = (&model.Message{Parts: parts}).Text()
		said.Message, err = json.Marshal(model.UserParts(parts...))
	}
	if u.written && err == nil && len(said.Message) > 0 && u.message == string(said.Message) {
		return // before the session began
	}
	var lines []byte
	for _, e := range []event.Event{{Kind: event.Started, Session: s.id, Time: now, Start: &event.Start{Terms: s.Terms(), Version: s.record.version}}, said} {
		line, lineErr := e.Line(nil)
		lines, err = append(lines, s.record.mask(line)...), errors.Join(err, lineErr)
	}
	if err == nil {
		err = plainfile.Replace(u.file, lines)
	}
	if u.written, u.message = err == nil, string(said.Message); err != nil {
		u.warn(fmt.Sprintf("the message is not kept until it is recorded: %v", err))
	}
}

// recorded forgets what is kept, because an event says what became of it.
func (u *unsent) recorded(e event.Event) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.written && (e.Kind == event.Prompted || e.Kind == event.Stopped) {
		u.forget()
	}
}

// replayed forgets what another process has left, where it was killed after it had recorded it.
func (u *unsent) replayed(e event.Event) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.left != nil && e.Kind == event.Prompted && !e.Time.Before(u.left.Time) {
		u.left = nil
		u.forget()
	}
}

// drop forgets a line that could not be sent: the user knows why.
func (u *unsent) drop() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.written {
		u.forget()
	}
}

func (u *unsent) forget() {
	u.written = false
	if err := os.Remove(u.file); err != nil && !errors.Is(err, os.ErrNotExist) {
		u.warn(fmt.Sprintf("a message that was sent stays in a file: %v", err))
	}
}

// takeLeft returns what another process has left, once.
func (u *unsent) takeLeft() *event.Event {
	u.mu.Lock()
	defer u.mu.Unlock()
	left := u.left
	u.left, u.written = nil, u.written || left != nil
	return left
}

func (u *unsent) isLeft() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.left != nil
}

// sendLeft sends what another process has left.
func (s *Session) sendLeft(ctx context.Context, left *event.Event) iter.Seq2[event.Event, error] {
	var m model.Message
	if len(left.Message) == 0 || json.Unmarshal(left.Message, &m) != nil {
		return s.SendLine(ctx, left.Text)
	}
	return s.Send(ctx, m.Parts...)
}
