package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"rein/app/client"
	"rein/app/server/api"
	"rein/app/sessions"
	"rein/app/tui/text"
	"rein/event"
)

// newAttach is the command rein attach.
func newAttach() *cobra.Command {
	var s signInFlags
	var n api.NewSession
	var how modelFlags // whether the terminal is a screen
	cmd := &cobra.Command{
		Use:   "attach URL [SESSION]",
		Short: "Open the chat on a session of a server",
		Long: `Open the chat on a session of a server (rein serve), together with its other clients. Without SESSION a new one begins; the end of the ID is
enough. The session stays on the server when you leave, and continues its work.

On a terminal it is the chat of rein; /help shows its commands and keys. With --plain, with --accessible and where input or output is
not a terminal it works line by line. ` + attachHelp(nil),
		Example: `  rein attach http://127.0.0.1:4096
  rein attach https://rein.example.org:8443 q7bzd --token-file ~/.rein-key`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.client(args[0])
			if err != nil {
				return err
			}
			id := ""
			if len(args) == 2 {
				if id, err = findServerSession(cmd.Context(), c, args[1]); err != nil {
					return serverError(err)
				}
			}
			if how.fullTerminal(cmd) {
				return serverError(remoteScreen(cmd.Context(), c, n, id))
			}
			a := attached{client: c, new: n, id: id, cmd: cmd, how: &how, ended: make(chan struct{}), open: map[int]api.Request{}, writing: map[string]bool{}}
			return serverError(a.run(cmd.Context()))
		},
	}
	s.add(cmd.Flags())
	how.addLines(cmd)
	cmd.Flags().StringVarP(&n.Model, "model", "m", "", "provider/name, for a new session")
	cmd.Flags().Var(modeFlag(&n.Mode), "mode", "of a new session: read-only, plan, ask, supervised, auto or full")
	cmd.Flags().StringVarP(&n.Dir, "cwd", "C", "", "the server's workspace in which a new session works (default: its first one)")
	return cmd
}

// findServerSession returns the ID of a session from the end of it.
func findServerSession(ctx context.Context, c *client.Client, end string) (string, error) {
	found, err := c.FindSessions(ctx, client.SessionQuery{Title: end, Limit: 1000})
	if err != nil {
		return "", err
	}
	found = slices.DeleteFunc(found, func(s api.Session) bool { return !strings.HasSuffix(s.ID, end) })
	switch len(found) {
	case 0:
		return end, nil // a sub-agent's session is in no list
	case 1:
		return found[0].ID, nil
	}
	return "", withExitCode(exitInput, fmt.Errorf("%d sessions end in %q: give more of the ID", len(found), end))
}

// attached is a terminal that follows a session.
type attached struct {
	client *client.Client
	cmd    *cobra.Command
	how    *modelFlags // in words or with marks
	new    api.NewSession
	id     string
	in     prompter
	editor *editingPrompter // nil: standard input is no terminal
	screen *plainScreen

	ended   chan struct{} // closed when the events have ended
	failure error         // why they have

	mu     sync.Mutex // guards what follows, and the screen
	last   int64      // number of the last event that is shown
	since  time.Time  // of the last event when the terminal came
	open   map[int]api.Request
	number int
	turns  int // messages of this terminal whose turn has not ended
	idle   chan struct{}
	files  []string // ids of uploads for the next message

	writing map[string]bool // the sessions of which a part of an answer is shown; only who follows has it

	plan string // hash of the undo that was shown last
}

func (a *attached) run(ctx context.Context) error {
	me, err := a.client.Me(ctx)
	if err != nil {
		return err
	}
	here := modelFlags{terminal: terminalHere(), accessible: a.how.accessible}
	own := here.terminal.Own
	if a.in, err = here.prompter(a.cmd, own); err != nil {
		return err
	}
	defer a.in.Close()
	out := a.cmd.OutOrStdout()
	a.screen = &plainScreen{Out: out, Asked: true, Live: true, Words: a.how.accessible, Own: own, Colour: showsColours(out)}
	if a.editor, _ = a.in.(*editingPrompter); a.editor != nil {
		a.screen.Out = a.editor.editor.Above(out)
	}
	a.note("dim", own.Of("signed in as %s at %s; /help shows the commands", signedInAs(me, own), a.client.URL))
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
		a.note("dim", own.Of("The session stays on the server. Come back with: rein attach %s %s", printable(a.client.URL), a.id))
	}
	return err
}

// list shows the newest sessions.
func (a *attached) list(ctx context.Context) error {
	all, err := a.client.Sessions(ctx)
	for _, s := range all[:min(len(all), 8)] {
		a.note("dim", fmt.Sprintf("  %s  %-11s %s", s.ID, s.State, oneLine(s.Title, 60)))
	}
	a.note("dim", a.screen.Own.Of("Your first message begins a new session."))
	return err
}

// follow shows the end of the session's conversation, and then what happens.
func (a *attached) follow(ctx context.Context) (err error) {
	s, err := a.client.Session(ctx, a.id)
	if err != nil {
		return err
	}
	past, err := a.client.Past(ctx, a.id, 0, 500)
	if err != nil {
		return err
	}
	for _, e := range past.Events {
		a.last, a.since = e.Seq, e.Time
	}
	a.note("dim", a.screen.Own.Of("session %s, %s: %s", s.ID, s.State, oneLine(s.Title, 80)))
	defer func() {
		if err == nil && s.State == api.Interrupted {
			a.note("yellow", a.screen.Own.Of("The last turn was interrupted. /resume continues it."))
		}
	}()
	showPast(sessions.LastOf(past.Events, past.More, a.how.mostOfPast()), a.screen.Own, a.screen.Own.Of("the page of the server"), func(line string) { a.note("dim", line) }, a.show)
	go func() {
		if err := followRequests(ctx, a.client, a.id, a.opened, a.closed); err != nil {
			a.note("red", "! "+printable(err.Error()))
		}
	}()
	go func() {
		defer close(a.ended)
		held := trouble{own: a.screen.Own}
		news := func(now *api.Trouble) {
			if line := held.news(now); line != "" {
				a.note("yellow", "! "+printable(line))
			}
		}
		news(s.Trouble)
		for seen, err := range a.client.Watch(ctx, a.id) {
			switch {
			case err != nil:
				a.failure = err
				return
			case seen.Event != nil:
				a.see(*seen.Event)
			case seen.Session != nil:
				news(seen.Session.Trouble)
			}
		}
	}()
	return nil
}

// see shows an event that has not been shown.
func (a *attached) see(e event.Event) {
	if e.Seq > 0 && (e.Session == a.id && e.Seq <= a.last || e.Session != a.id && !e.Time.After(a.since)) {
		return
	}
	switch e.Kind {
	case event.Delta:
		a.writing[e.Session] = true
	case event.Requested, event.Responded, event.Stopped:
		if e.Kind == event.Responded && !a.writing[e.Session] {
			a.show(shownEvent(e, a.screen.Own)) // it was recorded before the terminal followed
		}
		delete(a.writing, e.Session)
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
	say := a.screen.Own.Of
	a.note("yellow", "? "+say("request %d needs an answer:", n))
	for _, l := range linesIn(a.screen.Own, r.Shown, r.Lines) {
		a.note("", "  "+printable(l))
	}
	if r.Intent.Questions != nil {
		a.note("yellow", "  "+say("/a %d ANSWER answers, /n %d WORDS gives the model your words", n, n))
		return
	}
	a.note("yellow", "  "+say("/y %d approves, /n %d WORDS denies", n, n))
	for _, s := range r.Scopes {
		a.note("yellow", "  "+say("/%s %d approves %s", scopeKeys[s.Scope], n, printable(a.screen.Own.Fit(s.Text, scopeForms...))))
	}
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
		case errors.Is(err, errInterrupt):
			if a.stop(ctx) {
				continue
			}
			return nil
		}
		if line = strings.TrimSpace(line); line != "" {
			failed := a.do(ctx, line)
			if errors.Is(failed, errLeave) {
				return nil
			}
			if failed != nil {
				a.note("red", "! "+printable(a.screen.Own.Of(failed.Error())))
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

var errEnded = errors.New("the events have ended")

// signedInAs is who a key belongs to, with the role.
func signedInAs(me api.Me, own text.Words) string {
	if me.Name == "" {
		return own.Of("the owner")
	}
	return printable(me.Name) + " (" + me.Role + ")"
}
