package harness

// The files toolservers*.go give a session the tools of other people's servers (MCP): programs run in a sandbox of their own,
// addresses are reached through the network policy, and what a server changes about its tools needs a person's approval.

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"rein/kit/mcp"
	"rein/kit/sandbox"
	"rein/model"
	"rein/tool"
)

// ToolServerEntries are the tool servers that there are, sorted by name.
type ToolServerEntries []mcp.ServerEntry

// entrySources says where entries come from: see mcp.ConfigPlaces.
type entrySources struct{ mcp.ConfigPlaces }

// projectFile is the project's file with tool servers. It holds only while the user trusts exactly its content.
const projectFile = mcp.ProjectFile

// toolServerOptions say what servers may use. Nothing is started before it is needed.
type toolServerOptions struct {
	Entries ToolServerEntries
	State   string // directory for the pinned definitions
	Root    string // absolute path of the workspace
	Home    string // of the user
	Version string

	Sandbox sandbox.Policy // of programs; each server has its own, with the network and the places of its entry
	// Reach returns the way to these hosts for the program of a server.
	Reach func(server string, hosts []string) (programReach, error)
	// Client returns the HTTP client for the address of a server; it reaches more hosts where they are named.
	Client func(address string, more ...string) (*http.Client, error)
	// OwnKey reports whether an environment variable holds a key that no entry of the project gets. Nil: none does.
	OwnKey func(variable string) bool
}

// Add adds what a settings file has under mcpServers.
func (w *entrySources) Add(file string, servers []byte) {
	if len(servers) > 0 {
		w.Settings = append(w.Settings, mcp.ConfigText{Source: file, JSON: servers})
	}
}

// Read reads the entries: see mcp.ReadConfig.
func (w *entrySources) Read() (ToolServerEntries, []string, error) {
	return mcp.ReadConfig(w.ConfigPlaces)
}

// ToolServers are the tool servers of one session. They are a provider of ondemand, and a guard.
type ToolServers struct {
	// These are set before the first use; nil leaves each out.
	ReadOnly func() bool                                                  // programs may change nothing, now
	Trace    func(call string) string                                     // the trace context of a call; nil: none
	Limit    func(*tool.Tool) *tool.Tool                                  // sets the limits of the user's settings
	Ask      func(context.Context, *tool.Questions) (*tool.Chosen, error) // asks the user; a nil answer: nobody answered
	Log      func(server, text string)                                    // takes what happens to servers
	Failed   func(server string, err error)                               // takes why a server that starts by itself does not work; from any goroutine
	// Model asks the session's model in the name of a server, within the budget of the session, and returns the model's name.
	Model func(ctx context.Context, server string, r *model.Request) (name string, answer model.Chunk, err error)
	Mask  func(string) string // hides secrets in what a server asks the model; without it no server may ask

	o      toolServerOptions
	list   []*mcp.Server
	reader *tool.Tool // reads resources

	begin   sync.Once
	running sync.WaitGroup
	ctx     context.Context // done when the session ends
	cancel  context.CancelFunc

	mu      sync.Mutex
	boxes   map[string]*sandbox.Box
	limited map[*tool.Tool]*tool.Tool
	asked   map[string]question // by the id of a call

	sampling map[string]*samplingPermission // by the server
}

// newToolServers prepares the servers that are switched on.
func newToolServers(o toolServerOptions) *ToolServers {
	s := &ToolServers{o: o, boxes: map[string]*sandbox.Box{}, limited: map[*tool.Tool]*tool.Tool{}, asked: map[string]question{}, sampling: map[string]*samplingPermission{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	with := mcp.Options{Version: o.Version, Pins: filepath.Join(o.State, "mcp"), Start: s.start, HTTP: s.client, Expand: s.expand,
		Roots: []string{o.Root}, Elicit: s.elicit, Sample: s.sample, Auth: s.auth, Log: s.log, Trace: func(call string) string {
			if s.Trace == nil {
				return ""
			}
			return s.Trace(call)
		}}
	for _, e := range o.Entries {
		if !e.Disabled {
			s.list = append(s.list, mcp.New(e, with))
		}
	}
	s.reader = s.resources()
	slices.SortFunc(s.list, func(a, b *mcp.Server) int { return strings.Compare(a.Name(), b.Name()) })
	return s
}

// Entries returns what servers there are, also those that are switched off.
func (s *ToolServers) Entries() ToolServerEntries { return s.o.Entries }

// List returns the servers, sorted by name.
func (s *ToolServers) List() []*mcp.Server { return s.list }

// Server returns the server of that name, or nil.
func (s *ToolServers) Server(name string) *mcp.Server {
	for _, server := range s.list {
		if server.Name() == name {
			return server
		}
	}
	return nil
}

// signInTime is how long a person has to sign in.
const signInTime = 5 * time.Minute

// Tools returns the tools of all servers. The first time it starts, in the background, the servers that start with the session
// and those of which nothing is known; it waits only for the required ones.
func (s *ToolServers) Tools(ctx context.Context) []*tool.Tool {
	s.begin.Do(func() { s.first(ctx) })
	var all []*tool.Tool
	for _, server := range s.list {
		all = append(all, server.Tools()...)
	}
	if s.offers() {
		all = append(all, s.reader)
	}
	return s.limit(all)
}

func (s *ToolServers) first(ctx context.Context) {
	var required sync.WaitGroup
	for _, server := range s.list {
		start := server.Entry().Start
		if start != "eager" && start != "required" && server.Known() {
			continue
		}
		s.running.Go(func() {
			if err := server.Connect(s.ctx); err != nil && s.ctx.Err() == nil && s.Failed != nil { // a call gives the error again
				s.Failed(server.Name(), err)
			}
		})
		if start == "required" {
			required.Go(func() { _ = server.Connect(ctx) }) // one attempt, at most startTimeout long
		}
	}
	required.Wait()
}

// limit returns the tools with the limits of the settings, the same pointer for the same tool.
func (s *ToolServers) limit(tools []*tool.Tool) []*tool.Tool {
	if s.Limit == nil {
		return tools
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	limited := make([]*tool.Tool, len(tools))
	for i, t := range tools {
		if s.limited[t] == nil {
			s.limited[t] = s.Limit(t)
		}
		limited[i] = s.limited[t]
	}
	return limited
}

// Get returns a tool of a server by the name that the model calls it.
func (s *ToolServers) Get(name string) *tool.Tool {
	if name == resourcesName {
		return s.limit([]*tool.Tool{s.reader})[0]
	}
	if server := s.Of(name); server != nil {
		return s.limit([]*tool.Tool{server.Tool(name)})[0]
	}
	return nil
}

// Of returns the server that has a tool of that name, or nil.
func (s *ToolServers) Of(name string) *mcp.Server {
	if !strings.HasPrefix(name, "mcp__") {
		return nil
	}
	for _, server := range s.list {
		if strings.HasPrefix(name, mcp.ToolPrefix(server.Name())) && server.Tool(name) != nil {
			return server
		}
	}
	return nil
}

// Wait waits until every server that is starting has its tools or has failed.
func (s *ToolServers) Wait(ctx context.Context) (came bool) {
	var waiting sync.WaitGroup
	for _, server := range s.list {
		if !server.Known() {
			came = true
			waiting.Go(func() { _ = server.Connect(ctx) })
		}
	}
	waiting.Wait()
	return came
}

// About lists the servers.
func (s *ToolServers) About() string {
	var lines []string
	for _, server := range s.list {
		lines = append(lines, "- the tool server "+server.Name()+": "+mcp.ToolPrefix(server.Name())+"…")
	}
	return strings.Join(lines, "\n")
}

// Close ends all servers with everything that they started.
func (s *ToolServers) Close() error {
	s.cancel()
	var ending sync.WaitGroup
	for _, server := range s.list {
		ending.Go(func() { _ = server.Close() })
	}
	ending.Wait()
	s.running.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for name, box := range s.boxes {
		if e := box.Close(); e != nil {
			err = errors.Join(err, fmt.Errorf("the sandbox of the tool server %s: %w", name, e))
		}
	}
	s.boxes = map[string]*sandbox.Box{}
	return err
}

// elicit asks the user what a server wants to know.
func (s *ToolServers) elicit(ctx context.Context, q mcp.Question) (mcp.Reply, error) {
	if s.Ask == nil {
		return mcp.Reply{Action: "cancel"}, nil
	}
	questions, fields, err := questionsOfForm(q)
	if err != nil {
		return mcp.Reply{}, err
	}
	for range formTries {
		chosen, err := s.Ask(ctx, questions)
		if err != nil || chosen == nil {
			return mcp.Reply{Action: "cancel"}, err
		}
		values, ok, wrong := formValues(fields, chosen)
		if wrong == nil && ok {
			wrong = q.Fits(values)
		}
		switch {
		case wrong == nil && ok:
			return mcp.Reply{Action: "accept", Values: values}, nil
		case wrong == nil:
			return mcp.Reply{Action: "decline"}, nil
		}
		askAgain(questions, fields, chosen, wrong)
	}
	return mcp.Reply{}, errors.New("the answers did not fit the form")
}

// formTries is how often a form is asked whose answers do not fit: whoever answers may be a program.
const formTries = 20

func (s *ToolServers) log(server, text string) {
	if s.Log != nil {
		s.Log(server, text)
	}
}

func (s *ToolServers) client(e mcp.ServerEntry) (*http.Client, error) { return s.o.Client(e.URL) }

func (s *ToolServers) expand(e mcp.ServerEntry) (mcp.ServerEntry, error) {
	if e.Scope == mcp.ProjectScope {
		for _, sent := range e.Sends() {
			if s.o.OwnKey != nil && s.o.OwnKey(sent.Variable) {
				return e, fmt.Errorf("%s of %s wants ${%s} for %s, which is a key of rein or of a provider: a project's entry never gets one (rein mcp add makes one of your own)", e.Name, projectFile, sent.Variable, sent.To)
			}
		}
	}
	return e.Expand(s.o.Root, s.o.Home, nil)
}
