package tui

import (
	"cmp"
	"context"
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/app/session"

	"rein/app/tui/block"
	"rein/app/tui/input"
	"rein/app/tui/text"
)

// ui is the chat on the screen. Only the program's own goroutine changes it.
type ui struct {
	*display
	o        Options
	ctx      context.Context
	now      func() time.Time
	session  session.Session
	requests *pendingRequests

	line      line
	presses   presses
	pace      pace
	questions questions
	talk      talk
	bar       bar
	caller    userCaller

	turn      *turn     // nil: none runs
	joins     bool      // somebody else began a turn while one was shown
	moves     *moved    // where the session goes on after the turn; nil: here
	after     []waiting // messages for after the turn
	offered   []string  // outputs of the user's own commands: they go with the next message
	sent      bool      // a message is recorded
	ticking   bool
	leaving   bool
	asleep    bool // the shell has stopped the program
	unreached bool // the user left before the end of a turn that runs elsewhere
}

// how says how the session runs, or how a new one would.
func (u *ui) how() session.How {
	if u.session != nil {
		return u.session.How()
	}
	how, _ := u.o.Place.How() // opening the session gives the error
	return how
}

// root is the directory in which the sessions work.
func (u *ui) root() string {
	if u.o.Place.Elsewhere() && u.session != nil {
		return u.session.How().Dir // a server may have several
	}
	return u.o.Place.Root()
}

func newUI(ctx context.Context, o Options) *ui {
	u := &ui{display: newDisplay(o.Getenv), o: o, ctx: ctx, requests: o.Person.requests, now: time.Now}
	u.talk = talk{display: u.display, renderer: block.NewMarkdown(), room: u.room}
	u.o.Theme = cmp.Or(o.Theme, o.Terminal.Theme)
	u.configure(u.o.Theme, o.Terminal)
	u.questions.Words, u.line.words, u.questions.written = u.words, u.words, map[string]toldAnswer{}
	u.line.Words = u.words
	u.line.history, u.line.vi = input.OpenHistory(filepath.Join(o.Dirs.State, "history.jsonl")), o.Terminal.Vi
	if o.Ephemeral {
		u.line.history.Forget()
	}
	way, ok := chosenWay(o.Terminal.Notify, o.Getenv)
	if u.caller.Way, u.caller.Tmux = way, o.Getenv("TMUX") != ""; !ok {
		u.note(text.Warn, u.words.Of("! settings: %v", "terminal.notify: unknown value: "+o.Terminal.Notify))
	}
	u.caller.Key(u.now())
	u.bar.branch = gitBranch(u.root())
	return u
}

// Init asks the terminal for its background, and resumes what a suspended session left open.
func (u *ui) Init() tea.Cmd {
	u.presses.began = u.now()
	cmds := []tea.Cmd{readFiles(u), readCommands(u.session)}
	if u.o.Theme == "" || u.o.Theme == "auto" {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	if u.o.Greeting != "" {
		u.note(text.Dim, u.o.Greeting)
	}
	if !u.o.Resumed && u.line.history.Empty() && !u.o.Place.Elsewhere() {
		u.showFirst(u.how().Mode)
	}
	if u.session.Waiting() {
		cmds = append(cmds, u.begin(u.session.Resume))
	}
	return tea.Batch(cmds...)
}

// room is how many rows may be printed at once.
func (u *ui) room() int {
	return u.height - u.ceiling(u.now().Sub(u.scroll.Asked) < scrollSettle) - 1
}

// Update takes one message of the program.
func (u *ui) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	asked := u.questions.Len() > 0
	cmd := u.take(msg)
	if asked || u.questions.Len() > 0 {
		u.scroll.Asked = u.now()
	}
	if seq := u.caller.Take(u.now()); seq != "" {
		cmd = tea.Batch(cmd, tea.Raw(seq))
	}
	return u, tea.Batch(cmd, u.scroll.Flush(u.room(), u.now()), u.tick(), u.runOwnStatus(), u.pace.came(msg, u.now()))
}

func (u *ui) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		erase, cmd := u.resized(msg, u.now())
		_, _ = u.o.Output.WriteString(erase) // a terminal that cannot be written to ends the program at the next frame
		u.talk.fit()
		return cmd
	case tea.KeyPressMsg:
		u.caller.Key(u.now())
		return u.key(msg)
	case text.Settled:
		if u.presses.held.Counts(msg) {
			return u.pressed(msg.Key)
		}
	case tea.PasteMsg:
		u.presses.held.Came()
		u.caller.Key(u.now())
		cmd := u.pasted(msg.Content)
		u.presses.pasted = u.now()
		return cmd
	case drained:
		return u.drain()
	case rowsWritten:
		u.scroll.Busy = false
	case second:
		u.ticking = false
	case settled:
		u.sizeSettled(msg, u.now())
	case tea.BackgroundColorMsg:
		u.background(msg.IsDark())
	case tea.KeyboardEnhancementsMsg:
		u.shiftEnter = true
	case tea.FocusMsg:
		u.caller.Focus(true)
	case tea.BlurMsg:
		u.caller.Focus(false)
	case burstOver:
		return u.burstOver(msg)
	case toSleep:
		if u.asleep = true; msg.gone != nil {
			close(msg.gone)
		}
	case resumed:
		u.asleep = false
		u.settle(u.now())
	case done:
		return msg.do(u)
	case hangUp:
		return u.hangUp()
	}
	return nil
}

// done lets a command change the screen when it has finished.
type done struct{ do func(*ui) tea.Cmd }

// drained asks the program to take what is in the mailbox.
type drained struct{}

// second redraws the elapsed time.
type second struct{}

// tick asks for a redraw in a second while something runs.
func (u *ui) tick() tea.Cmd {
	if u.ticking || u.turn == nil && u.questions.Len() == 0 && len(u.session.Jobs()) == 0 {
		return nil
	}
	u.ticking = true
	wait := time.Second
	if u.questions.Len() > 0 && !u.questions.Ready(u.now()) {
		wait = requestPause / 4
	}
	return tea.Tick(wait, func(time.Time) tea.Msg { return second{} })
}
