// Package tui is the face for a terminal: finished text goes into the terminal's own scrollback, and below it a small live
// part shows what runs, the approval requests that wait, the line in which the user writes, and the status. It knows the
// harness and its events.
package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"rein/harness"
	"rein/tui/signals"
	"rein/tui/text"
)

// Options say what the screen shows and where. The zero values of all but Harness, Session and Person work.
type Options struct {
	Harness *harness.Harness
	Session *harness.Session
	Person  *Person // the one that Harness asks
	Resumed bool    // the session is not new: its last messages are shown
	Version string
	Program string // rein itself, for commands that only its own commands can do; "": this program

	Input  io.Reader           // nil: standard input
	Output *os.File            // nil: standard output
	Getenv func(string) string // nil: os.Getenv
	Theme  string              // dark, light, auto or none; "" is auto
}

// Run shows the session until the user leaves or ctx is done. It gives the session that was open at last: it is another
// one than at the start after /clear or /resume. The caller closes the harness.
func Run(ctx context.Context, o Options) (*harness.Session, error) {
	if o.Input == nil {
		o.Input = os.Stdin
	}
	if o.Output == nil {
		o.Output = os.Stdout
	}
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	u := newUI(context.WithoutCancel(ctx), o) // a turn is suspended before it is cancelled: see hangUp
	u.greet(o.Output)
	p := tea.NewProgram(u, tea.WithInput(o.Input), tea.WithOutput(o.Output), tea.WithColorProfile(colorprofile.TrueColor),
		tea.WithoutSignalHandler(), tea.WithFPS(fps(o.Getenv)), tea.WithEnvironment(environment(o.Getenv)))
	done := make(chan struct{})
	go u.box.Deliver(func() { p.Send(drained{}) }, done)
	go signals.Watch(ctx, p, done)
	_, err := p.Run()
	close(done)
	u.stopTurn()
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, tea.ErrProgramKilled) {
		err = nil
	}
	u.farewell(o.Output)
	return u.session, err
}

// fps is how often the screen is drawn at most: over ssh less often.
func fps(getenv func(string) string) int {
	if getenv("SSH_CONNECTION") != "" {
		return 30
	}
	return 60
}

// environment is what the renderer may know: it would run tmux to ask for colours, and ours come from the theme.
func environment(getenv func(string) string) []string {
	var env []string
	for _, name := range []string{"TERM", "TERM_PROGRAM", "SSH_TTY", "SSH_CONNECTION", "WT_SESSION", "COLORTERM"} {
		if v := getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// greet writes the header before the first frame: the live part never stands in the first row of the screen.
func (u *ui) greet(out io.Writer) {
	for _, l := range u.header() {
		fmt.Fprint(out, u.theme.Render(l)+"\r\n")
	}
}

// farewell says how to come back.
func (u *ui) farewell(out io.Writer) {
	if !u.sent && !u.o.Resumed {
		return
	}
	how := "rein -r " + u.session.ID()
	if u.session.Waiting() {
		how += "   (it is suspended: calls wait to be run)"
	}
	fmt.Fprintln(out, u.theme.Render(text.Line{text.In(text.Dim, "go on with: "), text.In(text.Plain, how)}))
}

// leaveTime is how soon the second Ctrl+C must come.
const leaveTime = time.Second
