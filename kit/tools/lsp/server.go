package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"rein/kit/sandbox"
)

// server is one language server for one root.
type server struct {
	kind    *kind
	root    string
	process *sandbox.Piped
	conn    *serverConn
	pulls   bool          // it answers requests for diagnostics; valid after ready
	ready   chan struct{} // closed when it is initialised, or failed
	failed  error         // valid after ready

	mu       sync.Mutex
	docs     map[string]*document // by path
	said     map[string]said      // what it has published, by path
	loading  int                  // what it is still loading
	begun    bool                 // it has begun to load something, or had the time for that
	opened   time.Time            // when it was given the first file
	versions bool                 // it names the versions of documents
	changed  chan struct{}        // closed and replaced when said or loading changes
	waits    int                  // edits that waited for it while it started
	silences int                  // times in a row that it gave no answer
}

// document is a file that the server has open.
type document struct {
	version int
	text    string
	used    time.Time
}

// said are the last diagnostics of a file.
type said struct {
	list    []Diagnostic
	version int // of the document; 0 where the server did not name it
	count   int // how often it has published them
}

const (
	initTime = 30 * time.Second
	mostDocs = 60 // that are open at once
)

// start starts a server and initialises it in the background.
func start(ctx context.Context, box sandbox.Sandbox, k *kind, root string) (*server, error) {
	argv := k.command()
	if argv == nil {
		return nil, fmt.Errorf("%s is not installed: %s", k.name, k.install)
	}
	argv = slices.Clone(argv)
	var places []string
	argv[0], places = opened(argv[0])
	spec := sandbox.Spec{Argv: argv, Dir: root, ReadOnly: true, Opened: sandbox.Opened{Read: places},
		Env:    []string{"GOPROXY=off", "GOFLAGS=-mod=readonly", "GOTOOLCHAIN=local", "NO_COLOR=1"},
		Limits: sandbox.Limits{Output: -1}}
	p, err := sandbox.StartPiped(ctx, box, spec)
	if err != nil {
		return nil, err
	}
	s := &server{kind: k, root: root, process: p, ready: make(chan struct{}), docs: map[string]*document{}, said: map[string]said{}, changed: make(chan struct{})}
	s.conn = openConn(p.Out, p.In, s.notified)
	go func() {
		defer close(s.ready)
		ctx, cancel := context.WithTimeout(context.Background(), initTime)
		defer cancel()
		s.failed = s.initialize(ctx)
	}()
	return s, nil
}

// opened are the places that a server's program needs and that may be where programs see nothing, such as a home directory, and the
// name by which it starts: a link in such a place is not seen.
func opened(program string) (run string, places []string) {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return program, nil
	}
	run = program
	if dir := filepath.Dir(program); real != program && filepath.Base(dir) != "bin" {
		run = real
	}
	if i := strings.Index(real, "/node_modules/"); i >= 0 {
		real = real[:i] + "/node_modules"
	}
	return run, []string{real}
}

// capabilities are what rein can do as a client.
var capabilities = map[string]any{
	"workspace": map[string]any{"configuration": true, "workspaceEdit": map[string]any{"documentChanges": true, "resourceOperations": []string{"create", "rename", "delete"}},
		"didChangeWatchedFiles": map[string]any{"dynamicRegistration": true}},
	"window": map[string]any{"workDoneProgress": true},
	"textDocument": map[string]any{
		"synchronization": map[string]any{"didSave": true}, "publishDiagnostics": map[string]any{"versionSupport": true},
		"hover":          map[string]any{"contentFormat": []string{"plaintext", "markdown"}},
		"documentSymbol": map[string]any{"hierarchicalDocumentSymbolSupport": true},
		"codeAction": map[string]any{"codeActionLiteralSupport": map[string]any{"codeActionKind": map[string]any{"valueSet": []string{"quickfix", "refactor", "source"}}},
			"resolveSupport": map[string]any{"properties": []string{"edit"}}, "dataSupport": true},
		"rename": map[string]any{"prepareSupport": false},
	},
}

func (s *server) initialize(ctx context.Context) error {
	params := map[string]any{"processId": nil, "rootUri": uriOf(s.root), "capabilities": capabilities, "initializationOptions": s.kind.options,
		"workspaceFolders": []any{map[string]string{"uri": uriOf(s.root), "name": filepath.Base(s.root)}}}
	var answer struct {
		Capabilities struct {
			DiagnosticProvider json.RawMessage `json:"diagnosticProvider"`
		} `json:"capabilities"`
	}
	if err := s.conn.Call(ctx, "initialize", params, &answer); err != nil {
		return err
	}
	s.pulls = len(answer.Capabilities.DiagnosticProvider) > 0 && string(answer.Capabilities.DiagnosticProvider) != "null"
	return s.conn.Notify("initialized", map[string]any{})
}

// await waits until the server is initialised.
func (s *server) await(ctx context.Context) error {
	select {
	case <-s.ready:
		if s.failed != nil {
			return fmt.Errorf("%s did not start: %w %s", s.kind.name, s.failed, lastLine(s.process.Errors()))
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// notified takes a notification of the server.
func (s *server) notified(method string, params json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch method {
	case "textDocument/publishDiagnostics":
		var p struct {
			URI         string       `json:"uri"`
			Version     int          `json:"version"`
			Diagnostics []Diagnostic `json:"diagnostics"`
		}
		if json.Unmarshal(params, &p) != nil {
			return
		}
		path := pathOf(p.URI)
		s.versions = s.versions || p.Version > 0
		s.said[path] = said{p.Diagnostics, p.Version, s.said[path].count + 1}
	case "$/progress":
		var p struct {
			Value struct {
				Kind string `json:"kind"`
			} `json:"value"`
		}
		_ = json.Unmarshal(params, &p)
		switch p.Value.Kind {
		case "begin":
			s.loading++
			s.begun = true
		case "end":
			s.loading = max(s.loading-1, 0)
		}
	default:
		return
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// beginTime is how long a server has to say that it loads its project, after it was given the first file.
const beginTime = 500 * time.Millisecond

// loaded waits until the server has loaded its project.
func (s *server) loaded(ctx context.Context) error {
	var none <-chan time.Time
	for {
		s.mu.Lock()
		if none == nil && !s.begun && len(s.docs) > 0 {
			none = time.After(time.Until(s.opened.Add(beginTime)))
		}
		done, changed := s.loading == 0 && (s.begun || len(s.docs) == 0), s.changed
		s.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-none:
			s.mu.Lock()
			s.begun = true
			s.mu.Unlock()
		case <-s.conn.Done():
			return errEnded
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// show gives the server the text of a file: it opens the file or changes it.
func (s *server) show(path, text string) (err error) {
	s.mu.Lock()
	d := s.docs[path]
	isNew := d == nil
	var old string
	if isNew {
		if len(s.docs) >= mostDocs {
			old = slices.MinFunc(slices.Collect(maps.Keys(s.docs)), func(a, b string) int { return s.docs[a].used.Compare(s.docs[b].used) })
			delete(s.docs, old)
		}
		d = &document{}
		s.docs[path] = d
		if s.opened.IsZero() {
			s.opened = time.Now()
		}
	}
	same := !isNew && d.text == text
	d.used = time.Now()
	if !same {
		d.version++
		d.text = text
	}
	version := d.version
	s.mu.Unlock()
	if old != "" {
		err = s.conn.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uriOf(old)}})
	}
	switch uri := uriOf(path); {
	case same || err != nil:
	case isNew:
		err = s.conn.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
			"uri": uri, "languageId": s.kind.ids[strings.ToLower(filepath.Ext(path))], "version": version, "text": text}})
	default:
		err = s.conn.Notify("textDocument/didChange", map[string]any{
			"textDocument": map[string]any{"uri": uri, "version": version}, "contentChanges": []any{map[string]any{"text": text}}})
	}
	return err
}

// saved tells the server that a file on disk was changed (2), created (1) or deleted (3).
func (s *server) saved(path string, how int) {
	if how == 3 {
		s.mu.Lock()
		_, open := s.docs[path]
		delete(s.docs, path)
		s.mu.Unlock()
		if open {
			_ = s.conn.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uriOf(path)}})
		}
	}
	_ = s.conn.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": uriOf(path), "type": how}}})
}

// slow reports whether two edits have waited for the server and it still starts or loads its project.
func (s *server) slow() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.ready:
		return s.loading > 0 && s.waits >= 2
	default:
		return s.waits >= 2
	}
}

// alive reports whether the server runs.
func (s *server) alive() bool {
	select {
	case <-s.conn.Done():
		return false
	case <-s.process.Done():
		return false
	default:
		return true
	}
}

// endingTime is how long the end of a server may be known later than the failure of what was sent to it.
const endingTime = time.Second

// ending waits a moment for the end of a server.
func (s *server) ending() {
	select {
	case <-s.conn.Done():
	case <-s.process.Done():
	case <-time.After(endingTime):
	}
}

func (s *server) end() { s.process.Kill() }

// isServerError reports whether a server answered with an error, which says nothing about its health.
func isServerError(err error) bool {
	_, is := errors.AsType[*serverError](err)
	return is
}
