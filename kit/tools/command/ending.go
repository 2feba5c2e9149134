package command

import (
	"fmt"
	"io"
	"time"

	"rein/kit/sandbox"
	"rein/tool"
)

// show sets the data for the screen.
func show(r *tool.Reply, c tool.CommandDetail) { r.Show(tool.Detail{Command: &c}) }

// ended is the data of a command that has ended.
func (s Shell) ended(result sandbox.Result, denials []sandbox.Denial) tool.CommandDetail {
	c := tool.CommandDetail{Cwd: s.Dir, ExitCode: result.Code, Signal: signalName(result), TimedOut: result.TimedOut, Limit: result.Limit, Duration: result.Duration, Left: left(result)}
	for _, d := range denials {
		c.Blocked = append(c.Blocked, tool.Blocked{Kind: string(d.Kind), Target: d.Target, Certain: d.Certain})
	}
	return c
}

// ending is the last line of every result: how the command ended, and its duration.
func ending(result sandbox.Result) string {
	took := brief(result.Duration)
	switch {
	case result.Limit != "" && result.Signal == 0 && result.Code < 128:
		return fmt.Sprintf("[exit code %d after %s; it reached the limit: %s]", result.Code, took, result.Limit)
	case result.Limit != "":
		return fmt.Sprintf("[stopped after %s by the limit: %s]", took, result.Limit)
	case result.Signal != 0:
		return fmt.Sprintf("[ended by signal %d (%s) after %s]", int(result.Signal), result.Signal, took)
	}
	return fmt.Sprintf("[exit code %d after %s]", result.Code, took)
}

// leftNote says that processes ended with the shell that had started them; "" where none did.
func leftNote(result sandbox.Result) string {
	n := left(result)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("[what the script left running was ended with it (processes: %d). To keep a server or a watcher running, call bash with background and without &.]\n", n)
}

// left is how many processes ended because the shell that had started them ended by itself.
func left(result sandbox.Result) int {
	if result.Signal != 0 || result.TimedOut || result.Cancelled {
		return 0
	}
	return result.Left
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

// tail passes output on and keeps its end: errors come last, and the harness's own line must start on a new line.
type tail struct {
	w    io.Writer
	last byte
	any  bool
	end  []byte
}

const longestTail = 8 << 10

func (t *tail) Write(p []byte) (int, error) {
	if len(p) > 0 {
		t.last, t.any = p[len(p)-1], true
		t.end = append(t.end, p[max(0, len(p)-longestTail):]...)
		if len(t.end) > 2*longestTail {
			t.end = append(t.end[:0], t.end[len(t.end)-longestTail:]...)
		}
	}
	return t.w.Write(p)
}

// endLine ends the last line. If nothing was printed, it says so.
func (t *tail) endLine() {
	switch {
	case !t.any:
		_, _ = io.WriteString(t.w, "(no output)\n")
	case t.last != '\n':
		_, _ = io.WriteString(t.w, "\n")
	}
}
