package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"rein/app/harness"
	"rein/event"
)

// session is one session that the client has open.
type session struct {
	a *agent
	h *harness.Harness
	*harness.Session
	params openParams // with which it was opened
	show   *show
	ended  chan struct{} // closed when the session is

	mu         sync.Mutex
	askedTrust bool     // the user was asked about the folder, or need not be
	turn       *turn    // nil: the session does nothing
	models     []string // that the client may choose; nil: not looked up yet
	commands   []byte   // that the client knows, as JSON
}

// list is a list that leaves out the items it cannot read, as the protocol wants it.
type list[T any] []T

// UnmarshalJSON implements json.Unmarshaler.
func (l *list[T]) UnmarshalJSON(raw []byte) error {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return err
	}
	for _, item := range items {
		var t T
		if json.Unmarshal(item, &t) == nil {
			*l = append(*l, t)
		}
	}
	return nil
}

// openParams are those of all methods that open a session.
type openParams struct {
	Session string              `json:"sessionId"`
	Cwd     string              `json:"cwd"`
	AddDirs list[string]        `json:"additionalDirectories"`
	Servers list[sdk.McpServer] `json:"mcpServers"`
}

// opened is the answer of all methods that open a session.
type opened struct {
	Session string                    `json:"sessionId,omitempty"`
	Modes   *sdk.SessionModeState     `json:"modes,omitempty"`
	Options []sdk.SessionConfigOption `json:"configOptions,omitempty"`
}

type sessionParams struct {
	Session string `json:"sessionId"`
}

func (a *agent) newSession(ctx context.Context, p openParams) (opened, error) {
	s, err := a.open(ctx, p, (*harness.Harness).Start)
	if err != nil {
		return opened{}, err
	}
	return s.opened(s.ID()), nil
}

func (a *agent) resumeSession(ctx context.Context, p openParams) (opened, error) {
	s, err := a.resume(ctx, p)
	if err != nil {
		return opened{}, err
	}
	return s.opened(""), nil
}

// loadSession resumes a session and sends all of its past before the answer.
func (a *agent) loadSession(ctx context.Context, p openParams) (opened, error) {
	s, err := a.resume(ctx, p)
	if err != nil {
		return opened{}, err
	}
	if err := s.replay(); err != nil {
		return opened{}, err
	}
	return s.opened(""), nil
}

func (a *agent) forkSession(ctx context.Context, p openParams) (opened, error) {
	id := p.Session
	s, err := a.open(ctx, p, func(h *harness.Harness, ctx context.Context, n harness.NewSession) (*harness.Session, error) {
		return h.Fork(ctx, id, 0, n)
	})
	if err != nil {
		return opened{}, err
	}
	return s.opened(s.ID()), nil
}

// resume opens a recorded session. One that the client has open already stays as it is.
func (a *agent) resume(ctx context.Context, p openParams) (*session, error) {
	if s := a.session(p.Session); s != nil {
		return s, nil
	}
	return a.open(ctx, p, func(h *harness.Harness, ctx context.Context, n harness.NewSession) (*harness.Session, error) {
		if _, err := a.store().Get(p.Session); err != nil {
			return nil, notFound("no such session: " + p.Session)
		}
		s, err := h.Resume(ctx, p.Session, n)
		if err != nil && kindOf(err) == harness.Input {
			return nil, invalid(err.Error()) // of another directory, or open elsewhere
		}
		return s, err
	})
}

// open makes a session with begin.
func (a *agent) open(ctx context.Context, p openParams, begin func(*harness.Harness, context.Context, harness.NewSession) (*harness.Session, error)) (*session, error) {
	a.opening.Lock()
	defer a.opening.Unlock()
	h, err := a.harness(ctx, p)
	if err != nil {
		return nil, err
	}
	s := &session{a: a, h: h, params: p, ended: make(chan struct{})}
	s.show = newShow(s)
	n := harness.NewSession{Keeps: true}
	n.Editor.Read, n.Editor.Write = s.editor()
	if s.Session, err = begin(h, ctx, n); err != nil {
		return nil, errors.Join(err, a.release(ctx, h))
	}
	a.mu.Lock()
	a.sessions[s.ID()] = s
	a.mu.Unlock()
	a.work.Go(s.afterOpening)
	return s, nil
}

// options are those of the harness of a directory.
func (a *agent) options(p openParams) harness.Options {
	o := a.o.Harness
	o.Dir, o.AddDirs, o.MCPServers = p.Cwd, append(o.AddDirs[:len(o.AddDirs):len(o.AddDirs)], p.AddDirs...), servers(p.Servers)
	o.Person, o.Unattended = person{a}, harness.Wait
	o.Warn = func(line string) { a.warn(p.Cwd, line) }
	return o
}

// harness returns the harness of a directory, with the tool servers that the client passes.
func (a *agent) harness(ctx context.Context, p openParams) (*harness.Harness, error) {
	if !filepath.IsAbs(p.Cwd) {
		return nil, invalid("cwd must be an absolute path: " + p.Cwd)
	}
	o := a.options(p)
	key := strings.Join(append([]string{p.Cwd, fmt.Sprintf("%+v", o.MCPServers)}, p.AddDirs...), "\x00")
	a.mu.Lock()
	h := a.harnesses[key]
	a.mu.Unlock()
	if h != nil {
		return h, nil
	}
	h, err := harness.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.harnesses[key] = h
	return h, nil
}

// session returns an open session; nil if the client has none with that id.
func (a *agent) session(id string) *session {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sessions[id]
}

// known returns an open session, or the error that there is none.
func (a *agent) known(id string) (*session, error) {
	if s := a.session(id); s != nil {
		return s, nil
	}
	return nil, notFound("no such session is open: " + id)
}

func (s *session) opened(id string) opened {
	return opened{Session: id, Modes: s.modes(), Options: s.options()}
}

// replay sends the past of the session.
func (s *session) replay() error {
	var past []event.Event
	for e, err := range s.Events() {
		if err != nil {
			return err
		}
		if e.Kind == event.Rewound {
			for len(past) > 0 && past[len(past)-1].Seq >= e.At {
				past = past[:len(past)-1]
			}
			continue
		}
		past = append(past, e)
	}
	for _, e := range past {
		s.show.past(e)
	}
	return nil
}

func (a *agent) closeSession(ctx context.Context, p sessionParams) (struct{}, error) {
	a.opening.Lock()
	defer a.opening.Unlock()
	a.mu.Lock()
	s := a.sessions[p.Session]
	delete(a.sessions, p.Session)
	a.mu.Unlock()
	if s == nil {
		return struct{}{}, notFound("no such session is open: " + p.Session)
	}
	s.stop()
	close(s.ended)
	return struct{}{}, errors.Join(s.Close(ctx), a.release(ctx, s.h))
}

// release closes a harness that no session uses. The caller holds opening.
func (a *agent) release(ctx context.Context, h *harness.Harness) error {
	a.mu.Lock()
	used := false
	for _, s := range a.sessions {
		used = used || s.h == h
	}
	if !used {
		maps.DeleteFunc(a.harnesses, func(_ string, have *harness.Harness) bool { return have == h })
	}
	a.mu.Unlock()
	if used {
		return nil
	}
	return h.Close(ctx)
}

// deleteSession deletes a recorded session. One that does not exist is deleted already.
func (a *agent) deleteSession(ctx context.Context, p sessionParams) (struct{}, error) {
	if a.session(p.Session) != nil {
		if _, err := a.closeSession(ctx, p); err != nil {
			return struct{}{}, err
		}
	}
	store := a.store()
	defer store.Close()
	if _, err := store.Get(p.Session); err != nil {
		return struct{}{}, nil
	}
	return struct{}{}, store.Delete(p.Session)
}

// stop cancels the turn and waits for its end.
func (s *session) stop() {
	s.mu.Lock()
	t := s.turn
	s.mu.Unlock()
	if t != nil {
		t.cancel()
		<-t.over
	}
}
