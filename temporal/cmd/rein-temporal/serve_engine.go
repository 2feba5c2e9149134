package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"rein/agent"
	"rein/app/harness"
	"rein/app/inbox"
	"rein/app/server"
	"rein/app/server/api"
	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/temporal"
)

// engine runs the sessions of a page on Temporal: it is a server.Engine. It keeps a copy of what is recorded of them.
type engine struct {
	client *temporal.Client
	dir    string // of the copies
	models string // the queue
	begun  newSession
	hosts  map[string]string // that are shown, with their workspaces
	warn   func(string)
	lock   *journal.File // of the copies: one process writes them

	mu   sync.Mutex // guards what follows; what follows the store changes the sessions
	all  map[string]*copied
	gone temporal.Trouble // of all: the server, or the store, does not answer
}

// longestAsk is how long a worker has to take an answer or a command.
const longestAsk = 10 * time.Second

// Dir implements server.Engine.
func (e *engine) Dir(session string) string {
	if c := e.of(session); c != nil {
		return e.hosts[c.host]
	}
	return ""
}

// of is what is known of a session; nil: nothing.
func (e *engine) of(session string) *copied {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.all[session]
}

// Begin implements server.Engine. What is sent is kept in the copy before, so that the page has the session at once.
func (e *engine) Begin(ctx context.Context, dir string, n api.NewSession) (id string, err error) {
	begun := newSession{host: filepath.Base(dir), model: cmp.Or(n.Model, e.begun.model), mode: cmp.Or(n.Mode, e.begun.mode)}
	if begun.model == "" {
		return "", elsewhere("the session has no model: name one (provider/name), or start the page with --model")
	}
	if begun.model, err = whole(begun.model); err != nil {
		return "", err
	}
	id = cmp.Or(n.ID, journal.NewID(time.Now()))
	at, err := e.keepUnsent(id, dir, begun, n.Text)
	if err != nil {
		return "", err
	}
	e.add(id, "", begun.host)
	if err := e.send(ctx, id, begun, id, false, server.Message{Text: n.Text}); err != nil {
		e.mu.Lock()
		delete(e.all, id)
		e.mu.Unlock()
		return "", errors.Join(err, os.RemoveAll(at))
	}
	return id, nil
}

// keepUnsent keeps what a session begins with in a copy that has no events yet.
func (e *engine) keepUnsent(id, dir string, begun newSession, text string) (at string, err error) {
	if at, err = journal.Dir(e.dir, id); err != nil {
		return "", err
	}
	log, err := journal.Resume(at)
	if err == nil {
		err = log.Close()
	}
	now, lines := time.Now(), []byte(nil)
	for _, one := range []event.Event{
		{Kind: event.Started, Session: id, Time: now, Start: &event.Start{Terms: event.Terms{Dir: dir, Model: begun.model, Mode: begun.mode}}},
		{Kind: event.Prompted, Session: id, Time: now, Text: text},
	} {
		line, lineErr := one.Line(nil)
		lines, err = append(lines, line...), errors.Join(err, lineErr)
	}
	for name, text := range map[string][]byte{journal.UnsentName: lines, hostFile: []byte(begun.host)} {
		if err == nil {
			err = os.WriteFile(filepath.Join(at, name), text, 0o600)
		}
	}
	journal.MarkChanged(at)
	return at, err
}

// Send implements server.Engine. A session that is closed goes on as it was.
func (e *engine) Send(ctx context.Context, session, id string, steer bool, m server.Message) error {
	c := e.of(session)
	if c == nil {
		return elsewhere("the session is not known here")
	}
	begun := newSession{host: c.host}
	if terms, err := harness.Recorded(e.dir, session); err == nil {
		begun.model, begun.mode = terms.Model, terms.Mode
	}
	return e.send(ctx, session, begun, id, steer, m)
}

func (e *engine) send(ctx context.Context, session string, begun newSession, id string, steer bool, m server.Message) error {
	is := about{Model: begun.model, Mode: begun.mode}
	if e.begun.clone != (repository{}) {
		is.Clone = &e.begun.clone
	}
	about, err := json.Marshal(is)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, longestAsk)
	defer cancel()
	err = e.client.Send(ctx, temporal.Session{ID: session, Host: begun.host, Models: e.models, About: about, Priority: e.begun.priority}, id, steer, harness.Message(m.Text, m.Parts...)...)
	if err == nil {
		e.sent(session)
	}
	return e.explain(err)
}

// Cancel implements server.Engine.
func (e *engine) Cancel(ctx context.Context, session string) error {
	return e.explain(e.client.Cancel(ctx, session))
}

// Continue implements server.Engine.
func (e *engine) Continue(ctx context.Context, session string) error {
	err := e.client.Retry(ctx, session)
	if err == nil {
		e.sent(session)
	}
	return e.explain(err)
}

// Answer implements server.Engine.
func (e *engine) Answer(ctx context.Context, r inbox.Request, a guard.Answer) error {
	c := e.of(r.Session)
	if c == nil {
		return inbox.ErrNotPending
	}
	request := r.Call
	if c.root != r.Session {
		request = r.Session + "/" + r.Call
	}
	ctx, cancel := context.WithTimeout(ctx, longestAsk)
	defer cancel()
	given := temporal.Answer{Request: request, Hash: r.Hash, Approved: a.Choice == guard.Approved, By: a.By, From: a.From, Words: a.Words, Chosen: a.Chosen, Args: a.Args}
	for {
		err := e.client.Answer(ctx, c.root, given)
		switch {
		case err == nil:
			e.sent(c.root)
			return nil
		case strings.Contains(err.Error(), temporal.ErrOther.Error()):
			return inbox.ErrChanged
		case !strings.Contains(err.Error(), agent.ErrNotPending.Error()):
			return e.explain(err)
		case !e.asksSoon(ctx, c.root, request):
			return inbox.ErrNotPending
		}
	}
}

// asksSoon waits a moment for the end of the step that asks, where that is at work: its request is recorded before the workflow knows of it.
func (e *engine) asksSoon(ctx context.Context, session, request string) bool {
	state, err := e.client.State(ctx, session)
	asked := slices.ContainsFunc(state.Pending, func(p temporal.Pending) bool { return p.ID == request })
	if err != nil || state.Working == "" && !asked || slices.ContainsFunc(state.Answers, func(a temporal.Answer) bool { return a.Request == request }) {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(100 * time.Millisecond):
		return true
	}
}

// Files implements server.Engine.
func (e *engine) Files(ctx context.Context, session string, q server.FileQuestion) (out server.FileAnswer, err error) {
	question, err := json.Marshal(q)
	if err != nil {
		return out, err
	}
	ctx, cancel := context.WithTimeout(ctx, 3*longestAsk)
	defer cancel()
	answer, err := e.client.Files(ctx, session, question)
	if err == nil {
		err = json.Unmarshal(answer, &out)
	}
	return out, e.explain(err)
}

func elsewhere(text string) error { return fmt.Errorf("%w: %s", server.ErrElsewhere, text) }

// explain says what a person can do about an error.
func (e *engine) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, temporal.ErrBusy), errors.Is(err, temporal.ErrAbsent), errors.Is(err, temporal.ErrFull):
		return elsewhere(err.Error())
	case temporal.Gone(err):
		return elsewhere("the session is closed: a message opens it again")
	case temporal.Absent(err):
		return elsewhere("no worker answered in time: rein-temporal doctor looks for them, and says which command starts one")
	}
	return fmt.Errorf("Temporal: %s", short(err))
}
