package sessions

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"rein/app/inbox"
	"rein/event"
	"rein/journal"
	"rein/tool"
)

// Message is a message of a session, for a user who chooses one.
type Message struct {
	Seq  int64     `json:"seq"` // the number of its event: where a fork ends and a rewind goes
	Time time.Time `json:"time"`
	User bool      `json:"user,omitempty"` // the user's; else the model's answer
	Text string    `json:"text"`
	Gone bool      `json:"gone,omitempty"` // the user went back from it: it is no longer part of the conversation
}

// Messages returns the messages of the user and the model, with those that the user went back from.
func (s *Store) Messages(id string) (all Conversation, err error) {
	for e, err := range s.Events(id, 0) {
		if err != nil {
			return nil, err
		}
		all.See(e)
	}
	return all, nil
}

// Conversation is the messages of a session, in their order.
type Conversation []Message

// See takes the next event of the session.
func (c *Conversation) See(e event.Event) {
	switch e.Kind {
	case event.Prompted, event.Responded:
		*c = append(*c, Message{Seq: e.Seq, Time: e.Time, User: e.Kind == event.Prompted, Text: e.Text})
	case event.Rewound:
		for i := range *c {
			(*c)[i].Gone = (*c)[i].Gone || (*c)[i].Seq >= e.At
		}
	}
}

// Fork makes a new session with the past of a recorded one, up to and with the event of number at; 0 means all of it. The
// recorded session stays as it is. A sub-agent that was at work is copied too. fork is the id of the new session; "" makes
// one. Fork gives the id.
func (s *Store) Fork(id string, at int64, fork string) (string, error) {
	name, err := s.journal(id)
	if err != nil {
		return "", err
	}
	if fork == "" {
		fork = journal.NewID(time.Now())
	}
	last := event.Event{Kind: event.Forked, Time: time.Now(), Origin: &event.Origin{Program: "rein", Session: id, At: at}}
	if err := s.copy(copying{from: name, to: fork, at: at, last: []event.Event{last}}); err != nil {
		return "", fmt.Errorf("fork session %s: %w", id, err)
	}
	return fork, nil
}

// ForkInto is Fork for a copy of the workspace: the fork belongs to the directory to, and names it wherever the session named its own.
func (s *Store) ForkInto(id string, at int64, from, to string) (string, error) {
	name, err := s.journal(id)
	if err != nil {
		return "", err
	}
	fork := journal.NewID(time.Now())
	last := event.Event{Kind: event.Forked, Time: time.Now(), Origin: &event.Origin{Program: "rein", Session: id, At: at}}
	return fork, s.copy(copying{from: name, to: fork, at: at, last: []event.Event{last}, moved: func(e *event.Event) { move(e, from, to) }})
}

// move has an event name another directory.
func move(e *event.Event, from, to string) {
	if e.Start != nil && e.Start.Dir == from {
		start := *e.Start
		start.Dir = to
		e.Start = &start
	}
	e.Message = bytes.ReplaceAll(e.Message, []byte(from), []byte(to))
	if e.Call != nil {
		call := e.Call.Clone()
		call.Args = bytes.ReplaceAll(call.Args, []byte(from), []byte(to))
		e.Call = &call
	}
	if e.Result != nil {
		result := e.Result.Clone()
		result.Text = strings.ReplaceAll(result.Text, from, to)
		e.Result = &result
	}
}

// copying is the copy of one session.
type copying struct {
	from   string // the journal
	to     string // id of the copy
	at     int64
	parent string // id of the parent session of the copy, when it is a sub-agent's
	last   []event.Event
	moved  func(*event.Event) // changes each event; may be nil
}

// copy copies a session, and those of its sub-agents that had not stopped.
func (s *Store) copy(c copying) error {
	children, err := s.atWork(c.from, c.at)
	if err != nil {
		return err
	}
	err = journal.Copy(journal.Copying{From: c.from, Root: s.dirs.Sessions, ID: c.to, At: c.at, Last: c.last, Change: func(e *event.Event) bool {
		if to, ok := children[e.Child]; ok {
			e.Child = to
		}
		if e.Parent = c.parent; c.parent == "" {
			e.ParentCall = ""
		}
		if c.moved != nil {
			c.moved(e)
		}
		return true
	}})
	for from, to := range children {
		name, nerr := s.journal(from)
		if errors.Is(nerr, journal.ErrNoSession) {
			continue // the copy reports it when it continues
		}
		err = errors.Join(err, nerr)
		if err == nil {
			err = s.copy(copying{from: name, to: to, parent: c.to, moved: c.moved})
		}
	}
	return err
}

// atWork returns new ids for the sub-agents that had not stopped at an event.
func (s *Store) atWork(name string, at int64) (map[string]string, error) {
	children := map[string]string{}
	for e, err := range journal.Read(name) {
		if errors.Is(err, journal.ErrTorn) || err == nil && at != 0 && e.Seq > at {
			break
		}
		switch {
		case err != nil:
			return nil, err
		case e.Kind == event.SubAgentStarted:
			children[e.Child] = journal.NewID(time.Now())
		case e.Kind == event.SubAgentStopped && e.Stop != event.Waiting:
			delete(children, e.Child)
		}
	}
	return children, nil
}

// ErrNotAMessage means that no message of the user in the conversation has that number.
var ErrNotAMessage = errors.New("no message of the user has this number")

// Rewind takes the conversation of a session back to before a message of the user. What followed stays in the journal, and
// can be forked. Approval requests that wait in it become void. It fails with journal.ErrHeld while a process has the
// session open, and with ErrNotAMessage. by is who does it, as in event.Event.
func (s *Store) Rewind(id string, at int64, by string) (err error) {
	name, err := s.journal(id)
	if err != nil {
		return err
	}
	dir := filepath.Dir(name)
	f, _, err := journal.Open(dir)
	if err != nil {
		return fmt.Errorf("rewind session %s: %w", id, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	text, pending, err := s.before(id, at)
	if err != nil {
		return fmt.Errorf("rewind session %s: %w", id, err)
	}
	var events []event.Event
	for _, call := range pending {
		events = append(events, event.Event{Kind: event.ApprovalVoid, Time: time.Now(), Session: id, Call: &call, Reason: event.WasRewound,
			Text: "The user went back to a message before the call."})
	}
	events = append(events, event.Event{Kind: event.Rewound, Time: time.Now(), Session: id, At: at, Text: text, By: by})
	if err := f.Append(events...); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(dir, inbox.DirName))
}

// before returns the message of the user with a number, and the calls whose approval requests wait.
func (s *Store) before(id string, at int64) (text string, pending []tool.Call, err error) {
	found := false
	for e, err := range s.Events(id, 0) {
		if err != nil {
			return "", nil, err
		}
		switch e.Kind {
		case event.Prompted:
			if e.Seq == at {
				text, found = e.Text, true
			}
		case event.Rewound:
			found = found && e.At > at
		case event.ApprovalRequested:
			pending = append(pending, tool.Call{ID: e.Call.ID, Name: e.Call.Name})
		case event.ApprovalVoid, event.Granted, event.Refused, event.Replied:
			pending = slices.DeleteFunc(pending, func(c tool.Call) bool { return e.Call != nil && c.ID == e.Call.ID })
		}
	}
	if !found {
		return "", nil, fmt.Errorf("%w: %d", ErrNotAMessage, at)
	}
	return text, pending, nil
}

// Delete removes a session with the sessions of its sub-agents, their kept outputs and their approval requests. It fails
// with journal.ErrHeld while a process has the session open.
func (s *Store) Delete(id string) error {
	name, err := s.journal(id)
	if err != nil {
		return err
	}
	dir := filepath.Dir(name)
	f, _, err := journal.Open(dir)
	if err != nil && !errors.Is(err, journal.ErrNewer) {
		return fmt.Errorf("%s is not deleted: %w", id, err)
	}
	var children []string
	for e, err := range s.Events(id, 0) {
		if err == nil && e.Kind == event.SubAgentStarted && !slices.Contains(children, e.Child) {
			children = append(children, e.Child)
		}
	}
	outputs, _ := filepath.Glob(filepath.Join(s.dirs.Output, id+"-*")) // the pattern is right
	err = nil
	for _, name := range outputs {
		err = errors.Join(err, os.RemoveAll(name))
	}
	if s.dirs.Worktrees != "" {
		err = errors.Join(err, os.RemoveAll(filepath.Join(s.dirs.Worktrees, id)))
	}
	err = errors.Join(err, os.Remove(name))
	if f != nil {
		err = errors.Join(err, f.Close())
	}
	err = errors.Join(err, os.RemoveAll(dir))
	for _, child := range children {
		if c, cerr := s.Get(child); cerr == nil && c.Parent == id {
			err = errors.Join(err, s.Delete(child))
		}
	}
	return err
}

// DeleteKilled deletes the sessions of which nothing was to be kept and whose process was killed over an hour ago: one that ends now deletes
// its own.
func (s *Store) DeleteKilled() error {
	marks, err := filepath.Glob(filepath.Join(s.dirs.Sessions, "*", journal.EphemeralName))
	for _, mark := range marks {
		dir := filepath.Dir(mark)
		info, statErr := os.Stat(filepath.Join(dir, journal.FileName))
		if statErr == nil && time.Since(info.ModTime()) > leftoverAge && s.leftover(dir, filepath.Base(dir)) {
			err = errors.Join(err, s.Delete(filepath.Base(dir)))
		}
	}
	return err
}

// Record adds an event to a session that is not open in this process; "" is none. Another process that has it open continues
// without it. mask hides secrets.
func (s *Store) Record(id string, e event.Event, mask func([]byte) []byte) error {
	if id == "" {
		return nil
	}
	dir, err := journal.Dir(s.dirs.Sessions, id)
	if err != nil {
		return err
	}
	f, _, err := journal.Open(dir)
	if errors.Is(err, journal.ErrHeld) {
		return nil
	}
	if err != nil {
		return err
	}
	f.Mask = mask
	e.Session = id
	return errors.Join(f.Append(e), f.Close())
}
