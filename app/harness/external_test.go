package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"rein/model"
)

// externalProgram is an agent in this process: it does what act says with each prompt.
type externalProgram struct {
	io.Reader
	io.Writer
	peer   *sdk.Connection
	cancel chan struct{}
	closed atomic.Bool
	ends   []io.Closer

	can     sdk.AgentCapabilities
	opened  chan string // the methods that open a session of the past
	forgets bool        // there is none
}

func (p *externalProgram) Close() error {
	if p.closed.Swap(true) {
		return errors.New("closed twice")
	}
	for _, c := range p.ends {
		c.Close()
	}
	return nil
}

// say sends a piece of the agent's answer.
func (p *externalProgram) say(text string) {
	_ = p.peer.SendNotification(context.Background(), sdk.ClientMethodSessionUpdate, sdk.SessionNotification{SessionId: "s", Update: sdk.UpdateAgentMessageText(text)})
}

type act func(ctx context.Context, p *externalProgram, prompt string) (sdk.StopReason, error)

func start(do act, auth bool, change ...func(*externalProgram)) *externalProgram {
	toAgent, w1 := io.Pipe()
	r2, fromAgent := io.Pipe()
	p := &externalProgram{Reader: r2, Writer: w1, cancel: make(chan struct{}, 8), ends: []io.Closer{w1, fromAgent, r2, toAgent}, opened: make(chan string, 8)}
	for _, c := range change {
		c(p)
	}
	ready := &gatedReader{Reader: toAgent, open: make(chan struct{})}
	p.peer = sdk.NewConnection(func(ctx context.Context, method string, raw json.RawMessage) (any, *sdk.RequestError) {
		switch method {
		case sdk.AgentMethodInitialize:
			return sdk.InitializeResponse{ProtocolVersion: 1, AuthMethods: []sdk.AuthMethod{}, AgentCapabilities: p.can}, nil
		case sdk.AgentMethodSessionLoad, sdk.AgentMethodSessionResume:
			p.opened <- method
			if method == sdk.AgentMethodSessionLoad {
				p.say("old words")
			}
			if p.forgets {
				return nil, &sdk.RequestError{Code: -32002, Message: "no such session"}
			}
			return map[string]any{}, nil
		case sdk.AgentMethodSessionNew:
			if auth {
				return nil, &sdk.RequestError{Code: -32000, Message: "run: agent login"}
			}
			return map[string]string{"sessionId": "s"}, nil
		case sdk.AgentMethodSessionCancel:
			p.cancel <- struct{}{}
			return nil, nil
		case sdk.AgentMethodSessionPrompt:
			var in sdk.PromptRequest
			if err := json.Unmarshal(raw, &in); err != nil {
				return nil, &sdk.RequestError{Code: -32602, Message: err.Error()}
			}
			reason, err := do(ctx, p, in.Prompt[0].Text.Text)
			if err != nil {
				return nil, &sdk.RequestError{Code: -32603, Message: err.Error()}
			}
			return sdk.PromptResponse{StopReason: reason}, nil
		}
		return nil, sdk.NewMethodNotFound(method)
	}, fromAgent, ready)
	close(ready.open)
	return p
}

// loop plays the loop of an agent with a model: it answers calls with do until the model is done.
type loop struct {
	t        *testing.T
	messages []*model.Message
	calls    []string
	text     strings.Builder
}

func (k *loop) run(ctx context.Context, m model.Model, prompt string, do func(name, args string) (text string, failed bool)) (model.Stop, error) {
	k.messages = append(k.messages, model.UserText(prompt))
	for range 20 {
		var last model.Chunk
		for c, err := range m.Stream(ctx, &model.Request{Messages: k.messages}) {
			if err != nil {
				return "", err
			}
			last = c
		}
		if last.Kind != model.Done {
			k.t.Fatalf("the answer ends with %+v", last)
		}
		k.text.WriteString(last.Message.Text())
		k.messages = append(k.messages, last.Message)
		calls := last.Message.Calls()
		if len(calls) == 0 {
			return last.Stop, nil
		}
		var results []model.Part
		for _, c := range calls {
			k.calls = append(k.calls, c.Name+" "+c.Args)
			text, failed := do(c.Name, c.Args)
			results = append(results, model.Part{Kind: model.ResultKind, ID: c.ID, Text: text, Failed: failed})
		}
		k.messages = append(k.messages, model.Answer(last.Message, results...))
	}
	k.t.Fatal("no end")
	return "", nil
}

func fine(string, string) (string, bool) { return "ok\n[exit code 3 after 1s]\n", false }

func newTest(t *testing.T, do act) (*externalModel, string) {
	dir := t.TempDir()
	m := newExternalModel(programOptions{Name: "other", Dir: dir, Action: externalAction{Agent: "other", Title: "start", Command: "other acp"},
		Start: func(context.Context) (io.ReadWriteCloser, error) { return start(do, false), nil }, Read: os.ReadFile})
	t.Cleanup(func() { m.Close() })
	return m, dir
}

// TestRequestsAreCalls: what the agent asks its client for becomes calls, and their results are its answers.
func TestRequestsAreCalls(t *testing.T) {
	var dir string
	var got []string
	m, dir := newTest(t, func(ctx context.Context, p *externalProgram, prompt string) (sdk.StopReason, error) {
		p.say("I got: " + prompt + ". ")
		file := filepath.Join(dir, "a.txt")
		read, err := sdk.SendRequest[sdk.ReadTextFileResponse](p.peer, ctx, sdk.ClientMethodFsReadTextFile, sdk.ReadTextFileRequest{SessionId: "s", Path: file, Line: sdk.Ptr(2), Limit: sdk.Ptr(1)})
		got = append(got, read.Content, fmt.Sprint(err))
		_, err = sdk.SendRequest[sdk.WriteTextFileResponse](p.peer, ctx, sdk.ClientMethodFsWriteTextFile, sdk.WriteTextFileRequest{SessionId: "s", Path: file, Content: "new"})
		got = append(got, fmt.Sprint(err))
		permission, err := sdk.SendRequest[sdk.RequestPermissionResponse](p.peer, ctx, sdk.ClientMethodSessionRequestPermission, sdk.RequestPermissionRequest{SessionId: "s",
			ToolCall: sdk.ToolCallUpdate{ToolCallId: "1", Title: sdk.Ptr("make"), Kind: sdk.Ptr(sdk.ToolKindExecute), RawInput: map[string]any{"command": []string{"make", "a b"}}},
			Options:  []sdk.PermissionOption{{OptionId: "always", Kind: sdk.PermissionOptionKindAllowAlways}, {OptionId: "yes", Kind: sdk.PermissionOptionKindAllowOnce}, {OptionId: "no", Kind: sdk.PermissionOptionKindRejectOnce}}})
		got = append(got, string(permission.Outcome.Selected.OptionId), fmt.Sprint(err))
		terminal, err := sdk.SendRequest[sdk.CreateTerminalResponse](p.peer, ctx, sdk.ClientMethodTerminalCreate, sdk.CreateTerminalRequest{SessionId: "s", Command: "ls", Args: []string{"-l", "it's"}})
		if err != nil {
			return "", err
		}
		exit, err := sdk.SendRequest[sdk.WaitForTerminalExitResponse](p.peer, ctx, sdk.ClientMethodTerminalWaitForExit, sdk.WaitForTerminalExitRequest{SessionId: "s", TerminalId: terminal.TerminalId})
		got = append(got, fmt.Sprint(*exit.ExitCode, err))
		p.say("Done.")
		return sdk.StopReasonEndTurn, nil
	})
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\nthree\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	k := loop{t: t}
	stop, err := k.run(t.Context(), m, "do it", fine)
	if err != nil || stop != model.StopEnd || k.text.String() != "I got: do it. Done." {
		t.Errorf("%v, %v, %q", stop, err, k.text.String())
	}
	if want := []string{"two\n", "<nil>", "<nil>", "yes", "<nil>", "3 <nil>"}; !slices.Equal(got, want) {
		t.Errorf("the agent got %q, want %q", got, want)
	}
	want := []string{
		`external_action {"agent":"other","title":"start","command":"other acp"}`,
		`read_file {"limit":1,"offset":2,"path":"` + dir + `/a.txt"}`,
		`write_file {"content":"new","path":"` + dir + `/a.txt"}`,
		`external_action {"agent":"other","title":"make","command":"make 'a b'"}`,
		`bash {"command":"ls -l 'it'\\''s'","timeout":600}`,
	}
	if !slices.Equal(k.calls, want) {
		t.Errorf("calls:\n%s", strings.Join(k.calls, "\n"))
	}
	k.calls = nil
	if _, err := k.run(t.Context(), m, "again", fine); err != nil || len(k.calls) != 4 || !strings.Contains(k.text.String(), "I got: again.") {
		t.Errorf("a second message: %v, %q", err, k.text.String())
	}
}

// TestDenied: what is denied is an error for the agent, and an agent that may not start does not start.
func TestDenied(t *testing.T) {
	started := false
	m, _ := newTest(t, func(ctx context.Context, p *externalProgram, _ string) (sdk.StopReason, error) {
		started = true
		_, read := sdk.SendRequest[sdk.ReadTextFileResponse](p.peer, ctx, sdk.ClientMethodFsReadTextFile, sdk.ReadTextFileRequest{SessionId: "s", Path: "/etc/passwd"})
		permission, err := sdk.SendRequest[sdk.RequestPermissionResponse](p.peer, ctx, sdk.ClientMethodSessionRequestPermission, sdk.RequestPermissionRequest{SessionId: "s",
			ToolCall: sdk.ToolCallUpdate{ToolCallId: "1"}, Options: []sdk.PermissionOption{{OptionId: "yes", Kind: sdk.PermissionOptionKindAllowOnce}, {OptionId: "no", Kind: sdk.PermissionOptionKindRejectOnce}}})
		p.say(fmt.Sprintf("%v %v %v", read != nil, permission.Outcome.Selected.OptionId, err))
		return sdk.StopReasonEndTurn, nil
	})
	refuse := func(string, string) (string, bool) { return "the user says no", true }
	k := loop{t: t}
	if _, err := k.run(t.Context(), m, "go", refuse); err != nil || started || !strings.Contains(k.text.String(), "not started: the user says no") {
		t.Errorf("%v, %v, %q", err, started, k.text.String())
	}
	k = loop{t: t}
	if _, err := k.run(t.Context(), m, "go", func(name, args string) (string, bool) { return "no", !strings.Contains(args, `"start"`) }); err != nil || k.text.String() != "true no <nil>" {
		t.Errorf("%v, %q", err, k.text.String())
	}
}

// TestNoLastingPermission: an agent that takes only a permission forever gets none, and nobody is asked.
func TestNoLastingPermission(t *testing.T) {
	always := sdk.PermissionOption{OptionId: "always", Kind: sdk.PermissionOptionKindAllowAlways}
	for want, options := range map[string][]sdk.PermissionOption{
		"no":        {always, {OptionId: "no", Kind: sdk.PermissionOptionKindRejectOnce}},
		"cancelled": {always},
	} {
		m, _ := newTest(t, func(ctx context.Context, p *externalProgram, _ string) (sdk.StopReason, error) {
			permission, err := sdk.SendRequest[sdk.RequestPermissionResponse](p.peer, ctx, sdk.ClientMethodSessionRequestPermission, sdk.RequestPermissionRequest{SessionId: "s",
				ToolCall: sdk.ToolCallUpdate{ToolCallId: "1", Title: sdk.Ptr("make")}, Options: options})
			got := "cancelled"
			if permission.Outcome.Selected != nil {
				got = string(permission.Outcome.Selected.OptionId)
			}
			p.say(fmt.Sprint(got, " ", err))
			return sdk.StopReasonEndTurn, nil
		})
		k := loop{t: t}
		if _, err := k.run(t.Context(), m, "go", fine); err != nil || !strings.HasSuffix(k.text.String(), want+" <nil>") || len(k.calls) != 1 {
			t.Errorf("%v, %q, calls %q; want %s", err, k.text.String(), k.calls, want)
		}
		if !strings.Contains(k.text.String(), "make: refused, because other takes no permission for this once") {
			t.Errorf("nobody learns of it: %q", k.text.String())
		}
	}
}

// TestUnknownActions: an action of which little is known may be anything; what it shows is judged.
func TestUnknownActions(t *testing.T) {
	r := &externalRun{o: programOptions{Name: "other", Dir: "/ws"}, calls: map[sdk.ToolCallId]sdk.ToolCallUpdate{
		"known": {Title: sdk.Ptr("Edit"), Kind: sdk.Ptr(sdk.ToolKindEdit), Locations: []sdk.ToolCallLocation{{Path: "a.go"}}}}}
	for _, row := range []struct {
		name string
		u    sdk.ToolCallUpdate
		want externalAction
	}{
		{"nothing", sdk.ToolCallUpdate{}, externalAction{Agent: "other", Title: "an action without a title"}},
		{"a command that is not shown", sdk.ToolCallUpdate{Kind: sdk.Ptr(sdk.ToolKindExecute), Title: sdk.Ptr("Run tests")}, externalAction{Agent: "other", Title: "Run tests", Unknown: true}},
		{"an edit that was shown before", sdk.ToolCallUpdate{ToolCallId: "known"}, externalAction{Agent: "other", Title: "Edit", Writes: []string{"/ws/a.go"}}},
		{"a diff", sdk.ToolCallUpdate{Title: sdk.Ptr("x"), Kind: sdk.Ptr(sdk.ToolKindEdit), Content: []sdk.ToolCallContent{sdk.ToolDiffContent("/b", "new")}}, externalAction{Agent: "other", Title: "x", Writes: []string{"/b"}}},
		{"a page", sdk.ToolCallUpdate{Title: sdk.Ptr("x"), Kind: sdk.Ptr(sdk.ToolKindFetch), RawInput: map[string]any{"url": "https://example.org/x"}}, externalAction{Agent: "other", Title: "x", Hosts: []string{"example.org"}}},
	} {
		got, want := r.actionOf(row.u), row.want
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			t.Errorf("%s: %+v, want %+v", row.name, got, want)
		}
		if i := got.Intent(); len(row.want.Writes)+len(row.want.Hosts) == 0 && !i.Unknown {
			t.Errorf("%s: the intent is not unknown", row.name)
		}
	}
}

// TestCancelAndDeath: a cancel reaches the agent; an agent that ends, or wants its user to sign in, is an error.
func TestCancelAndDeath(t *testing.T) {
	m, _ := newTest(t, func(_ context.Context, agent *externalProgram, prompt string) (sdk.StopReason, error) {
		agent.say("working")
		if prompt == "die" {
			agent.Close()
			return "", errors.New("dead")
		}
		<-agent.cancel
		return sdk.StopReasonCancelled, nil
	})
	k := loop{t: t}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := k.run(ctx, m, "wait", fine); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a cancelled turn: %v", err)
	}
	k = loop{t: t}
	if _, err := k.run(t.Context(), m, "die", fine); err == nil || !strings.Contains(err.Error(), "other") {
		t.Errorf("an agent that ends: %v", err)
	}
	needs := newExternalModel(programOptions{Name: "other", Start: func(context.Context) (io.ReadWriteCloser, error) { return start(nil, true), nil }})
	k = loop{t: t}
	if _, err := k.run(t.Context(), needs, "go", fine); err == nil || !strings.Contains(err.Error(), "agent login") {
		t.Errorf("an agent without a user: %v", err)
	}
}

// dying is a program that ends when it is asked something.
type dying struct{ io.ReadWriteCloser }

func (dying) LastWords() string { return "\x1b[31mcodex: no such file\x07" }

// TestTheEndOfAProgramIsExplained: a program that ends at once is no program of another protocol, and its last words are shown.
func TestTheEndOfAProgramIsExplained(t *testing.T) {
	ends := newExternalModel(programOptions{Name: "other", Start: func(context.Context) (io.ReadWriteCloser, error) {
		ours, theirs := net.Pipe()
		go func() {
			_, _ = theirs.Read(make([]byte, 1))
			theirs.Close()
		}()
		return dying{ours}, nil
	}})
	k := loop{t: t}
	_, err := k.run(t.Context(), ends, "go", fine)
	if err == nil || !strings.Contains(err.Error(), "the agent other ended before it answered; its last words: [31mcodex: no such file") || strings.ContainsAny(err.Error(), "\x1b\x07") {
		t.Errorf("got %v", err)
	}
}

// TestAnErrorIsShownWithItsData: whatever shape an agent gives to what it adds to an error, the user reads it, in one line.
func TestAnErrorIsShownWithItsData(t *testing.T) {
	for _, x := range []struct {
		data any
		want string
	}{
		{nil, "Internal error"},
		{"no\x1b[2J such\nmodel", "Internal error: no[2J suchmodel"},
		{map[string]any{"error": "no key"}, "Internal error: no key"},
		{map[string]any{"details": "401 from the provider"}, "Internal error: 401 from the provider"},
		{map[string]any{"code": 7.0, "why": "quota"}, `Internal error: {"code":7,"why":"quota"}`},
		{"Internal error", "Internal error"},
	} {
		if got := peerError(&sdk.RequestError{Code: -32603, Message: "Internal error", Data: x.data}).Error(); got != x.want {
			t.Errorf("%v: got %q, want %q", x.data, got, x.want)
		}
	}
}

// TestGoOn: an agent that is started again learns what it answered before.
func TestGoOn(t *testing.T) {
	got := firstPrompt([]*model.Message{model.UserText("Fix it."), {Role: model.Assistant, Parts: []model.Part{{Kind: model.TextKind, Text: "I fixed half."}}}, model.UserText("Go on.")})
	for _, want := range []string{"Fix it.", "I fixed half.", "Go on.", "started again"} {
		if !strings.Contains(got, want) {
			t.Errorf("the prompt is %q", got)
		}
	}
}

// TestJobs: the words of the tools on jobs are read: see kit/tools/command.
func TestJobs(t *testing.T) {
	for text, want := range map[string]string{
		"x\n[running in the background as j1 (1m0s so far)]\n": "j1 <nil>",
		"x\n[j1 is running (2m0s so far)]\n":                   "j1 <nil>",
		"x\n[exit code 7 after 2s]\n":                          " 7",
	} {
		_, job, status := readEnd(text, false)
		got := job + " <nil>"
		if status != nil {
			got = fmt.Sprint(job, " ", *status.ExitCode)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestAnAgentGoesOnWithItsSession: a program that was started again loads its session where it can, and learns what came of what it
// had asked for. Else it starts again, and the conversation says so.
func TestAnAgentGoesOnWithItsSession(t *testing.T) {
	for _, row := range []struct {
		name    string
		can     sdk.AgentCapabilities
		forgets bool
		method  string
		prompt  string // of the second program
		note    string
	}{
		{"resume", sdk.AgentCapabilities{LoadSession: true, SessionCapabilities: sdk.SessionCapabilities{Resume: &sdk.SessionResumeCapabilities{}}}, false, sdk.AgentMethodSessionResume, "what came of it:]\n- read_file", ""},
		{"load", sdk.AgentCapabilities{LoadSession: true}, false, sdk.AgentMethodSessionLoad, "what came of it:]\n- read_file", ""},
		{"the session is gone", sdk.AgentCapabilities{LoadSession: true}, true, sdk.AgentMethodSessionLoad, "You were started again", "starts again: no such session"},
		{"neither", sdk.AgentCapabilities{}, false, "", "You were started again", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			var programs []*externalProgram
			prompts := make(chan string, 8)
			do := func(ctx context.Context, p *externalProgram, prompt string) (sdk.StopReason, error) {
				prompts <- prompt
				if len(programs) > 1 {
					p.say("Finished.")
					return "end_turn", nil
				}
				p.say("I read. ")
				_, err := sdk.SendRequest[sdk.ReadTextFileResponse](p.peer, ctx, sdk.ClientMethodFsReadTextFile, sdk.ReadTextFileRequest{SessionId: "s", Path: "/a.txt"})
				return "cancelled", err
			}
			m := newExternalModel(programOptions{Name: "other", Dir: t.TempDir(), Action: externalAction{Agent: "other", Title: "start", Command: "other acp"}, Read: os.ReadFile,
				Start: func(context.Context) (io.ReadWriteCloser, error) {
					p := start(do, false, func(p *externalProgram) { p.can, p.forgets = row.can, row.forgets })
					programs = append(programs, p)
					return p, nil
				}})
			t.Cleanup(func() { m.Close() })
			k := &loop{t: t}
			_, err := k.run(t.Context(), m, "Do it.", func(name, args string) (string, bool) {
				if name == "read_file" { // here the session is suspended: the program ends
					m.Close()
				}
				return "ok", false
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := k.text.String(); !strings.HasSuffix(got, "Finished.") || strings.Contains(got, "old words") {
				t.Errorf("the answer: %q", got)
			}
			<-prompts
			if second := <-prompts; !strings.Contains(second, row.prompt) {
				t.Errorf("the second program is asked: %q", second)
			}
			method := ""
			if len(programs) == 2 && len(programs[1].opened) > 0 {
				method = <-programs[1].opened
			}
			if method != row.method {
				t.Errorf("the session is opened with %q", method)
			}
			var thoughts string
			for _, msg := range k.messages {
				for _, p := range msg.Parts {
					if p.Kind == model.ThinkingKind {
						thoughts += p.Text
					}
				}
			}
			if !strings.Contains(thoughts, row.note) || row.note == "" && thoughts != "" {
				t.Errorf("the note: %q", thoughts)
			}
		})
	}
}
