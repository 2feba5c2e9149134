package tui

import (
	"cmp"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/app/settings"
	"rein/app/tui/block"
	"rein/app/tui/full"
	"rein/app/tui/text"
)

// display is the terminal as the chat uses it: how it looks and which keys it has, what is printed into its scrollback, the live
// part below that, and a view that fills the screen.
type display struct {
	getenv     func(string) string
	words      text.Words // the program's texts in the language of the user
	theme      *text.Theme
	colours    map[string]string // the user's own
	marks      block.Marks
	keys       text.Keys
	images     imageProtocol
	shiftEnter bool // the terminal tells Shift+Enter from Enter
	width      int
	height     int

	scroll scroll
	hint   string // one line for the user, until the next key
	screen screen // a full-screen view; nil: none
	resize resize
	drawn  []text.Line // the live part as it was drawn last
	caret  caret       // of it
}

type caret struct{ x, y int }

func newDisplay(getenv func(string) string) *display {
	d := &display{getenv: getenv, theme: text.UnknownTheme(text.NoColour), marks: block.Unicode(), width: 80, height: 24, keys: text.DefaultKeys()}
	d.scroll.Last = scrollLoose // the header
	return d
}

// configure takes the user's settings. What cannot be used is shown and left out.
func (d *display) configure(theme string, t settings.Terminal) {
	d.words = text.WordsIn(text.Language(t.Language, d.getenv))
	d.colours = t.Colours
	d.setTheme(text.ThemeNamed(theme, d.getenv))
	if t.ASCII {
		d.marks = block.ASCII()
	}
	d.marks.Words = d.words
	own, err := d.keys.With(t.Keys)
	if d.keys = own; err != nil {
		d.note(text.Warn, d.words.Of("! settings: %v", err))
	}
	if d.images = imageProtocol(t.Images); t.Images == "" || t.Images == "auto" {
		d.images = detectImages(d.getenv)
	}
}

// setTheme takes a theme, with the user's own colours.
func (d *display) setTheme(t *text.Theme) {
	own, err := t.With(d.colours)
	if err != nil {
		d.note(text.Warn, d.words.Of("! settings: %v", err))
		d.colours, own = nil, t
	}
	d.theme = own
}

// background takes the terminal's answer about its background.
func (d *display) background(dark bool) {
	if d.theme.Depth == text.NoColour {
		return
	}
	depth := text.DepthOf(d.getenv)
	if dark {
		d.setTheme(text.DarkTheme(depth))
	} else {
		d.setTheme(text.LightTheme(depth))
	}
}

// textWidth is the width of text: lines that are too wide are hard to read.
func (d *display) textWidth() int { return max(min(d.width-1, 100), 20) }

// print writes finished lines into the scrollback.
func (d *display) print(kind string, lines ...text.Line) { d.scroll.Add(d.theme, kind, lines...) }

// note writes one line of the program.
func (d *display) note(role text.Role, s string) {
	d.print(scrollLoose, text.Indent(text.Of(role, text.OneLine(d.words.Message(d.words.Of(s)))).Wrap(d.textWidth()-2, nil), 2)...)
}

// showOutput prints a short output below its title, and opens a long one in full screen.
func (d *display) showOutput(title, out string, err error) {
	lines := []text.Line{}
	for _, l := range text.Lines(strings.TrimRight(out, "\n")) {
		lines = append(lines, text.Of(text.Plain, l))
	}
	role := text.Dim
	if err != nil {
		role = text.Error
		if strings.TrimSpace(out) == "" {
			lines = []text.Line{text.Of(text.Plain, text.OneLine(err.Error()))}
		}
	}
	if len(lines) > max(d.height/2, 10) {
		d.open(full.NewPager(title, lines))
		return
	}
	all := []text.Line{text.Of(role, "  "+text.OneLine(title)).Cut(d.width - 1)}
	for _, l := range lines {
		all = append(all, text.Indent(l.Wrap(d.width-5, text.Of(text.Plain, "  ")), 4)...)
	}
	d.print(scrollLoose, all...)
}

// wrong shows why a command of the user did nothing.
func (d *display) wrong(err error) {
	d.note(text.Error, d.marks.State[block.Failed]+" "+withTilde(d.words.Command(err.Error())))
}

// asksAt says what a mode does with changes.
var asksAt = map[string]string{"ask": "it reads freely, and asks before changes", "supervised": "it reads and edits here; the rest asks",
	"auto": "it reads and edits here; a model reviews the rest", "full": "it asks almost nothing"}

// showFirst prints three things to try, at the first start.
func (d *display) showFirst(mode string) {
	try := func(what, about string) text.Line {
		return text.Line{text.In(text.Accent, "  "+what), text.In(text.Dim, "   "+d.words.Of(about))}.Cut(d.width - 1)
	}
	d.print(scrollLoose, text.Of(text.Plain, "  "+d.words.Of("Three things to try:")), try(d.words.Of("explain how this project is built"), cmp.Or(asksAt[mode], "it reads, and changes nothing")),
		try("@  "+d.words.Of("and a few letters"), "names a file"), try("!git status", "a command of your own; its output goes with your next message"))
}

// redraw prints the last lines again.
func (d *display) redraw() {
	kept := d.scroll.Kept
	kept = kept[max(len(kept)-d.height, 0):]
	d.scroll.Kept, d.scroll.Last = nil, ""
	d.print(scrollLoose, append([]text.Line{text.Of(text.Dim, strings.Repeat("-", min(d.width-1, 40)))}, kept...)...)
}

// rendered are lines as the terminal gets them.
func (d *display) rendered(lines []text.Line) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		d.theme.Append(&b, l.Cut(d.width))
	}
	return b.String()
}

// ceiling is the most rows of the live part; asks is set while requests wait: on a low screen they take nearly all of it.
func (d *display) ceiling(asks bool) int {
	if asks {
		return max(d.height-6, min(d.height-2, 24), 6)
	}
	return min(max(12, d.height*2/5), max(d.height-3, 3))
}

// screen is a full-screen view. It takes all keys until it is closed.
type screen interface {
	Lines(width, height int) ([]text.Line, *full.Caret)
	Key(a text.Action, key, typed string) (closed bool)
	Paste(s string)
}

func (d *display) open(s screen) {
	switch s := s.(type) {
	case *full.Pager:
		s.Words = d.words
	case *picker:
		s.Words = d.words
	}
	d.screen = s
	d.scroll.Held = true
	d.hint = ""
}

// shut closes the full-screen view. The scrollback gets what waits for it a moment later.
func (d *display) shut(now time.Time) {
	d.screen = nil
	d.scroll.Held = d.resize.active
	d.settle(now)
}

// settle lets the scrollback wait for a moment: the terminal shows its normal screen again, or another program had it.
func (d *display) settle(now time.Time) { d.scroll.After = now.Add(scrollSettle) }

// drawWhole draws the full-screen view that is open, or nothing but a cell while the size changes. It returns false where the live part is
// to be drawn.
func (d *display) drawWhole(v *tea.View) bool {
	switch {
	case d.screen != nil:
		v.AltScreen = true
		lines, at := d.screen.Lines(d.width, d.height)
		v.SetContent(d.rendered(lines))
		if at != nil {
			v.Cursor = tea.NewCursor(at.X, at.Y)
		}
	case d.resize.active:
		v.SetContent(" ")
	default:
		return false
	}
	return true
}

// draw draws the live part.
func (d *display) draw(v *tea.View, lines []text.Line, at caret) {
	d.drawn, d.caret = lines, at
	v.SetContent(d.rendered(lines))
	v.Cursor = tea.NewCursor(min(at.x, d.width-1), at.y)
	v.Cursor.Blink = false
}

// resize is a change of the terminal's width while it continues. The terminal lays the rows of the live part out again
// before the program is notified. So the program computes how many rows they have under the new width, erases them, and
// draws only one cell until no further size comes. The rows are erased before the next frame, else it erases what is above them.
type resize struct {
	active bool
	count  int
}

// settled says that no further size came after a change.
type settled struct{ count int }

// quiet is how long no size must come before the live part is drawn again.
const quiet = 80 * time.Millisecond

func (d *display) resized(msg tea.WindowSizeMsg, now time.Time) (erase string, wait tea.Cmd) {
	first, before := !d.scroll.Began, d.width
	d.width, d.height = msg.Width, msg.Height
	if first { // the first frame comes a moment later
		d.scroll.Began = true
		d.settle(now)
	}
	if first || before == msg.Width || d.screen != nil {
		return "", nil
	}
	d.resize.count++
	count := d.resize.count
	wait = tea.Tick(quiet, func(time.Time) tea.Msg { return settled{count} })
	if d.resize.active {
		return "", wait
	}
	d.resize.active, d.scroll.Held = true, true
	return eraseLive(d.drawn, d.width, d.caret.x, d.caret.y), wait
}

func (d *display) sizeSettled(msg settled, now time.Time) {
	if msg.count != d.resize.count {
		return
	}
	d.resize.active, d.scroll.Held = false, d.screen != nil
	d.settle(now)
}
