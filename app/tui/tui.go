// Package tui shows a session on a terminal and lets a person lead it: finished text goes into the terminal's own scrollback, and below it a small live
// part shows what runs, the approval requests that wait, the line in which the user writes, and the status. It knows the
// harness and its events.
package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"rein/app/catalogue"
	"rein/app/session"
	"rein/app/settings"
	"rein/app/tui/text"
)

// Options say what the screen shows and where. Place and Person must be set.
type Options struct {
	Place     session.Place       // where the sessions are
	Person    *Person             // the one that they ask
	Catalogue catalogue.Catalogue // what the lists show and change
	Resumed   bool                // the session is not new: its last messages are shown
	Ephemeral bool                // what is written is not kept for later chats
	Version   string
	Program   string // rein itself, for what only its own commands can do; "": this program

	Input    io.Reader           // nil: standard input
	Output   *os.File            // nil: standard output
	Getenv   func(string) string // nil: os.Getenv
	Greeting string              // a line above the conversation; "": none
	Theme    string              // dark, light, auto or none; "" is auto

	Terminal   settings.Terminal
	StatusLine settings.StatusLine
	Dirs       settings.Dirs // of the user's settings, and of the history
}

// Screen is the chat on a terminal. Open makes it, then Run or Close follows.
type Screen struct {
	u     *ui
	drawn bool
	quiet func() // gives the terminal back as it was before the first frame
}

// Open prepares the screen for a session. Where the session is a new one it draws the first frame at once: to open a session
// takes longer than all that comes before, and the user sees where to write meanwhile. The terminal keeps what is typed.
func Open(ctx context.Context, o Options) *Screen {
	if o.Input == nil {
		o.Input = os.Stdin
	}
	if o.Output == nil {
		o.Output = os.Stdout
	}
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	s := &Screen{u: newUI(context.WithoutCancel(ctx), o)} // a turn is suspended before it is cancelled: see hangUp
	if width, height, err := term.GetSize(int(o.Output.Fd())); err == nil && width > 0 && height > 0 {
		s.u.width, s.u.height = width, height
		if in, ok := o.Input.(*os.File); ok && !o.Resumed {
			s.drawn, s.quiet = true, keepTyped(in)
			_, _ = io.WriteString(o.Output, s.first()) // the program reports a terminal that cannot be written to
		}
	}
	return s
}

// first draws the header and an empty live part.
func (s *Screen) first() string {
	v := s.u.View()
	return drawFirst(s.headerRows(), v.Content, v.Cursor.X, v.Cursor.Y)
}

// Close removes the first frame, where there is no session to show.
func (s *Screen) Close() {
	if s.drawn {
		s.quiet()
		_, _ = io.WriteString(s.u.o.Output, ansi.RestoreCursor+ansi.EraseScreenBelow+ansi.ResetModeBracketedPaste) // nothing follows that could fail for it
	}
}

// Run shows the session until the user leaves or ctx is done. It returns the session that was open at last: it is another
// one than at the start after /clear or /resume. The caller closes the harness.
func (s *Screen) Run(ctx context.Context, on session.Session) (session.Session, error) {
	u, o := s.u, s.u.o
	u.session = on
	greeting := s.headerRows() // the live part never stands in the first row of the screen
	if s.drawn {
		s.quiet() // the program sets its own mode now, and returns to this one
		greeting = ansi.RestoreCursor + greeting
	}
	if o.Resumed {
		u.talk.showPast(on, o.Place.SeeAll(on.ID()))
		greeting += u.scroll.Before()
	}
	if _, err := io.WriteString(o.Output, greeting); err != nil {
		return on, err
	}
	p := tea.NewProgram(u, tea.WithInput(o.Input), tea.WithOutput(o.Output), tea.WithColorProfile(colorprofile.TrueColor),
		tea.WithoutSignalHandler(), tea.WithFPS(fps(o.Getenv)), tea.WithEnvironment(rendererEnvironment(o.Getenv)))
	done := make(chan struct{})
	go u.requests.Box.Deliver(func() { p.Send(drained{}) }, done)
	go watchSignals(ctx, p, done)
	_, err := p.Run()
	close(done)
	u.turn.leave(u.requests)
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, tea.ErrProgramKilled) {
		err = nil
	}
	s.farewell(o.Output)
	return u.session, err
}

// header is the first line of the screen.
func (s *Screen) header() []text.Line {
	u := s.u
	left := text.Line{text.Bold(text.Plain, "rein"), text.In(text.Dim, " "+u.o.Version+"  "), text.In(text.Plain, shortDir(u.root()))}
	if u.bar.branch != "" {
		left = append(left, text.In(text.Dim, "  "+u.bar.branch))
	}
	how := u.how()
	right := text.Of(text.Dim, shortModel(how.Model))
	return []text.Line{text.Spread(left, right, u.textWidth())}
}

// headerRows are the rows above the first frame, each with its end.
func (s *Screen) headerRows() string {
	var b strings.Builder
	for _, l := range s.header() {
		b.WriteString(s.u.theme.Render(l) + ansi.EraseLineRight + "\r\n")
	}
	return b.String()
}

// farewell says what ends now, and how to come back.
func (s *Screen) farewell(out io.Writer) {
	u := s.u
	for _, words := range endingJobs(u) {
		fmt.Fprintln(out, u.theme.Render(text.Of(text.Dim, words).Cut(u.width-1)))
	}
	if u.unreached {
		fmt.Fprintln(out, u.theme.Render(text.Of(text.Warn, u.words.Of("! the stop was not confirmed: the turn may go on")).Cut(u.width-1)))
	}
	if !u.sent && !u.o.Resumed {
		return
	}
	fmt.Fprintln(out, u.theme.Render(text.Line{text.In(text.Dim, u.words.Of("continue with: ")), text.In(text.Plain, u.o.Place.Again(u.session.ID()))}))
	if !u.o.Place.Elsewhere() && !u.how().Joined && u.session.Waiting() {
		fmt.Fprintln(out, u.theme.Render(text.Of(text.Dim, u.words.Of("it is suspended: calls wait to be run"))))
	}
}
