//lint:file-ignore SA1019 servers of older versions use roots, sampling and logging for years to come

// Package mcp uses other people's tools: it connects to servers of the Model Context Protocol and makes tool values of what
// they offer. It pins what a server said its tools are, and trusts nothing that a server claims about them.
package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/mcp/config"
	"rein/mcp/pins"
	"rein/tool"
)

// Options are what servers share. The zero value reaches no server: each way to reach one is a field.
type Options struct {
	Version string // of the program, for servers
	Pins    string // directory of the pinned definitions; "": they are kept in memory

	// Start starts the program of a stdio server and gives its stdin and stdout. Closing ends the program and all that it
	// started. What it writes to stderr goes to the writer.
	Start func(ctx context.Context, e config.Entry, stderr io.Writer) (io.ReadWriteCloser, error)
	// HTTP gives the client through which a server is reached.
	HTTP func(e config.Entry) (*http.Client, error)
	// Auth gives what authorizes requests to a server; nil, or a nil result: nothing does.
	Auth func(e config.Entry) (auth.OAuthHandler, error)
	// Expand replaces the variables of an entry, just before it is used; nil leaves them.
	Expand func(e config.Entry) (config.Entry, error)

	// Roots are the directories that a server may know of.
	Roots []string
	// Elicit asks the user what a server wants to know; nil: every request is cancelled.
	Elicit func(ctx context.Context, q Question) (Reply, error)
	// Sample asks our model in the name of a server; nil: servers cannot.
	Sample func(ctx context.Context, r Sampling) (Sampled, error)
	// Log takes what happens to servers, and what they log; nil drops it. Text is for a person.
	Log func(server, text string)

	Tools int // of one server; 0 means DefaultTools
	Line  int // bytes of one message of a server; 0 means DefaultLine
}

// The defaults of Options and of entries.
const (
	DefaultTools        = 1000
	DefaultLine         = 32 << 20
	DefaultStartTimeout = 30 * time.Second
	DefaultTimeout      = 5 * time.Minute

	mostBackoff = 30 * time.Second
	keepAlive   = 30 * time.Second // between two pings of a server that takes them
)

// Server is one tool server. It connects when something needs it, and again after the connection broke. Its methods may be
// called at once from several goroutines.
type Server struct {
	entry config.Entry
	o     Options
	pins  pins.Pins
	log   *tail

	mu       sync.Mutex
	client   *sdk.ClientSession
	opening  chan struct{} // closed when the attempt at work is over; nil: none is
	failed   error         // of the last attempt
	failures int
	retry    time.Time // not before
	closed   bool
	gone     map[string]bool         // tools that the server no longer lists
	listed   bool                    // the server has listed its tools in this process
	dropped  map[string]bool         // tools that cannot be used, reported once
	progress map[string]func(string) // by progress token
	calls    int
	tools    toolCache
	offers   *Offers // that were listed last; nil: not looked up
}

// New makes a server of an entry. It starts and reads nothing.
func New(e config.Entry, o Options) *Server {
	s := &Server{entry: e, o: o, log: &tail{most: 64 << 10}, gone: map[string]bool{}, dropped: map[string]bool{}, progress: map[string]func(string){}}
	if o.Pins != "" {
		s.pins.File = filepath.Join(o.Pins, plainName(e.Name, mostServer)+"-"+e.ID()+".json")
	}
	return s
}

// Entry gives the entry, with its variables.
func (s *Server) Entry() config.Entry { return s.entry }

// Name gives the name of the server.
func (s *Server) Name() string { return s.entry.Name }

// Stderr gives the end of what the program wrote to stderr, and what the server logged.
func (s *Server) Stderr() string { return s.log.String() }

// Kept gives what Stderr gave when the server was last closed, in any process.
func (s *Server) Kept() string {
	if s.pins.File == "" {
		return s.log.String()
	}
	text, _ := os.ReadFile(s.logFile()) // without the file there is nothing to show
	return string(text)
}

func (s *Server) logFile() string { return strings.TrimSuffix(s.pins.File, ".json") + ".log" }

// keepLog keeps the end of the log for Kept. It is no harm when it cannot be written.
func (s *Server) keepLog() {
	if text := s.log.String(); text != "" && s.pins.File != "" {
		if os.MkdirAll(filepath.Dir(s.pins.File), 0o700) == nil {
			_ = os.WriteFile(s.logFile(), []byte(text), 0o600)
		}
	}
}

// About says in a line what the server calls itself, and the version of the protocol; "" before it is connected.
func (s *Server) About() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil || s.client.InitializeResult() == nil {
		return ""
	}
	r := s.client.InitializeResult()
	name := "a server without a name"
	if r.ServerInfo != nil {
		name = clip(pins.Visible(r.ServerInfo.Name + " " + r.ServerInfo.Version))
	}
	return name + ", protocol " + r.ProtocolVersion
}

// State says in a word or two how the server is: "not started", "connected", "failed: …".
func (s *Server) State() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.entry.Disabled:
		return "disabled"
	case s.client != nil:
		return "connected"
	case s.opening != nil:
		return "starting"
	case s.failed != nil:
		return "failed: " + s.failed.Error()
	}
	return "not started"
}

// Connect connects the server, unless it is connected. After a failure it waits longer each time before it tries again, and
// gives the last error until then.
func (s *Server) Connect(ctx context.Context) error {
	_, err := s.session(ctx)
	return err
}

// session gives the connection; the first caller opens it, the others wait for it.
func (s *Server) session(ctx context.Context) (*sdk.ClientSession, error) {
	for {
		s.mu.Lock()
		switch {
		case s.closed:
			s.mu.Unlock()
			return nil, errors.New("the session has ended")
		case s.client != nil:
			defer s.mu.Unlock()
			return s.client, nil
		case s.opening == nil && s.failed != nil && time.Now().Before(s.retry):
			defer s.mu.Unlock()
			return nil, fmt.Errorf("%w (the next attempt is in %v)", s.failed, time.Until(s.retry).Round(time.Second))
		case s.opening == nil:
			s.opening = make(chan struct{})
			go s.open(s.opening)
		}
		opening := s.opening
		s.mu.Unlock()
		select {
		case <-opening:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		s.mu.Lock()
		client, failed := s.client, s.failed
		s.mu.Unlock()
		if client != nil || failed != nil {
			return client, failed
		}
	}
}

// open makes one attempt.
func (s *Server) open(done chan struct{}) {
	client, err := s.attempt()
	s.mu.Lock()
	switch {
	case err != nil:
		s.failures++
		s.failed = err
		s.retry = time.Now().Add(min(mostBackoff, time.Second<<min(s.failures-1, 5)))
	case s.closed:
		go client.Close()
	default:
		s.client, s.failed, s.failures = client, nil, 0
	}
	s.opening = nil
	s.mu.Unlock()
	if err != nil {
		s.say("cannot be used: " + err.Error())
	}
	close(done)
	if err == nil {
		s.learn(client)
		s.watch(client)
	}
}

// watch waits for the end of a connection.
func (s *Server) watch(client *sdk.ClientSession) {
	err := client.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == client {
		s.client, s.listed = nil, false
		if !s.closed {
			s.failed, s.retry = nil, time.Time{}
			s.failures++
			if s.failures > 1 {
				s.failed, s.retry = fmt.Errorf("the connection broke: %w", orEnded(err)), time.Now().Add(min(mostBackoff, time.Second<<min(s.failures-2, 5)))
			}
			go s.say("the connection ended")
		}
	}
}

func orEnded(err error) error {
	if err == nil {
		return errors.New("the server ended")
	}
	return err
}

// attempt starts or reaches the server and agrees with it on a version. A server that does not answer the newest way of
// beginning gets the older one.
func (s *Server) attempt() (*sdk.ClientSession, error) {
	e := s.entry
	if s.o.Expand != nil {
		var err error
		if e, err = s.o.Expand(e); err != nil {
			return nil, err
		}
	}
	limit := time.Duration(e.StartTimeout)
	if limit <= 0 {
		limit = DefaultStartTimeout
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	first, cancelFirst := context.WithTimeout(ctx, limit/2)
	client, err := s.connect(first, e, "")
	late := first.Err() != nil
	cancelFirst()
	if err != nil && late && e.Kind() == "stdio" {
		client, err = s.connect(ctx, e, "2025-11-25")
	}
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("it did not answer within %v", limit)
	}
	if err != nil {
		return nil, s.explained(err)
	}
	if err := s.list(ctx, client); err != nil {
		client.Close()
		return nil, s.explained(err)
	}
	return client, nil
}

// explained adds the last line of stderr to an error.
func (s *Server) explained(err error) error {
	if last := s.log.last(); last != "" {
		return fmt.Errorf("%w; its last line on stderr: %s", err, last)
	}
	return err
}

func (s *Server) connect(ctx context.Context, e config.Entry, version string) (*sdk.ClientSession, error) {
	transport, err := s.transport(ctx, e)
	if err != nil {
		return nil, err
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "rein", Title: "rein", Version: s.o.Version}, s.clientOptions())
	for _, dir := range s.o.Roots {
		client.AddRoots(&sdk.Root{URI: tool.FileURI(dir), Name: filepath.Base(dir)})
	}
	session, err := client.Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		transport.end()
		return nil, err
	}
	return session, nil
}

// Close ends the connection, and the program with all that it started.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	client, opening := s.client, s.opening
	s.client = nil
	s.mu.Unlock()
	defer s.keepLog()
	if opening != nil {
		select {
		case <-opening:
		case <-time.After(time.Second):
		}
	}
	if client == nil {
		return nil
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = client.Close() // the program is killed all the same
	}()
	select {
	case <-ended:
	case <-time.After(3 * time.Second):
	}
	return nil
}

// say logs what happened to the server.
func (s *Server) say(text string) {
	s.log.line("rein: " + text)
	if s.o.Log != nil {
		s.o.Log(s.entry.Name, text)
	}
}

// list asks for the tools and compares them with the pinned ones.
func (s *Server) list(ctx context.Context, client *sdk.ClientSession) error {
	result := client.InitializeResult()
	if result == nil || result.Capabilities == nil || result.Capabilities.Tools == nil {
		s.took(nil)
		return nil
	}
	most := s.o.Tools
	if most <= 0 {
		most = DefaultTools
	}
	var listed []pins.Definition
	for t, err := range client.Tools(ctx, nil) {
		if err != nil {
			return fmt.Errorf("it cannot list its tools: %w", err)
		}
		if len(listed) == most {
			s.say(fmt.Sprintf("it has more than %d tools; the others are left out", most))
			break
		}
		if d, ok := s.definition(t); ok {
			listed = append(listed, d)
		}
	}
	s.took(listed)
	return nil
}

// took keeps what the server listed.
func (s *Server) took(listed []pins.Definition) {
	if err := s.pins.Take(listed); err != nil {
		s.say("what it says about its tools cannot be kept: " + err.Error())
	}
	have := map[string]bool{}
	for _, d := range listed {
		have[d.Name] = true
	}
	known, _ := s.pins.All()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listed = true
	s.gone = map[string]bool{}
	for _, d := range known {
		if !have[d.Name] {
			s.gone[d.Name] = true
		}
	}
	s.tools.clear()
}

// definition reads a tool of a server; false when it cannot be used, which is reported once.
func (s *Server) definition(t *sdk.Tool) (pins.Definition, bool) {
	schema, err := json.Marshal(t.InputSchema)
	d := pins.Definition{Name: t.Name, Title: t.Title, Description: t.Description, Schema: schema}
	if err == nil && t.Annotations != nil {
		d.Annotations, err = json.Marshal(t.Annotations)
	}
	if err == nil && t.OutputSchema != nil {
		d.Output, err = json.Marshal(t.OutputSchema)
	}
	switch {
	case err == nil && (t.Name == "" || len(t.Name) > 128):
		err = errors.New("its name is empty or longer than 128 bytes")
	case err == nil && len(schema)+len(d.Output)+len(t.Description) > mostDefinition:
		err = fmt.Errorf("its definition is larger than %d bytes", mostDefinition)
	case err == nil:
		_, err = parse(schema)
	}
	if err == nil {
		return d, true
	}
	s.mu.Lock()
	before := s.dropped[t.Name]
	s.dropped[t.Name] = true
	s.mu.Unlock()
	if !before {
		s.say(fmt.Sprintf("its tool %q is left out: %v", clip(t.Name), err))
	}
	return pins.Definition{}, false
}

// mostDefinition bounds the schemas and the description of one tool, in bytes.
const mostDefinition = 256 << 10

// clip shortens a text of a server for a message.
func clip(s string) string {
	if len(s) > 600 {
		return strings.ToValidUTF8(s[:600], "") + "…"
	}
	return s
}
