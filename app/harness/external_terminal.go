package harness

import (
	"cmp"
	"context"
	"regexp"
	"strconv"
	"strings"

	sdk "github.com/coder/acp-go-sdk"
)

// agentTerminal is a command that the agent runs in a terminal of its client: a call of bash. Its output is there when the command
// has ended, or when it has gone to the background.
type agentTerminal struct {
	over chan struct{} // closed at its end

	// Guarded by run.mu.
	text   string
	job    string // "" unless the command runs in the background
	status *sdk.TerminalExitStatus
	limit  int // bytes of the output; 0: all
	killed bool
}

// longest is how many seconds a command and a wait may take; then they are asked for again.
const (
	longestOutput = 600
	longestWait   = 300
)

// create starts a command. The answer does not wait for the approval: the agent asks for the output later.
func (r *externalRun) create(_ context.Context, p sdk.CreateTerminalRequest) (sdk.CreateTerminalResponse, error) {
	t := &agentTerminal{over: make(chan struct{})}
	if p.OutputByteLimit != nil {
		t.limit = *p.OutputByteLimit
	}
	command := p.Command
	if len(p.Args) > 0 {
		command = quoteWords(append([]string{p.Command}, p.Args...))
	}
	var before []string
	for _, v := range p.Env {
		if plainName().MatchString(v.Name) {
			before = append(before, "export "+v.Name+"="+quoteWords([]string{v.Value}))
		}
	}
	if p.Cwd != nil && *p.Cwd != "" && *p.Cwd != r.o.Dir {
		before = append(before, "cd "+quoteWords([]string{*p.Cwd}))
	}
	command = strings.Join(append(before, command), " && ")
	r.mu.Lock()
	id := "terminal-" + strconv.Itoa(len(r.terminals)+1)
	r.terminals[id] = t
	r.mu.Unlock()
	go r.follow(t, command)
	return sdk.CreateTerminalResponse{TerminalId: id}, nil
}

func plainName() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) }

// follow runs the command and waits for its end, also when it goes to the background.
func (r *externalRun) follow(t *agentTerminal, command string) {
	defer close(t.over)
	ctx := context.Background()
	result, err := r.ask(ctx, "bash", map[string]any{"command": command, "timeout": longestOutput})
	for {
		if err != nil {
			r.ends(t, "", &sdk.TerminalExitStatus{Signal: new("SIGTERM")})
			return
		}
		text, job, status := readEnd(result.Text, result.Failed)
		r.mu.Lock()
		t.job = job
		killed := t.killed
		r.mu.Unlock()
		r.ends(t, text, status)
		switch {
		case status != nil:
			return
		case killed:
			result, err = r.ask(ctx, "job_kill", map[string]any{"job": job})
			result.Text += "\n[exit code 143 after the kill]"
		default:
			result, err = r.ask(ctx, "job_output", map[string]any{"job": job, "wait": longestWait})
		}
	}
}

// ends adds to the output of a terminal, and sets how the command ended.
func (r *externalRun) ends(t *agentTerminal, text string, status *sdk.TerminalExitStatus) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t.text += text
	t.status = status
}

// readEnd reads the result of a command: its output, the job when it continues in the background, and else how it ended.
func readEnd(text string, failed bool) (output, job string, status *sdk.TerminalExitStatus) {
	if m := regexp.MustCompile(`(?m)^\[(?:running in the background as (\S+)|(\S+) is running) \(`).FindStringSubmatch(text); m != nil {
		return text, cmp.Or(m[1], m[2]), nil
	}
	code := 0
	if failed {
		code = 1
	}
	if m := regexp.MustCompile(`\[exit code (\d+) after`).FindStringSubmatch(text); m != nil {
		code, _ = strconv.Atoi(m[1])
	}
	return text, "", &sdk.TerminalExitStatus{ExitCode: &code}
}

func (r *externalRun) terminal(id string) (*agentTerminal, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.terminals[id]; t != nil {
		return t, nil
	}
	return nil, &sdk.RequestError{Code: -32002, Message: "no such terminal: " + id}
}

func (r *externalRun) output(_ context.Context, p sdk.TerminalOutputRequest) (sdk.TerminalOutputResponse, error) {
	t, err := r.terminal(p.TerminalId)
	if err != nil {
		return sdk.TerminalOutputResponse{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	text, cut := t.text, false
	if t.limit > 0 && len(text) > t.limit {
		text, cut = strings.ToValidUTF8(text[len(text)-t.limit:], ""), true
	}
	return sdk.TerminalOutputResponse{Output: text, Truncated: cut, ExitStatus: t.status}, nil
}

func (r *externalRun) wait(ctx context.Context, p sdk.WaitForTerminalExitRequest) (sdk.WaitForTerminalExitResponse, error) {
	t, err := r.terminal(p.TerminalId)
	if err != nil {
		return sdk.WaitForTerminalExitResponse{}, err
	}
	select {
	case <-t.over:
	case <-ctx.Done():
		return sdk.WaitForTerminalExitResponse{}, ctx.Err()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return sdk.WaitForTerminalExitResponse{ExitCode: t.status.ExitCode, Signal: t.status.Signal}, nil
}

// kill stops a command that runs in the background. One that a call waits for ends at its time limit.
func (r *externalRun) kill(_ context.Context, p sdk.KillTerminalRequest) (sdk.KillTerminalResponse, error) {
	t, err := r.terminal(p.TerminalId)
	if err == nil {
		r.mu.Lock()
		t.killed = true
		r.mu.Unlock()
	}
	return sdk.KillTerminalResponse{}, err
}

func (r *externalRun) release(ctx context.Context, p sdk.ReleaseTerminalRequest) (sdk.ReleaseTerminalResponse, error) {
	_, err := r.kill(ctx, sdk.KillTerminalRequest{SessionId: p.SessionId, TerminalId: p.TerminalId})
	return sdk.ReleaseTerminalResponse{}, err
}
