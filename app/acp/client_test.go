package acp

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"rein/app/harness"
	"rein/app/settings"
)

// editor is a client: it keeps what it gets, has buffers, and answers permission requests with the option that pick names.
type editor struct {
	*sdk.ClientSideConnection
	t    *testing.T
	dir  string
	dirs settings.Dirs
	done chan error
	end  func()

	mu      sync.Mutex
	updates []sdk.SessionUpdate
	asked   []sdk.RequestPermissionRequest
	pick    func(sdk.RequestPermissionRequest) sdk.RequestPermissionOutcome
	buffers map[string]string
	written map[string]string
	screens map[string]sdk.CreateTerminalRequest
	words   string // what the user answers in a form
}

func selected(option string) sdk.RequestPermissionOutcome {
	return sdk.NewRequestPermissionOutcomeSelected(sdk.PermissionOptionId(option))
}

// newEditor starts the agent over a new workspace with a scripted model, and initializes it.
func newEditor(t *testing.T, script string, change ...func(*Options)) *editor {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e := &editor{t: t, dir: filepath.Join(root, "ws"), buffers: map[string]string{}, written: map[string]string{}, screens: map[string]sdk.CreateTerminalRequest{},
		dirs: settings.Dirs{Config: filepath.Join(root, "config"), Sessions: filepath.Join(root, "sessions"), Output: filepath.Join(root, "output"),
			Private: filepath.Join(root, "private"), State: filepath.Join(root, "state")},
		pick: func(sdk.RequestPermissionRequest) sdk.RequestPermissionOutcome { return selected(optionDeny) }}
	if err := os.Mkdir(e.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, "script.yaml")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	o := Options{Harness: harness.Options{Dirs: e.dirs, Terms: harness.Terms{Model: "script/" + file, Sandbox: "off"}, Version: "test"}}
	for _, c := range change {
		c(&o)
	}
	e.start(o)
	return e
}

func (e *editor) start(o Options) {
	in, toAgent := io.Pipe()
	fromAgent, out := io.Pipe()
	e.done = make(chan error, 1)
	go func() { e.done <- Serve(context.Background(), o, in, out) }()
	e.ClientSideConnection = sdk.NewClientSideConnection(e, toAgent, fromAgent)
	var once sync.Once
	e.end = func() {
		once.Do(func() {
			toAgent.Close()
			if err := <-e.done; err != nil {
				e.t.Error(err)
			}
			out.Close()
		})
	}
	e.t.Cleanup(e.end)
	answer, err := e.Initialize(e.t.Context(), sdk.InitializeRequest{ProtocolVersion: 1, ClientCapabilities: sdk.ClientCapabilities{
		Fs: sdk.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true}, Terminal: true,
		Elicitation: &sdk.ElicitationCapabilities{Form: &sdk.ElicitationFormCapabilities{}},
	}})
	if err != nil {
		e.t.Fatal(err)
	}
	if answer.ProtocolVersion != 1 || !answer.AgentCapabilities.LoadSession || answer.AgentCapabilities.SessionCapabilities.Fork == nil || len(answer.AuthMethods) == 0 {
		e.t.Errorf("initialize: %+v", answer)
	}
}

func (e *editor) new() sdk.NewSessionResponse {
	e.t.Helper()
	s, err := e.NewSession(e.t.Context(), sdk.NewSessionRequest{Cwd: e.dir, McpServers: []sdk.McpServer{}})
	if err != nil {
		e.t.Fatal(err)
	}
	return s
}

// prompt sends a message and returns the reason for which the turn stopped.
func (e *editor) prompt(id sdk.SessionId, blocks ...sdk.ContentBlock) sdk.StopReason {
	e.t.Helper()
	answer, err := e.Prompt(e.t.Context(), sdk.PromptRequest{SessionId: id, Prompt: blocks})
	if err != nil {
		e.t.Fatal(err)
	}
	return answer.StopReason
}

// text returns what the model wrote so far.
func (e *editor) text() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var b strings.Builder
	for _, u := range e.updates {
		if u.AgentMessageChunk != nil && u.AgentMessageChunk.Content.Text != nil {
			b.WriteString(u.AgentMessageChunk.Content.Text.Text)
		}
	}
	return b.String()
}

// forget forgets the updates that came so far, and returns them.
func (e *editor) forget() []sdk.SessionUpdate {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := e.updates
	e.updates = nil
	return all
}

// saw reports whether such an update came.
func (e *editor) saw(is func(sdk.SessionUpdate) bool) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.ContainsFunc(e.updates, is)
}

// calls returns the calls as an editor shows them: what was updated replaces what was there.
func (e *editor) calls() []sdk.SessionUpdateToolCall {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := map[sdk.ToolCallId]*sdk.SessionUpdateToolCall{}
	var order []sdk.ToolCallId
	for _, u := range e.updates {
		if c := u.ToolCall; c != nil {
			if all[c.ToolCallId] != nil {
				e.t.Errorf("the call %s came twice", c.ToolCallId)
			}
			shown := *c
			all[c.ToolCallId] = &shown
			order = append(order, c.ToolCallId)
		}
		if c := u.ToolCallUpdate; c != nil {
			at := all[c.ToolCallId]
			if at == nil {
				e.t.Errorf("an update of the call %s, which is not known", c.ToolCallId)
				continue
			}
			if c.Status != nil {
				at.Status = *c.Status
			}
			if len(c.Content) > 0 {
				at.Content = c.Content
			}
			if len(c.Locations) > 0 {
				at.Locations = c.Locations
			}
		}
	}
	var out []sdk.SessionUpdateToolCall
	for _, id := range order {
		out = append(out, *all[id])
	}
	return out
}

// until waits until a condition holds.
func (e *editor) until(what string, holds func() bool) {
	e.t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			e.t.Fatal("never came: ", what)
		}
	}
}

func (e *editor) write(name, text string) string {
	e.t.Helper()
	path := filepath.Join(e.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		e.t.Fatal(err)
	}
	return path
}

func (e *editor) SessionUpdate(_ context.Context, p sdk.SessionNotification) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.updates = append(e.updates, p.Update)
	return nil
}

func (e *editor) RequestPermission(ctx context.Context, p sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
	e.mu.Lock()
	e.asked = append(e.asked, p)
	e.mu.Unlock()
	known := func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return slices.ContainsFunc(e.updates, func(u sdk.SessionUpdate) bool {
			return u.ToolCall != nil && u.ToolCall.ToolCallId == p.ToolCall.ToolCallId
		})
	}
	for range 200 { // the client's library handles what was sent before in another goroutine
		if known() {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if !known() {
		e.t.Errorf("a request for the call %s, which is not known", p.ToolCall.ToolCallId)
	}
	return sdk.RequestPermissionResponse{Outcome: e.pick(p)}, nil
}

func (e *editor) ReadTextFile(_ context.Context, p sdk.ReadTextFileRequest) (sdk.ReadTextFileResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if text, ok := e.buffers[p.Path]; ok {
		return sdk.ReadTextFileResponse{Content: text}, nil
	}
	data, err := os.ReadFile(p.Path)
	return sdk.ReadTextFileResponse{Content: string(data)}, err
}

func (e *editor) WriteTextFile(_ context.Context, p sdk.WriteTextFileRequest) (sdk.WriteTextFileResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.buffers, p.Path)
	e.written[p.Path] = p.Content
	return sdk.WriteTextFileResponse{}, os.WriteFile(p.Path, []byte(p.Content), 0o600)
}

func (e *editor) CreateTerminal(_ context.Context, p sdk.CreateTerminalRequest) (sdk.CreateTerminalResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	id := fmt.Sprintf("terminal-%d", len(e.screens)+1)
	e.screens[id] = p
	return sdk.CreateTerminalResponse{TerminalId: id}, nil
}

// WaitForTerminalExit runs the program of the terminal.
func (e *editor) WaitForTerminalExit(ctx context.Context, p sdk.WaitForTerminalExitRequest) (sdk.WaitForTerminalExitResponse, error) {
	e.mu.Lock()
	t, ok := e.screens[p.TerminalId]
	e.mu.Unlock()
	if !ok {
		return sdk.WaitForTerminalExitResponse{}, fmt.Errorf("no terminal %s", p.TerminalId)
	}
	var out strings.Builder
	code, err := ShowOutput(ctx, t.Args[len(t.Args)-1], &out)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.written["terminal"] = out.String()
	return sdk.WaitForTerminalExitResponse{ExitCode: &code}, err
}

func (e *editor) TerminalOutput(context.Context, sdk.TerminalOutputRequest) (sdk.TerminalOutputResponse, error) {
	return sdk.TerminalOutputResponse{}, nil
}

func (e *editor) KillTerminal(context.Context, sdk.KillTerminalRequest) (sdk.KillTerminalResponse, error) {
	return sdk.KillTerminalResponse{}, nil
}

func (e *editor) ReleaseTerminal(_ context.Context, p sdk.ReleaseTerminalRequest) (sdk.ReleaseTerminalResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.written["released"] = p.TerminalId
	return sdk.ReleaseTerminalResponse{}, nil
}

func (e *editor) UnstableCompleteElicitation(context.Context, sdk.UnstableCompleteElicitationNotification) error {
	return nil
}

func (e *editor) UnstableCreateElicitation(context.Context, sdk.UnstableCreateElicitationRequest) (sdk.UnstableCreateElicitationResponse, error) {
	return sdk.UnstableCreateElicitationResponse{Accept: &sdk.UnstableCreateElicitationAccept{Action: "accept", Content: map[string]any{"words": e.words, "answer1": e.words}}}, nil
}

func (e *editor) UnstableConnectMcp(context.Context, sdk.UnstableConnectMcpRequest) (sdk.UnstableConnectMcpResponse, error) {
	return sdk.UnstableConnectMcpResponse{}, nil
}

func (e *editor) UnstableDisconnectMcp(context.Context, sdk.UnstableDisconnectMcpRequest) (sdk.UnstableDisconnectMcpResponse, error) {
	return sdk.UnstableDisconnectMcpResponse{}, nil
}

// read returns what the client wrote to a file, or kept under a name.
func (e *editor) read(name string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.written)[name]
}
