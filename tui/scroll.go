package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/tui/text"
	"rein/tui/theme"
)

// scroll writes finished lines into the terminal's own scrollback, above the live part of the screen. It is the only one
// that does. Its rules come from measurements:
//   - nothing before the first frame: the renderer would scroll over it;
//   - no more rows at once than fit above the live part, else rows of the live part are pushed into the scrollback;
//   - nothing while a full-screen view is open and shortly after it, and nothing while the size changes.
type scroll struct {
	queue []string // rows; an image is one entry of several
	last  string   // the kind of the last block
	began bool     // a frame was drawn
	held  bool     // a full-screen view is open, or the size changes
	after time.Time
	kept  []text.Line // the last lines, to print them again
	busy  bool        // rows are on their way
}

// settle is how long nothing is written after a full-screen view has closed.
const settle = 50 * time.Millisecond

// keptLines is how many lines are kept to be printed again.
const keptLines = 200

// printed says that rows have been written.
type printed struct{}

// retry asks to write what waits.
type retry struct{}

// add takes a block of lines. Blocks of one kind that are tight have no blank line between them.
func (s *scroll) add(t *theme.Theme, kind string, lines ...text.Line) {
	if len(lines) == 0 {
		return
	}
	if s.last != "" && (s.last != kind || kind != tight && kind != more) && kind != more {
		s.row(t, nil)
	}
	s.last = kind
	if kind == more {
		s.last = loose
	}
	for _, l := range lines {
		s.row(t, l)
	}
}

// The kinds of blocks: tight ones follow each other without a blank line, loose ones do not, more goes on with the last.
const (
	loose = "loose"
	tight = "tight"
	more  = "more"
)

func (s *scroll) row(t *theme.Theme, l text.Line) {
	s.queue = append(s.queue, t.Render(l))
	if s.kept = append(s.kept, l); len(s.kept) > 2*keptLines {
		s.kept = append([]text.Line(nil), s.kept[keptLines:]...)
	}
}

// image takes rows that hold an image. They are not printed again.
func (s *scroll) image(rows string) { s.queue = append(s.queue, rows) }

func rowsOf(entry string) int { return 1 + strings.Count(entry, "\n") }

// flush gives the command that writes the next piece, at most room rows.
func (s *scroll) flush(room int, now time.Time) tea.Cmd {
	if len(s.queue) == 0 || s.busy || !s.began || s.held {
		return nil
	}
	if wait := s.after.Sub(now); wait > 0 {
		return tea.Tick(wait, func(time.Time) tea.Msg { return retry{} })
	}
	n, rows := 0, 0
	for n < len(s.queue) && (n == 0 || rows+rowsOf(s.queue[n]) <= room) {
		rows += rowsOf(s.queue[n])
		n++
	}
	piece := strings.Join(s.queue[:n], "\n")
	s.queue, s.busy = s.queue[n:], true
	if piece == "" {
		piece = " " // an empty piece would be left out
	}
	return tea.Sequence(tea.Println(piece), func() tea.Msg { return printed{} })
}
