// Package command makes the tools that run shell commands: bash, and the tools for background jobs.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"time"

	"rein/kit/sandbox"
	"rein/redact"
	"rein/tool"
)

const (
	defaultTimeout    = 120 * time.Second
	longestTimeout    = 600 * time.Second
	defaultBackground = 60 * time.Second
)

// Shell is what the tools that run shell commands share. The zero value runs commands without a sandbox, in the
// directory of the process.
type Shell struct {
	Box sandbox.Sandbox // where commands run; nil is sandbox.None
	Dir string          // absolute directory where each command starts; "" is the sandbox's own
	// Jobs holds the commands that run in the background. Nil: there are no jobs, each call waits for its command.
	Jobs *sandbox.Jobs
	// Background is how long a call waits before its command goes to the background. Zero means 60 s; a negative value
	// means that this never happens.
	Background time.Duration
	// Opened returns the access that was granted to a call, beyond the sandbox. Nil: none.
	Opened func(call string) sandbox.Opened
	// Hold keeps what a call was granted after its end, until release is called: its command runs on in the background. Nil: nothing is kept.
	Hold func(call string) (release func())
	// ReadOnly reports whether a call may change nothing: its command runs with a read-only workspace then. Nil: it may.
	ReadOnly func(call string) bool
	// Lost returns the hosts that the proxy refused to programs since a time, and those that were open and did not answer, with the
	// reason. Nil: that is not known.
	Lost func(since time.Time) (refused, unreachable []string)
	// Elsewhere returns a note for the model where a command failed because it looked for a server in the wrong place, else "". Nil:
	// there is none.
	Elsewhere func(command, output string, code int) string
	// Mask finds what may be the start of a secret. Such text is held back until the rest arrives, so that a command that
	// goes to the background does not show a secret in two halves. Nil knows well-known shapes of keys.
	Mask *redact.Filter
	// Ask returns the call of request_access that the model should send for what the sandbox blocked; "" if no access can
	// be granted. Nil: there is no such tool.
	Ask func(sandbox.Denial) string
	// Env returns further variables of a call's program, as NAME=value. Nil: none.
	Env func(call string) []string
}

type bashArgs struct {
	Command     string `json:"command" minLength:"1"`
	Timeout     int    `json:"timeout,omitempty" jsonschema:"seconds" minimum:"1" maximum:"600" default:"120"`
	Description string `json:"description,omitempty" jsonschema:"purpose of the command in a few words, for the user"`
}

// Intent is the whole command.
func (a bashArgs) Intent() tool.Intent { return tool.Intent{Command: a.Command} }

// jobArgs are the arguments of bash where there are jobs.
type jobArgs struct {
	bashArgs
	Background bool `json:"background,omitempty" jsonschema:"do not wait for its end"`
	TTY        bool `json:"tty,omitempty" jsonschema:"start it in the background with a terminal, to answer its questions with job_input"`
}

const bashDescription = `Run a bash script in the workspace. The result has output, exit code, duration. Each call is a new shell: cd and variables do not last. There is no input and no terminal. Processes left behind are killed. Files for others go in the workspace, not /tmp.`

const bashJobsDescription = bashDescription + ` To keep a server or a watcher running, set background: the result has a job id for job_output, job_input and job_kill.`

const bashSlowDescription = ` A command that takes longer than %.0f seconds goes to the background by itself.`

// Bash returns the tool that runs a shell command. A command that ends with an exit code other than 0 is not a failed
// call: detail.Command has the code.
func (s Shell) Bash() *tool.Tool {
	var t *tool.Tool
	const effect = tool.Reads | tool.Writes | tool.Runs // Runs includes the network: the sandbox decides what programs reach
	if s.Jobs == nil {
		t = tool.New("bash", bashDescription, effect, s.run)
	} else {
		t = tool.New("bash", bashJobsDescription, effect, s.runJob)
		if after := s.background(); after > 0 {
			t.Description += fmt.Sprintf(bashSlowDescription, after.Seconds())
		}
	}
	t.Input = t.Input.WithAliases(map[string]string{"cmd": "command", "script": "command", "timeout_seconds": "timeout", "run_in_background": "background"})
	// The tool keeps its own time; the runner's limit only catches a fault of ours.
	t.Timeout = longestTimeout + 20*time.Second
	return t
}

func (s Shell) background() time.Duration {
	if s.Background == 0 {
		return defaultBackground
	}
	return s.Background
}

func (s Shell) run(ctx context.Context, in bashArgs, r *tool.Reply) error {
	out := &tail{w: r}
	result, err := sandbox.Run(ctx, s.box(), s.spec(in.Command, r.Call()), out, in.timeout())
	if errors.Is(err, exec.ErrNotFound) {
		r.Note("bash is not installed; the command ran with sh")
		spec := s.spec(in.Command, r.Call())
		spec.Argv = []string{"sh", "-c", in.Command}
		result, err = sandbox.Run(ctx, s.box(), spec, out, in.timeout())
	}
	if err != nil {
		return failed(err)
	}
	return s.finish(in, result, out, r)
}

// finish ends the reply of a command that has ended.
func (s Shell) finish(in bashArgs, result sandbox.Result, out *tail, r *tool.Reply) error {
	out.endLine()
	var denials []sandbox.Denial
	var e sandbox.Evidence // of the network
	if s.Lost != nil {
		e.Refused, e.Unreachable = s.Lost(result.Started)
	}
	if !result.TimedOut {
		denials = s.denials(in.Command, result, out, e, r)
	}
	show(r, s.ended(result, denials))
	if result.TimedOut {
		limit := ""
		if result.Limit != "" {
			limit = "; before that it reached the limit: " + result.Limit
		}
		return &tool.Error{Kind: tool.TimedOut, Text: fmt.Sprintf("[stopped after the timeout of %v%s]", in.timeout(), limit),
			Hint: "The output until then is above. Set background, a longer timeout (at most 600 seconds), or do less in one command."}
	}
	fmt.Fprintln(r, ending(result))
	_, _ = io.WriteString(r, leftNote(result))
	if len(denials) > 0 {
		_, _ = io.WriteString(r, s.note(r.Call(), denials))
	}
	_, _ = io.WriteString(r, sandbox.UnreachableNote(e.Unreachable))
	if s.Elsewhere != nil && len(denials) == 0 {
		_, _ = io.WriteString(r, s.Elsewhere(in.Command, string(out.end), result.Code))
	}
	return nil
}

// note is the message to the model about what the sandbox blocked. In a read-only workspace no place can be asked for.
func (s Shell) note(call string, denials []sandbox.Denial) string {
	if s.readOnly(call) {
		return sandbox.Note(denials, "", "")
	}
	ask := ""
	if s.Ask != nil {
		ask = s.Ask(denials[0])
	}
	return sandbox.Note(denials, s.Dir, ask)
}

// explainer is a sandbox that can explain what it blocked.
type explainer interface {
	Explain(sandbox.Evidence) []sandbox.Denial
}

// denials are what the sandbox blocked, as far as it can be concluded. e is what is known of the network.
func (s Shell) denials(command string, result sandbox.Result, out *tail, e sandbox.Evidence, r *tool.Reply) []sandbox.Denial {
	box, ok := s.box().(explainer)
	if !ok {
		return nil
	}
	e.Command, e.Dir, e.Output, e.Result = command, s.Dir, string(out.end), result
	e.Opened, e.ReadOnly = s.opened(r.Call()), s.readOnly(r.Call())
	return box.Explain(e)
}

func (s Shell) opened(call string) sandbox.Opened {
	if s.Opened == nil {
		return sandbox.Opened{}
	}
	return s.Opened(call)
}

// failed says why a command was not started, or has no result.
func failed(err error) error {
	if errors.Is(err, sandbox.ErrCut) {
		return &tool.Error{Kind: tool.Failed, Text: "The command was killed: " + err.Error() + ". What it did until then stays.", Hint: anew}
	}
	e := &tool.Error{Kind: tool.Failed, Text: "The command was not started: " + err.Error()}
	if errors.Is(err, exec.ErrNotFound) && runtime.GOOS == "windows" {
		e.Hint = "No shell is installed. Tell the user that Git for Windows brings bash, and that rein finds it once git is in PATH."
	}
	if errors.Is(err, sandbox.ErrGone) {
		e.Hint = anew
	}
	return e
}

// anew is what helps where the sandbox is gone.
const anew = "No command runs in this session any more. Tell the user to leave it and continue it: that opens the sandbox anew."

func (a bashArgs) timeout() time.Duration {
	if a.Timeout <= 0 {
		return defaultTimeout
	}
	return min(time.Duration(a.Timeout)*time.Second, longestTimeout)
}

func (s Shell) box() sandbox.Sandbox {
	if s.Box == nil {
		return sandbox.None{}
	}
	return s.Box
}

func (s Shell) spec(command, call string) sandbox.Spec {
	spec := sandbox.Spec{Argv: []string{"bash", "--noprofile", "--norc", "-c", command}, Dir: s.Dir, Opened: s.opened(call), ReadOnly: s.readOnly(call)}
	if s.Env != nil {
		spec.Env = s.Env(call)
	}
	return spec
}

func (s Shell) readOnly(call string) bool { return s.ReadOnly != nil && s.ReadOnly(call) }
