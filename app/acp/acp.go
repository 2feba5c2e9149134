// Package acp lets an editor use rein as its agent: it serves the Agent Client Protocol, version 1, over two streams.
package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"rein/app/harness"
	"rein/app/internal/rpc"
)

// Options say what the agent serves. The zero value serves any directory with the user's settings.
type Options struct {
	// Harness has the options of all sessions. Dir, AddDirs, Person, Unattended and Warn are set for each session.
	Harness harness.Options
	Program string       // path of the rein program, for the terminals that show commands; "": outputs are sent as text
	Log     *slog.Logger // nil: nothing is logged
}

// Serve answers the client that writes to in and reads from out, until in ends or ctx is done. The sessions are closed
// then; what waits for an approval can be resumed.
func Serve(ctx context.Context, o Options, in io.Reader, out io.Writer) error {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Harness.ForNew = true
	a := &agent{o: o, harnesses: map[string]*harness.Harness{}, sessions: map[string]*session{}}
	a.ctx, a.cancel = context.WithCancel(ctx)
	defer a.cancel()
	a.methods = a.table()
	whole := &rpc.Writer{W: out}
	lines := &lineReader{in: in, out: whole, ready: make(chan struct{})}
	a.client = sdk.NewConnection(a.handle, whole, lines)
	a.client.SetLogger(o.Log)
	close(lines.ready)
	select {
	case <-a.client.Done():
	case <-ctx.Done():
	}
	return a.close(context.WithoutCancel(ctx))
}

// agent is one connection to a client.
type agent struct {
	o       Options
	client  *sdk.Connection
	methods map[string]method
	ctx     context.Context // of all that runs
	cancel  context.CancelFunc
	work    sync.WaitGroup

	mu        sync.Mutex
	can       capabilities
	opening   sync.Mutex // one session is opened at a time
	harnesses map[string]*harness.Harness
	sessions  map[string]*session
	dir       string // of the outputs that terminals show; "": none was shown
}

// method answers one kind of request.
type method func(context.Context, json.RawMessage) (any, error)

// table lists the methods that the agent answers.
func (a *agent) table() map[string]method {
	return map[string]method{
		sdk.AgentMethodInitialize:             typed(a.initialize),
		sdk.AgentMethodAuthenticate:           typed(a.authenticate),
		sdk.AgentMethodSessionNew:             typed(a.newSession),
		sdk.AgentMethodSessionLoad:            typed(a.loadSession),
		sdk.AgentMethodSessionResume:          typed(a.resumeSession),
		sdk.AgentMethodSessionFork:            typed(a.forkSession),
		sdk.AgentMethodSessionList:            typed(a.listSessions),
		sdk.AgentMethodSessionClose:           typed(a.closeSession),
		methodDelete:                          typed(a.deleteSession),
		sdk.AgentMethodSessionPrompt:          typed(a.prompt),
		sdk.AgentMethodSessionCancel:          typed(a.interrupt),
		sdk.AgentMethodSessionSetMode:         typed(a.setMode),
		sdk.AgentMethodSessionSetConfigOption: typed(a.setOption),
		sdk.AgentMethodSessionSetModel:        typed(a.setModel),
	}
}

// methodDelete is part of the protocol and missing in the library.
const methodDelete = "session/delete"

// typed decodes the parameters of a method.
func typed[P, R any](do func(context.Context, P) (R, error)) method {
	return func(ctx context.Context, raw json.RawMessage) (any, error) {
		var p P
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &p); err != nil {
				return nil, invalid(err.Error())
			}
		}
		return do(ctx, p)
	}
}

// handle answers a request. A panic fails this request alone; it would end the program.
func (a *agent) handle(ctx context.Context, name string, raw json.RawMessage) (result any, failed *sdk.RequestError) {
	do, ok := a.methods[name]
	if !ok {
		return nil, sdk.NewMethodNotFound(name)
	}
	defer func() {
		if wrong := recover(); wrong != nil {
			a.o.Log.Error("panic", "method", name, "value", fmt.Sprint(wrong), "stack", string(debug.Stack()))
			result, failed = nil, &sdk.RequestError{Code: -32603, Message: name + " failed inside of rein"}
		}
	}()
	result, err := do(ctx, raw)
	if err != nil {
		return nil, a.failure(name, err)
	}
	return result, nil
}

// failure returns an error as the protocol reports it.
func (a *agent) failure(name string, err error) *sdk.RequestError {
	if e, ok := errors.AsType[*sdk.RequestError](err); ok {
		return e
	}
	a.o.Log.Warn("a request failed", "method", name, "error", err)
	if kindOf(err) == harness.Auth {
		return &sdk.RequestError{Code: -32000, Message: err.Error()}
	}
	if kind := kindOf(err); kind == harness.Usage || kind == harness.Input {
		return &sdk.RequestError{Code: -32602, Message: err.Error()}
	}
	if errors.Is(err, context.Canceled) {
		return sdk.NewRequestCancelled(nil)
	}
	return &sdk.RequestError{Code: -32603, Message: err.Error()}
}

func kindOf(err error) harness.ErrorKind {
	e, _ := errors.AsType[harness.Error](err)
	return e.Kind
}

// invalid is the error for parameters that make no sense.
func invalid(text string) error { return &sdk.RequestError{Code: -32602, Message: text} }

// notFound is the error for a session or a file that does not exist.
func notFound(text string) error { return &sdk.RequestError{Code: -32002, Message: text} }

// close ends all sessions.
func (a *agent) close(ctx context.Context) (err error) {
	a.mu.Lock()
	var all []*session
	for _, s := range a.sessions {
		all = append(all, s)
	}
	for _, h := range a.harnesses {
		h.Suspend()
	}
	a.mu.Unlock()
	a.cancel()
	for _, s := range all {
		s.stop()
	}
	a.work.Wait()
	for _, h := range a.harnesses {
		err = errors.Join(err, h.Close(ctx))
	}
	return errors.Join(err, a.removeOutputs())
}
