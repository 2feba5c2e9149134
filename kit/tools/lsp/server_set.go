// Package lsp makes the tools that ask language servers: where a symbol is defined and used, what it is, renaming it, and which
// diagnostics are new after an edit. A server starts when it is needed, in the sandbox, which cannot write the workspace for
// it. One that hangs or ends costs one warning.
package lsp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"rein/kit/sandbox"
	"rein/tool"
)

// Servers are the language servers of one session. Close them at the end.
type Servers struct {
	Box sandbox.Sandbox // where servers run
	Dir string          // absolute path of the workspace
	// Read reads a file of the workspace.
	Read func(path string) ([]byte, error)
	// Secret reports whether the name of a file says that it holds secrets. Nil: none does.
	Secret func(path string) bool
	// Usable reports whether servers may run here: they run code of the project, so there must be a sandbox. Nil: they may.
	Usable func() bool
	Wait   time.Duration // for diagnostics after an edit, at most; zero is 2 s, a negative value switches them off

	mu      sync.Mutex
	running map[string]*server // by kind and root
	starts  map[string]int
	off     map[string]string // why a server is not used any more
	warned  map[string]bool
	renames int // at work: their edits are diagnosed together
	closed  bool
}

// mostStarts is how often a server is started: a second time after it ended.
const mostStarts = 2

// server returns the server for a file, and starts it when it does not run.
func (s *Servers) server(ctx context.Context, path string) (*server, error) {
	k := kindOf(path)
	if k == nil {
		return nil, &tool.Error{Kind: tool.Unsupported, Text: fmt.Sprintf("There is no language server for %s.", filepath.Base(path)), Hint: "Use grep and read_file."}
	}
	if k.command() == nil {
		return nil, &tool.Error{Kind: tool.Unsupported, Text: fmt.Sprintf("%s is not installed.", k.name), Hint: "The user can install it: " + k.install}
	}
	if s.Usable != nil && !s.Usable() {
		return nil, &tool.Error{Kind: tool.Unsupported, Text: "Language servers run code of the project, and there is no sandbox here."}
	}
	root := k.rootOf(s.Dir, path)
	key := k.name + " in " + root
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		s.running, s.starts, s.off, s.warned = map[string]*server{}, map[string]int{}, map[string]string{}, map[string]bool{}
	}
	if why := s.off[key]; why != "" {
		return nil, &tool.Error{Kind: tool.Unsupported, Text: fmt.Sprintf("%s is switched off for this session: %s.", k.name, why)}
	}
	if s.closed {
		return nil, errors.New("the session has ended")
	}
	if have := s.running[key]; have != nil {
		if have.alive() {
			return have, nil
		}
		have.end()
		delete(s.running, key)
	}
	if s.starts[key] == mostStarts {
		s.off[key] = "it ended twice"
		return nil, &tool.Error{Kind: tool.Unsupported, Text: fmt.Sprintf("%s ended twice, so it is switched off for this session.", k.name)}
	}
	s.starts[key]++
	started, err := start(ctx, s.Box, k, root)
	if err != nil {
		s.off[key] = err.Error()
		return nil, &tool.Error{Text: fmt.Sprintf("%s was not started: %v", k.name, err)}
	}
	s.running[key] = started
	return started, nil
}

// drop ends a server that does not answer; it is not started again.
func (s *Servers) drop(srv *server, why string) {
	s.mu.Lock()
	s.off[srv.kind.name+" in "+srv.root] = why
	delete(s.running, srv.kind.name+" in "+srv.root)
	s.mu.Unlock()
	srv.end()
}

// silent counts that a server gave no answer. After the third time in a row it is dropped.
func (s *Servers) silent(srv *server) {
	srv.mu.Lock()
	srv.silences++
	n := srv.silences
	srv.mu.Unlock()
	if n >= 3 {
		s.drop(srv, "it does not answer")
	}
}

func (srv *server) answered() {
	srv.mu.Lock()
	srv.silences = 0
	srv.mu.Unlock()
}

// warnOnce reports whether this is the first warning of its kind.
func (s *Servers) warnOnce(what string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.warned == nil {
		s.warned = map[string]bool{}
	}
	first := !s.warned[what]
	s.warned[what] = true
	return first
}

// Close ends all servers.
func (s *Servers) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	var all sync.WaitGroup
	for _, srv := range s.running {
		all.Go(srv.end)
	}
	all.Wait()
	s.running = nil
	return nil
}

// abs makes a path of a call absolute.
func (s *Servers) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(s.Dir, path)
}

// shown is a path as the model sees it: relative to the workspace where it is in it.
func (s *Servers) shown(path string) string {
	if rel, err := filepath.Rel(s.Dir, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// sync gives the server the files that it has open as they are on disk now, and opens one.
func (s *Servers) sync(srv *server, path string) (text string, err error) {
	data, err := s.Read(s.shown(path))
	if err != nil {
		return "", err
	}
	srv.mu.Lock()
	var open []string
	for p := range srv.docs {
		if p != path {
			open = append(open, p)
		}
	}
	srv.mu.Unlock()
	for _, p := range open {
		now, err := s.Read(s.shown(p))
		switch {
		case err == nil:
			err = srv.show(p, string(now))
		case errors.Is(err, os.ErrNotExist) || tool.AsError(err).Kind == tool.NotFound:
			srv.saved(p, 3)
			err = nil
		}
		if err != nil && !srv.alive() {
			return "", err
		}
	}
	err = srv.show(path, string(data))
	return string(data), err
}
