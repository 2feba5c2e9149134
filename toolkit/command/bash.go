package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"rein/redact"
	"rein/sandbox"
	"rein/tool"
)

const (
	defaultBashTimeout = 120 * time.Second
	longestBashTimeout = 600 * time.Second
)

// Shell is what the tools that run shell commands share.
type Shell struct {
	Box sandbox.Sandbox // where commands run; nil is sandbox.None
	Dir string          // absolute directory where each command starts; "" is the box's
	// Jobs takes commands that go on in the background; with nil there are none, and every command is waited for.
	Jobs *sandbox.Jobs
	// Background is after how long a command goes to the background by itself; zero is 60 s, negative never.
	Background time.Duration
	// Opened gives what the command of a call may use beside what Box gives each; nil: nothing.
	Opened func(call string) sandbox.Opened
	// Refused gives the hosts that programs were kept from since a moment; nil: that is not known.
	Refused func(since time.Time) []string
	// Mask tells what could be the beginning of a secret: it is held back until the rest has come, so that no secret is
	// cut in two where a command goes to the background. Nil knows well-known shapes of keys.
	Mask *redact.Filter
	// Ask gives the call that asks the user to open what was blocked, as the model writes it; "" where nothing can
	// be asked. Nil: there is no such call.
	Ask func(sandbox.Denial) string
}

const defaultBackground = 60 * time.Second

type bashArgs struct {
	Command     string `json:"command" jsonschema:"the script, as one string; pipes, && and heredocs work" minLength:"1"`
	Timeout     int    `json:"timeout,omitempty" jsonschema:"seconds until it is stopped" minimum:"1" maximum:"600" default:"120"`
	Description string `json:"description,omitempty" jsonschema:"what the command is for, in a few words for the user"`
}

// Intent tells the command.
func (a bashArgs) Intent() tool.Intent { return tool.Intent{Command: a.Command} }

// jobArgs are the arguments where there are jobs.
type jobArgs struct {
	bashArgs
	Background bool `json:"background,omitempty" jsonschema:"start it, do not wait for its end: for servers and watchers"`
	TTY        bool `json:"tty,omitempty" jsonschema:"in the background with a terminal, to answer its questions with job_input"`
}

const bashDescription = `Run a shell command with bash in the workspace and get its output (stdout and stderr in the order written), how it ended and how long it took. Each call is a new shell: a cd or a variable does not last to the next one. There is no input and no terminal: programs that ask questions see the end of their input, and no pager or editor opens. Nothing that the command leaves running survives it.`

const bashJobsDescription = bashDescription + ` For a program that is to go on (a server, a watcher) set background: it gets a job id for job_output, job_input and job_kill. A command that takes longer than %v goes to the background by itself.`

// Bash returns the tool that runs a shell command.
func (s Shell) Bash() *tool.Tool {
	var t *tool.Tool
	const effect = tool.Reads | tool.Writes | tool.Runs
	if s.Jobs == nil {
		t = tool.New("bash", bashDescription, effect, s.run)
	} else {
		t = tool.New("bash", fmt.Sprintf(bashJobsDescription, s.background()), effect, s.runJob)
	}
	t.Input = t.Input.WithAliases(map[string]string{"cmd": "command", "script": "command", "timeout_seconds": "timeout", "run_in_background": "background"})
	// The tool keeps its own time; the runner's limit only catches a fault of ours.
	t.Timeout = longestBashTimeout + 20*time.Second
	return t
}

func (s Shell) background() time.Duration {
	if s.Background == 0 {
		return defaultBackground
	}
	return s.Background
}

func (s Shell) run(ctx context.Context, in bashArgs, r *tool.Reply) error {
	seen := &lastByte{w: r}
	result, err := sandbox.Run(ctx, s.box(), s.spec(in.Command, r.Call()), seen, in.timeout())
	if errors.Is(err, exec.ErrNotFound) {
		r.Note("bash is not installed here: run with sh")
		spec := s.spec(in.Command, r.Call())
		spec.Argv = []string{"sh", "-c", in.Command}
		result, err = sandbox.Run(ctx, s.box(), spec, seen, in.timeout())
	}
	if err != nil {
		return notStarted(err)
	}
	return s.tell(in, result, seen, r)
}

// tell ends the reply of a command that has ended.
func (s Shell) tell(in bashArgs, result sandbox.Result, seen *lastByte, r *tool.Reply) error {
	seen.endLine()
	r.Show(bashDetail{ExitCode: result.Code, Signal: signalName(result), Duration: result.Duration, TimedOut: result.TimedOut})
	if result.TimedOut {
		also := ""
		if result.Limit != "" {
			also = "; before, it ran into the limit: " + result.Limit
		}
		return &tool.Error{Kind: tool.TimedOut, Text: fmt.Sprintf("[stopped after %v: its time was up%s]", in.timeout(), also),
			Hint: "What it printed until then is above. Send a longer timeout (at most 600 seconds), or do less in one command."}
	}
	fmt.Fprintln(r, ending(result))
	s.explain(in.Command, result, seen, r)
	return nil
}

// explainer is a sandbox that can tell what it kept a program from.
type explainer interface {
	Explain(sandbox.Evidence) []sandbox.Denial
}

// explain adds, after the output and marked as the harness's words, what the sandbox blocked.
func (s Shell) explain(command string, result sandbox.Result, seen *lastByte, r *tool.Reply) {
	box, ok := s.box().(explainer)
	if !ok {
		return
	}
	e := sandbox.Evidence{Command: command, Dir: s.Dir, Output: string(seen.tail), Result: result, Opened: s.opened(r.Call())}
	if s.Refused != nil {
		e.Refused = s.Refused(time.Now().Add(-result.Duration))
	}
	denials, ask := box.Explain(e), ""
	if len(denials) > 0 && s.Ask != nil {
		ask = s.Ask(denials[0])
	}
	_, _ = io.WriteString(r, sandbox.Words(denials, s.Dir, ask))
}

func (s Shell) opened(call string) sandbox.Opened {
	if s.Opened == nil {
		return sandbox.Opened{}
	}
	return s.Opened(call)
}

func notStarted(err error) error {
	return &tool.Error{Kind: tool.Failed, Text: "The command was not started: " + err.Error()}
}

func (a bashArgs) timeout() time.Duration {
	if a.Timeout <= 0 {
		return defaultBashTimeout
	}
	return min(time.Duration(a.Timeout)*time.Second, longestBashTimeout)
}

func (s Shell) box() sandbox.Sandbox {
	if s.Box == nil {
		return sandbox.None{}
	}
	return s.Box
}

func (s Shell) spec(command, call string) sandbox.Spec {
	return sandbox.Spec{Argv: []string{"bash", "--noprofile", "--norc", "-c", command}, Dir: s.Dir, Opened: s.opened(call)}
}

// bashDetail is what the screen gets.
type bashDetail struct {
	ExitCode int           `json:"exit_code"`
	Signal   string        `json:"signal,omitempty"`
	Duration time.Duration `json:"duration_ns"`
	TimedOut bool          `json:"timed_out,omitempty"`
}

// ending is the last line of every result: how the command ended, and after how long.
func ending(result sandbox.Result) string {
	took := brief(result.Duration)
	switch {
	case result.Limit != "" && result.Signal == 0 && result.Code < 128:
		return fmt.Sprintf("[exit code %d after %s: it ran into the limit: %s]", result.Code, took, result.Limit)
	case result.Limit != "":
		return fmt.Sprintf("[stopped after %s by the limit: %s]", took, result.Limit)
	case result.Signal != 0:
		return fmt.Sprintf("[ended by signal %d (%s) after %s]", int(result.Signal), result.Signal, took)
	}
	return fmt.Sprintf("[exit code %d after %s]", result.Code, took)
}

func signalName(result sandbox.Result) string {
	if result.Signal == 0 {
		return ""
	}
	return result.Signal.String()
}

// brief writes a duration with the digits that matter.
func brief(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// lastByte remembers how the output ended, so that the harness's own line starts on a new one.
type lastByte struct {
	w    io.Writer
	last byte
	any  bool
	tail []byte // the end of the output: errors come last
}

const longestTail = 8 << 10

func (l *lastByte) Write(p []byte) (int, error) {
	if len(p) > 0 {
		l.last, l.any = p[len(p)-1], true
		l.tail = append(l.tail, p[max(0, len(p)-longestTail):]...)
		if len(l.tail) > 2*longestTail {
			l.tail = append(l.tail[:0], l.tail[len(l.tail)-longestTail:]...)
		}
	}
	return l.w.Write(p)
}

// endLine ends the last line, and says so when nothing was printed.
func (l *lastByte) endLine() {
	switch {
	case !l.any:
		_, _ = io.WriteString(l.w, "(no output)\n")
	case l.last != '\n':
		_, _ = io.WriteString(l.w, "\n")
	}
}
