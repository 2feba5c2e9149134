package tui

import (
	"context"
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/harness"
	"rein/harness/settings"
	"rein/tool"
	"rein/tui/approval"
	"rein/tui/block"
	"rein/tui/complete"
	"rein/tui/inline"
	"rein/tui/input"
	"rein/tui/keys"
	"rein/tui/markdown"
	"rein/tui/notify"
	"rein/tui/pending"
	"rein/tui/place"
	"rein/tui/scroll"
	"rein/tui/session"
	"rein/tui/signals"
	"rein/tui/text"
)

// ui is the state of the screen. Only the program's own goroutine changes it.
type ui struct {
	o        Options
	ctx      context.Context
	session  session.Session
	custom   []complete.Offer // slash commands of files and skills
	requests *pending.Requests
	now      func() time.Time

	theme   *text.Theme
	colours map[string]string
	marks   block.Marks
	width   int
	height  int
	keys    keys.Map
	images  inline.Protocol

	editor    input.Editor
	history   *input.History
	vi        bool     // Esc begins normal mode
	normal    bool     // letters are commands of vi
	commands  input.Vi // what is typed of one
	popup     complete.Popup
	files     *complete.List // of the workspace; nil: not read yet
	agents    []complete.Offer
	clips     []tool.Part // images of the clipboard that the line names
	chord     string
	chordAt   time.Time
	questions approval.List
	telling   *approval.Question // the next message is about it: the reason of a denial, an answer, or a change of the call
	changing  bool               // it is a change of the call
	keeping   string             // it is the rules that are kept in this file
	scroll    scroll.Scroll
	talk      talk
	screen    screen // a full-screen view; nil: none
	turn      *turn
	past      bool // what is printed happened before the session was opened
	sent      bool // a message was sent
	offered   []string
	attached  []tool.Part // of the message that is printed next

	resize      resize
	began       time.Time // the program
	pressed     time.Time // the last Ctrl+C
	pressedKeys int
	burst       keys.Burst
	hint        string // one line for the user, until the next key
	caller      notify.Caller
	keyboard    bool // the terminal tells Shift+Enter from Enter
	branch      string
	offline     string // why there is no connection to the session
	joins       bool   // somebody else began a turn while one was shown

	ticking  bool
	verbose  bool
	showPlan bool
	leaving  bool
	own      ownStatus
	window   struct { // of the model, in tokens; 0: not known
		model  string
		tokens int64
	}
	lastView  []text.Line
	lastCaret caret
}

type caret struct{ x, y int }

// how says how the session runs, or how a new one would.
func (u *ui) how() session.How {
	if u.session != nil {
		return u.session.How()
	}
	how, _ := u.o.Place.How() // opening the session gives the error
	return how
}

// here returns the session where it is one of this process.
func (u *ui) here() (*harness.Session, bool) {
	s, ok := u.session.(interface{ Here() *harness.Session })
	if !ok {
		return nil, false
	}
	return s.Here(), true
}

// root is the directory in which the sessions work.
func (u *ui) root() string {
	if u.o.Harness == nil && u.session != nil {
		return u.session.How().Dir // a server may have several
	}
	return u.o.Place.Root()
}

func newUI(ctx context.Context, o Options) *ui {
	if o.Harness != nil {
		o.Terminal, o.Dirs = o.Harness.Settings().Terminal, o.Harness.Dirs()
	}
	u := &ui{o: o, ctx: ctx, requests: o.Person.requests, now: time.Now, theme: text.UnknownTheme(text.NoColour),
		marks: block.Unicode(), width: 80, height: 24, keys: keys.Default()}
	u.scroll.Last = scroll.Loose // the header
	u.talk.renderer = markdown.New()
	u.history = input.OpenHistory(filepath.Join(o.Dirs.State, "history.jsonl"))
	u.configure(o.Terminal)
	u.branch = place.Branch(u.root())
	return u
}

// configure takes the user's settings. What cannot be used is shown and left out.
func (u *ui) configure(t settings.Terminal) {
	if u.o.Theme == "" {
		u.o.Theme = t.Theme
	}
	u.colours = t.Colours
	u.setTheme(text.ThemeNamed(u.o.Theme, u.o.Getenv))
	if t.ASCII {
		u.marks = block.ASCII()
	}
	own, err := u.keys.With(t.Keys)
	if err != nil {
		u.note(text.Warn, "! settings: "+err.Error())
	}
	u.keys, u.vi = own, t.Vi
	if u.images = inline.Protocol(t.Images); t.Images == "" || t.Images == "auto" {
		u.images = inline.Detect(u.o.Getenv)
	}
	u.caller.Tmux = u.o.Getenv("TMUX") != ""
	way, ok := notify.Chosen(t.Notify, u.o.Getenv)
	if u.caller.Way = way; !ok {
		u.note(text.Warn, "! settings: terminal.notify: unknown value: "+t.Notify)
	}
	u.caller.Key(u.now())
}

// setTheme takes a theme, with the user's own colours.
func (u *ui) setTheme(t *text.Theme) {
	own, err := t.With(u.colours)
	if err != nil {
		u.note(text.Warn, "! settings: "+err.Error())
		u.colours, own = nil, t
	}
	u.theme = own
}

// Init asks the terminal for its background, and resumes what a suspended session left open.
func (u *ui) Init() tea.Cmd {
	u.began = u.now()
	cmds := []tea.Cmd{u.readFiles(), u.readCommands()}
	if u.o.Theme == "" || u.o.Theme == "auto" {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	if u.o.Greeting != "" {
		u.note(text.Dim, u.o.Greeting)
	}
	if !u.o.Resumed && u.history.Empty() && u.o.Harness != nil {
		u.showFirst()
	}
	if u.session.Waiting() {
		cmds = append(cmds, u.begin(u.session.Resume))
	}
	return tea.Batch(cmds...)
}

// Update takes one message of the program.
func (u *ui) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := u.take(msg)
	if seq := u.caller.Take(u.now()); seq != "" {
		cmd = tea.Batch(cmd, tea.Raw(seq))
	}
	return u, tea.Batch(cmd, u.scroll.Flush(u.room(), u.now()), u.tick(), u.runOwnStatus())
}

func (u *ui) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return u.resized(msg)
	case tea.KeyPressMsg:
		u.caller.Key(u.now())
		return u.key(msg)
	case tea.PasteMsg:
		u.caller.Key(u.now())
		return u.pasted(msg.Content)
	case drained:
		return u.drain()
	case scroll.Printed:
		u.scroll.Busy = false
	case second:
		u.ticking = false
	case settled:
		return u.sizeSettled(msg)
	case tea.BackgroundColorMsg:
		u.background(msg.IsDark())
	case tea.KeyboardEnhancementsMsg:
		u.keyboard = true
	case tea.FocusMsg:
		u.caller.Focus(true)
	case tea.BlurMsg:
		u.caller.Focus(false)
	case burstOver:
		return u.burstOver(msg)
	case filesRead:
		u.files, u.agents = msg.list, msg.agents
		u.complete()
	case edited:
		return u.wasEdited(msg)
	case signals.Resumed:
		u.scroll.After = u.now().Add(scroll.Settle)
	case done:
		return msg.do(u)
	case signals.HangUp:
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
		wait = approval.Pause / 4
	}
	return tea.Tick(wait, func(time.Time) tea.Msg { return second{} })
}

// background takes the terminal's answer about its background.
func (u *ui) background(dark bool) {
	if u.theme.Depth == text.NoColour {
		return
	}
	depth := text.DepthOf(u.o.Getenv)
	if dark {
		u.setTheme(text.DarkTheme(depth))
	} else {
		u.setTheme(text.LightTheme(depth))
	}
}

// print writes finished lines into the scrollback.
func (u *ui) print(kind string, lines ...text.Line) { u.scroll.Add(u.theme, kind, lines...) }

// note writes one line of the program.
func (u *ui) note(role text.Role, s string) {
	u.print(scroll.Loose, text.Indent(text.Of(role, text.OneLine(s)).Wrap(u.textWidth()-2, nil), 2)...)
}

// textWidth is the width of text: lines that are too wide are hard to read.
func (u *ui) textWidth() int { return max(min(u.width-1, 100), 20) }
