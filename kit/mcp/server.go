//lint:file-ignore SA1019 servers of older versions use roots, sampling and logging for years to come

// Package mcp uses other people's tools: it connects to servers of the Model Context Protocol and makes tool values of what
// they offer. It pins what a server said its tools are, and trusts nothing that a server claims about them. It also reads which servers there are,
// and signs in to them.
package mcp

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options are what servers share. The zero value reaches no server: each way to reach one is a field.
type Options struct {
	Version string // of the program, for servers
	Pins    string // directory of the pinned definitions; "": they are kept in memory

	// Start starts the program of a stdio server and returns its stdin and stdout. Closing ends the program and all that it
	// started. What it writes to stderr goes to the writer.
	Start func(ctx context.Context, e ServerEntry, stderr io.Writer) (io.ReadWriteCloser, error)
	// HTTP returns the client through which a server is reached.
	HTTP func(e ServerEntry) (*http.Client, error)
	// Auth returns what authorizes requests to a server; nil, or a nil result: nothing does.
	Auth func(e ServerEntry) (auth.OAuthHandler, error)
	// Expand replaces the variables of an entry, just before it is used; nil leaves them.
	Expand func(e ServerEntry) (ServerEntry, error)

	// Roots are the directories that a server may know of.
	Roots []string
	// Elicit asks the user what a server wants to know; nil: every request is cancelled.
	Elicit func(ctx context.Context, q Question) (Reply, error)
	// Sample asks our model in the name of a server; nil: servers cannot.
	Sample func(ctx context.Context, r Sampling) (Sampled, error)
	// Trace returns the trace context of a call, which the server gets with it; nil, or "": none.
	Trace func(call string) string
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
	entry ServerEntry
	o     Options
	pins  pins
	log   *tail
	tasks tasks

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
	progress map[string]func(string) // of the calls that run, by progress token
	asked    []context.CancelFunc    // end what the server asked during these calls
	calls    int
	tools    toolCache
	offers   *Offers // that were listed last; nil: not looked up

	front *front // a proxy's client; nil: the model of a session calls
}

// New makes a server of an entry. It starts and reads nothing.
func New(e ServerEntry, o Options) *Server {
	s := &Server{entry: e, o: o, log: &tail{most: 64 << 10}, gone: map[string]bool{}, dropped: map[string]bool{}, progress: map[string]func(string){}}
	if o.Pins != "" {
		s.pins.File = filepath.Join(o.Pins, plainName(e.Name, mostServer)+"-"+e.ID()+".json")
	}
	return s
}

// Entry returns the entry, with its variables.
func (s *Server) Entry() ServerEntry { return s.entry }

// Name returns the name of the server.
func (s *Server) Name() string { return s.entry.Name }

// Stderr returns the end of what the program wrote to stderr, and what the server logged.
func (s *Server) Stderr() string { return s.log.String() }

// Kept returns what Stderr gave when the server was last closed, in any process.
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
		name = clip(visibleText(r.ServerInfo.Name + " " + r.ServerInfo.Version))
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
