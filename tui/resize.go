package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/tui/scroll"
	"rein/tui/text"
)

// resize is a change of the terminal's width while it continues. The terminal lays the rows of the live part out again
// before the program is notified. So the program computes how many rows they have under the new width, erases them, and
// draws only one cell until no further size comes.
type resize struct {
	active bool
	count  int
}

// settled says that no further size came after a change.
type settled struct{ count int }

// quiet is how long no size must come before the live part is drawn again.
const quiet = 80 * time.Millisecond

func (u *ui) resized(msg tea.WindowSizeMsg) tea.Cmd {
	first, before := !u.scroll.Began, u.width
	u.width, u.height = msg.Width, msg.Height
	if first { // the first frame comes a moment later
		u.scroll.Began, u.scroll.After = true, u.now().Add(scroll.Settle)
	}
	if u.talk.stream != nil {
		u.talk.stream.Resize(u.markdownOptions())
	}
	if first || before == msg.Width || u.screen != nil {
		return nil
	}
	u.resize.count++
	count := u.resize.count
	wait := tea.Tick(quiet, func(time.Time) tea.Msg { return settled{count} })
	if u.resize.active {
		return wait
	}
	u.resize.active, u.scroll.Held = true, true
	return tea.Batch(tea.Raw(scroll.Erase(u.lastView, u.width, u.lastCaret.x, u.lastCaret.y)), wait)
}

func (u *ui) sizeSettled(msg settled) tea.Cmd {
	if msg.count != u.resize.count {
		return nil
	}
	u.resize.active, u.scroll.Held = false, u.screen != nil
	u.scroll.After = u.now().Add(scroll.Settle)
	return nil
}

// room is how many rows may be written at once above the live part.
func (u *ui) room() int { return u.height - u.ceiling() - 1 }

// ceiling is the most rows of the live part.
func (u *ui) ceiling() int {
	if u.questions.Len() > 0 {
		return max(u.height-6, 6)
	}
	return min(max(12, u.height*2/5), max(u.height-3, 3))
}

// redraw prints the last lines again.
func (u *ui) redraw() {
	kept := u.scroll.Kept
	kept = kept[max(len(kept)-u.height, 0):]
	u.scroll.Kept, u.scroll.Last = nil, ""
	u.print(scroll.Loose, append([]text.Line{text.Of(text.Dim, strings.Repeat("-", min(u.width-1, 40)))}, kept...)...)
}
