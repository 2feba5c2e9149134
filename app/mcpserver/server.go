// Package mcpserver offers the guarded tools of a directory to clients of the Model Context Protocol. A call takes the same
// pipeline as a model's: rules, approvals, sandbox and journal.
package mcpserver

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/app/harness"
	"rein/event"
	"rein/tool"
)

// Options say what is offered. The zero value offers all tools.
type Options struct {
	Version string
	Tools   []string // only these; empty: all
	Without []string // not these

	More func(*sdk.Server) // adds what an embedder offers beside that, outside the pipeline; nil: nothing
	Log  *slog.Logger      // receives what the protocol's library reports; nil: nobody does
}

// Server serves one session of a harness to any number of clients. All of them share its permission memory, its journal and
// its sandbox, so whoever may connect has the same rights.
type Server struct {
	h       *harness.Harness
	session *harness.Session
	person  *Person
	sdk     *sdk.Server
	proxied bool                                                                         // another server is behind this one
	run     func(context.Context, []tool.Call, func(event.Event)) ([]tool.Result, error) // of the session

	name  string // of the server, in the ids of its calls
	count atomic.Int64
	mu    sync.Mutex
	held  map[string]*pending // calls that wait for the client's answer, by their state

	outputs []string // references of the last long outputs
}

// New makes the server of a session without a model. The harness must have been opened with the same person.
func New(h *harness.Harness, session *harness.Session, person *Person, o Options) *Server {
	s := &Server{h: h, session: session, person: person, run: session.Call, name: strings.ToLower(rand.Text()[:6]), held: map[string]*pending{}}
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "rein", Title: "rein", Version: o.Version}, &sdk.ServerOptions{
		Logger: o.Log, CompletionHandler: s.complete, SubscribeHandler: subscribe, UnsubscribeHandler: unsubscribe,
		Instructions: "The tools work in " + h.Root() + ". Each call is checked by rules and runs in a sandbox; some wait until a person approves them. judge_command tells what a shell command would do, and runs nothing.",
	})
	s.sdk.AddReceivingMiddleware(contain(o.Log))
	if o.More != nil {
		o.More(s.sdk)
	}
	for _, t := range session.Tools().Whole() {
		if o.lends(t.Name) {
			s.add(t)
		}
	}
	if o.lends(judgeName) {
		s.addJudge()
	}
	s.addResources()
	s.addPrompts()
	return s
}

// lends reports whether the options offer a tool.
func (o Options) lends(name string) bool {
	return (len(o.Tools) == 0 || slices.Contains(o.Tools, name)) && !slices.Contains(o.Without, name)
}

// Serve serves one client over a pair of streams until it leaves.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	return s.sdk.Run(ctx, &lines{in: in, out: out})
}

// add offers a tool.
func (s *Server) add(t *tool.Tool) {
	yes, no := true, false
	hints := &sdk.ToolAnnotations{ReadOnlyHint: t.Effect&^tool.Reads == 0, DestructiveHint: &no, OpenWorldHint: &no}
	if t.Effect&(tool.Writes|tool.Runs) != 0 {
		hints.DestructiveHint = &yes
	}
	if t.Effect&(tool.Reaches|tool.Runs) != 0 {
		hints.OpenWorldHint = &yes
	}
	s.sdk.AddTool(&sdk.Tool{Name: t.Name, Description: t.Description, InputSchema: t.Input.Raw(), Annotations: hints}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return s.call(ctx, r, t.Name)
	})
}
