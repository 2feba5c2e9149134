package task

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"rein/client"
	"rein/cmd/rein/internal/cli"
	"rein/cmd/rein/internal/console"
	"rein/event"
	"rein/guard"
	"rein/server/api"
)

const attachHelp = `A line is a message; while the session works, it waits until the turn is over. Commands:
  /y [N]          approve request N; without N the only one that is open
  /s [N]          approve it, and calls of its kind, for this session
  /n [N] [WORDS]  deny it, with words for the model
  /steer TEXT     a message for the model's next request, while it works
  /stop           stop the turn (Ctrl-C does it too)
  /quit           leave (Ctrl-D does it too); the session goes on`

// NewAttach is the command rein attach.
func NewAttach() *cobra.Command {
	var s signIn
	var n api.NewSession
	cmd := &cobra.Command{
		Use:   "attach URL [SESSION]",
		Short: "Follow and steer a session of a server from this terminal",
		Long: `Follow and steer a session of a server (rein serve) from this terminal, together with its other clients. Without SESSION
a new one begins with your first message. The session stays on the server when you leave.

` + attachHelp,
		Example: `  rein attach http://127.0.0.1:4096
  rein attach https://rein.example.org:8443 q7bzd --token-file ~/.rein-key`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.client(args[0])
			if err != nil {
				return err
			}
			a := attached{client: c, new: n, cmd: cmd, ended: make(chan struct{}), open: map[int]api.Request{}}
			if len(args) == 2 {
				a.id = args[1]
			}
			return serverError(a.run(cmd.Context()))
		},
	}
	s.add(cmd.Flags())
	cmd.Flags().StringVarP(&n.Model, "model", "m", "", "provider/name, for a new session")
	cmd.Flags().Var(cli.Mode(&n.Mode), "mode", "of a new session: read-only, plan, supervised, auto or full")
	cmd.Flags().StringVarP(&n.Dir, "cwd", "C", "", "the server's workspace in which a new session works (default: its first one)")
	return cmd
}

// attached is a terminal that follows a session.
type attached struct {
	client *client.Client
	cmd    *cobra.Command
	new    api.NewSession
	id     string
	in     prompter
	editor *editingPrompter // nil: standard input is no terminal
	screen *console.Screen

	ended   chan struct{} // closed when the events have ended
	failure error         // why they have

	mu     sync.Mutex // guards what follows, and the screen
	last   int64      // number of the last event that is shown
	since  time.Time  // of the last event when the terminal came
	open   map[int]api.Request
	number int
	turns  int // messages of this terminal whose turn has not ended
	idle   chan struct{}
}

func (a *attached) run(ctx context.Context) error {
	me, err := a.client.Me(ctx)
	if err != nil {
		return err
	}
	here := asking{terminal: console.NewTerminal(os.Stdin, os.Stderr)}
	if a.in, err = here.prompter(a.cmd); err != nil {
		return err
	}
	defer a.in.Close()
	out := a.cmd.OutOrStdout()
	a.screen = &console.Screen{Out: out, Asked: true, Colour: console.Colours256(out)}
	if a.editor, _ = a.in.(*editingPrompter); a.editor != nil {
		a.screen.Out = a.editor.editor.Above(out)
	}
	who := me.Name
	if who == "" {
		who = "the owner"
	}
	a.note("dim", fmt.Sprintf("signed in as %s (%s) at %s; /help shows the commands", console.Printable(who), me.Role, a.client.URL))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if a.id != "" {
		err = a.follow(ctx)
	} else {
		err = a.list(ctx)
	}
	if err == nil {
		err = a.chat(ctx)
	}
	cancel()
	if a.id != "" {
		a.note("dim", "Session "+a.id+" stays on the server.")
	}
	return err
}

// list shows the newest sessions.
func (a *attached) list(ctx context.Context) error {
	all, err := a.client.Sessions(ctx)
	for _, s := range all[:min(len(all), 8)] {
		a.note("dim", fmt.Sprintf("  %s  %-11s %s", s.ID, s.State, console.OneLine(s.Title, 60)))
	}
	a.note("dim", "Your first message begins a new session.")
	return err
}

// follow shows the last turn of the session, and then what happens.
func (a *attached) follow(ctx context.Context) error {
	s, err := a.client.Session(ctx, a.id)
	if err != nil {
		return err
	}
	past, err := a.client.Past(ctx, a.id, 0, 500)
	if err != nil {
		return err
	}
	begin := 0
	for i, e := range past.Events {
		if e.Kind == event.Prompted {
			begin = i
		}
		a.last, a.since = e.Seq, e.Time
	}
	a.note("dim", fmt.Sprintf("session %s, %s: %s", s.ID, s.State, console.OneLine(s.Title, 80)))
	for _, e := range past.Events[begin:] {
		a.show(e)
		a.said(e)
	}
	go func() {
		if err := followRequests(ctx, a.client, a.id, a.opened, a.closed); err != nil {
			a.note("red", "! "+console.Printable(err.Error()))
		}
	}()
	go func() {
		defer close(a.ended)
		for e, err := range a.client.Events(ctx, a.id) {
			if err != nil {
				a.failure = err
				return
			}
			a.see(e)
		}
	}()
	return nil
}

// see shows an event that has not been shown.
func (a *attached) see(e event.Event) {
	if e.Seq > 0 && (e.Session == a.id && e.Seq <= a.last || e.Session != a.id && !e.Time.After(a.since)) {
		return
	}
	a.show(e)
	if e.Session != a.id || e.Kind != event.Stopped {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.turns > 0 {
		a.turns--
	}
	if a.turns == 0 && a.idle != nil {
		close(a.idle)
		a.idle = nil
	}
}

func (a *attached) show(e event.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_ = a.screen.Show(e) // who cannot be shown anything still has the session on the server
}

// said shows the text of a recorded answer, whose pieces are not recorded.
func (a *attached) said(e event.Event) {
	if e.Kind == event.Responded && e.Text != "" {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.screen.Text(console.Printable(e.Text) + "\n")
	}
}

func (a *attached) note(colour, text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.screen.Line(colour, text)
}

func (a *attached) opened(r api.Request) {
	a.mu.Lock()
	a.number++
	n := a.number
	a.open[n] = r
	a.mu.Unlock()
	a.note("yellow", fmt.Sprintf("? request %d needs an answer:", n))
	for _, l := range r.Lines {
		a.note("", "  "+console.Printable(l))
	}
	answers := fmt.Sprintf("/y %d approves, /n %d WORDS denies", n, n)
	if r.Intent.Questions != nil {
		answers = fmt.Sprintf("it is a question: the page can answer it; /n %d WORDS gives the model your words", n)
	}
	a.note("yellow", "  "+answers)
}

func (a *attached) closed(r api.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for n, o := range a.open {
		if o.Session == r.Session && o.Call == r.Call && o.Hash == r.Hash {
			delete(a.open, n)
		}
	}
}

// chat reads lines until the person leaves.
func (a *attached) chat(ctx context.Context) error {
	for {
		line, err := a.line(ctx)
		switch {
		case errors.Is(err, errEnded):
			return a.failure
		case errors.Is(err, console.ErrInterrupt):
			if a.stop(ctx) {
				continue
			}
			return nil
		}
		if line = strings.TrimSpace(line); line != "" {
			if leave, failed := a.do(ctx, line); failed != nil {
				a.note("red", "! "+console.Printable(failed.Error()))
			} else if leave {
				return nil
			}
		}
		if errors.Is(err, io.EOF) {
			return a.finish(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// line reads one line; errEnded when the events end before.
func (a *attached) line(ctx context.Context) (string, error) {
	if a.editor == nil {
		return a.in.Line(ctx)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-a.ended:
			cancel(errEnded)
		case <-ctx.Done():
		}
	}()
	return a.editor.edited(ctx)
}

// finish waits for the turns of the messages that came from a pipe.
func (a *attached) finish(ctx context.Context) error {
	if a.editor != nil {
		return nil
	}
	a.mu.Lock()
	idle := make(chan struct{})
	if a.turns > 0 {
		a.idle = idle
	} else {
		close(idle)
	}
	a.mu.Unlock()
	select {
	case <-idle:
	case <-a.ended:
		return a.failure
	case <-ctx.Done():
	}
	return nil
}

// stop stops the turn; it reports whether there was one.
func (a *attached) stop(ctx context.Context) bool {
	return a.id != "" && a.client.Cancel(ctx, a.id) == nil
}

// do obeys one line.
func (a *attached) do(ctx context.Context, line string) (leave bool, err error) {
	name, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch name {
	case "/quit", "/exit":
		return true, nil
	case "/help":
		a.note("", attachHelp)
	case "/stop":
		if !a.stop(ctx) {
			err = errors.New("nothing is at work")
		}
	case "/y":
		err = a.answer(ctx, rest, guard.Answer{Choice: guard.Approved})
	case "/s":
		err = a.answer(ctx, rest, guard.Answer{Choice: guard.Approved, Scope: guard.ForSession})
	case "/n":
		err = a.answer(ctx, rest, guard.Answer{Choice: guard.Denied})
	case "/steer":
		err = a.send(ctx, rest, true)
	default:
		err = a.send(ctx, line, false)
	}
	return false, err
}

func (a *attached) send(ctx context.Context, text string, steer bool) error {
	if a.id == "" {
		a.new.Text = text
		s, err := a.client.Start(ctx, a.new)
		if err != nil {
			return err
		}
		a.id, a.turns = s.ID, 1
		return a.follow(ctx)
	}
	a.mu.Lock()
	a.turns++
	a.mu.Unlock()
	sent, err := a.client.Send(ctx, a.id, api.NewMessage{ID: rand.Text(), Text: text, Steer: steer})
	if err != nil || sent.State == "steered" {
		a.mu.Lock()
		a.turns--
		a.mu.Unlock()
	}
	if err == nil && sent.State == "queued" {
		a.note("dim", "it is sent when the turn is over")
	}
	return err
}

// answer answers the request that the text begins with the number of, or the only one.
func (a *attached) answer(ctx context.Context, text string, with guard.Answer) error {
	n := 0
	first, words, _ := strings.Cut(text, " ")
	if _, err := fmt.Sscanf(first, "%d", &n); err == nil {
		text = strings.TrimSpace(words)
	}
	a.mu.Lock()
	r, ok := a.open[n]
	if n == 0 && len(a.open) == 1 {
		for _, r = range a.open {
			ok = true
		}
	}
	a.mu.Unlock()
	if !ok {
		return errors.New("which request? Give the number of an open one")
	}
	if with.Choice == guard.Denied {
		with.Words = text
	}
	counts, err := sendAnswer(ctx, a.client, r, with)
	if err == nil && counts.Choice != with.Choice {
		a.note("yellow", "  too late, it was answered elsewhere: "+console.Printable(counts.String()))
	}
	return err
}

var errEnded = errors.New("the events have ended")
