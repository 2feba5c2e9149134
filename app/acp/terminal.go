package acp

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"rein/tool"
)

// A command always runs in rein's sandbox, never in a terminal of the client: there it would run as the user. Where the client
// has terminals, rein starts a program in one that shows the output of the command while it runs: see ShowOutput.

// screen is a terminal of the client in which a running command is shown.
type screen struct {
	file    *os.File           // what the command wrote so far
	started chan struct{}      // closed when the client has answered
	id      string             // of the terminal; "" when the client did not start it
	end     context.CancelFunc // of what waits for the client
}

// endSuffix is added to the name of an output for the file that says that the command has ended, with its exit code.
const endSuffix = ".end"

// terminalTime is how long the client has to start a terminal, and the program in it to end.
const terminalTime = 10 * time.Second

// screenOf returns the terminal of a call and starts it at the first output; nil where the client has none.
func (w *show) screenOf(c *call) *screen {
	a := w.s.a
	if c.screen != nil || c.command == "" || a.o.Program == "" || !a.able().Terminal {
		return c.screen
	}
	dir, err := a.outputs()
	if err != nil {
		a.o.Log.Warn("outputs are not shown in terminals", "error", err)
		return nil
	}
	file, err := os.CreateTemp(dir, "output-")
	if err != nil {
		a.o.Log.Warn("an output is not shown in a terminal", "error", err)
		return nil
	}
	ctx, cancel := context.WithCancel(a.ctx)
	c.screen = &screen{file: file, started: make(chan struct{}), end: cancel}
	a.work.Go(func() { c.screen.start(ctx, w.s, c.id) })
	return c.screen
}

// outputs is the directory of the outputs that terminals show.
func (a *agent) outputs() (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.dir == "" {
		dir, err := os.MkdirTemp("", "rein-acp-")
		if err != nil {
			return "", err
		}
		a.dir = dir
	}
	return a.dir, nil
}

func (t *screen) start(ctx context.Context, s *session, call string) {
	defer close(t.started)
	ctx, cancel := context.WithTimeout(ctx, terminalTime)
	defer cancel()
	answer, err := sdk.SendRequest[sdk.CreateTerminalResponse](s.a.client, ctx, sdk.ClientMethodTerminalCreate, sdk.CreateTerminalRequest{
		SessionId: sdk.SessionId(s.ID()), Command: s.a.o.Program, Args: []string{"acp", "show", t.file.Name()},
		Cwd: new(s.h.Root()), OutputByteLimit: new(1 << 20), Env: []sdk.EnvVariable{},
	})
	if err != nil {
		s.a.o.Log.Warn("the client did not start a terminal", "error", err)
		return
	}
	t.id = answer.TerminalId
	s.show.send(sdk.UpdateToolCall(sdk.ToolCallId(call), sdk.WithUpdateContent([]sdk.ToolCallContent{sdk.ToolTerminalRef(t.id)})))
}

// close ends the output and returns the id of the terminal that showed it; "" where there is none. The client keeps showing it.
func (t *screen) close(s *session, d *tool.CommandDetail) string {
	code := 0
	if d != nil {
		code = d.ExitCode
	}
	end := t.file.Name() + endSuffix
	err := os.WriteFile(end, []byte(strconv.Itoa(code)), 0o600)
	if closing := t.file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		s.a.o.Log.Warn("the end of an output is not shown", "error", err)
	}
	<-t.started
	s.a.work.Go(func() {
		defer t.end()
		if t.id != "" {
			t.release(s)
		}
		os.Remove(t.file.Name())
		os.Remove(end)
	})
	return t.id
}

// release waits until the program in the terminal has shown all of the output, and gives the terminal back.
func (t *screen) release(s *session) {
	ctx, cancel := context.WithTimeout(s.a.ctx, terminalTime)
	defer cancel()
	err := s.a.client.SendRequestNoResult(ctx, sdk.ClientMethodTerminalWaitForExit,
		sdk.WaitForTerminalExitRequest{SessionId: sdk.SessionId(s.ID()), TerminalId: t.id})
	if err == nil {
		err = s.a.client.SendRequestNoResult(ctx, sdk.ClientMethodTerminalRelease,
			sdk.ReleaseTerminalRequest{SessionId: sdk.SessionId(s.ID()), TerminalId: t.id})
	}
	if err != nil {
		s.a.o.Log.Debug("a terminal was not released", "error", err)
	}
}

// removeOutputs removes what terminals showed.
func (a *agent) removeOutputs() error {
	if a.dir == "" {
		return nil
	}
	return os.RemoveAll(filepath.Clean(a.dir))
}
