package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/app/tui/text"
)

// scroll writes finished lines into the terminal's own scrollback, above the live part of the screen. It is the only one
// that does. Its rules come from measurements:
//   - nothing before the first frame: the renderer would scroll over it;
//   - no more rows at once than fit above the live part, else rows of the live part are pushed into the scrollback; for a moment after a
//     request was answered the terminal still has the live part with the request;
//   - nothing while a full-screen view is open and shortly after it, and nothing while the size changes.
type scroll struct {
	Queue []string // rows; an image is one entry of several
	Last  string   // the kind of the last block
	Began bool     // a frame was drawn
	Held  bool     // a full-screen view is open, or the size changes
	After time.Time
	Asked time.Time   // when requests last waited
	Kept  []text.Line // the last lines, to print them again
	Busy  bool        // rows are on their way
}

// scrollSettle is how long the screen may still be what it was before: nothing is written after a full-screen view has closed, and no more than fits
// above a request after it was answered.
const scrollSettle = 50 * time.Millisecond

// keptLines is how many lines are kept to be printed again.
const keptLines = 200

// rowsWritten says that rows have been written.
type rowsWritten struct{}

// writeAgain asks to write what waits.
type writeAgain struct{}

// Add takes a block of lines. Blocks of one kind of kind scrollTight have no blank line between them.
func (s *scroll) Add(t *text.Theme, kind string, lines ...text.Line) {
	if len(lines) == 0 {
		return
	}
	if s.Last != "" && (s.Last != kind || kind != scrollTight && kind != scrollMore) && kind != scrollMore {
		s.row(t, nil)
	}
	s.Last = kind
	if kind == scrollMore {
		s.Last = scrollLoose
	}
	for _, l := range lines {
		s.row(t, l)
	}
}

// The kinds of blocks: scrollTight ones follow each other without a blank line, scrollLoose ones do not, and More continues with the last one.
const (
	scrollLoose = "loose"
	scrollTight = "tight"
	scrollMore  = "more"
)

func (s *scroll) row(t *text.Theme, l text.Line) {
	s.Queue = append(s.Queue, t.Render(l))
	if s.Kept = append(s.Kept, l); len(s.Kept) > 2*keptLines {
		s.Kept = append([]text.Line(nil), s.Kept[keptLines:]...)
	}
}

// Image takes rows that hold an image. They are not printed again.
func (s *scroll) Image(rows string) { s.Queue = append(s.Queue, rows) }

// Before returns all rows that wait, each with its end, to be written before the first frame: then the terminal takes any number at
// once.
func (s *scroll) Before() string {
	var b strings.Builder
	for _, row := range s.Queue {
		b.WriteString(strings.ReplaceAll(row, "\n", "\r\n") + "\r\n")
	}
	s.Queue = nil
	return b.String()
}

func rowsOf(entry string) int { return 1 + strings.Count(entry, "\n") }

// Flush returns the command that writes the next piece, at most room rows.
func (s *scroll) Flush(room int, now time.Time) tea.Cmd {
	if len(s.Queue) == 0 || s.Busy || !s.Began || s.Held {
		return nil
	}
	if wait := s.After.Sub(now); wait > 0 {
		return tea.Tick(wait, func(time.Time) tea.Msg { return writeAgain{} })
	}
	n, rows := 0, 0
	for n < len(s.Queue) && (n == 0 || rows+rowsOf(s.Queue[n]) <= room) {
		rows += rowsOf(s.Queue[n])
		n++
	}
	piece := strings.Join(s.Queue[:n], "\n")
	clear(s.Queue[:n]) // what is written is not kept
	s.Queue, s.Busy = s.Queue[n:], true
	if piece == "" {
		piece = " " // an empty piece would be left out
	}
	return tea.Sequence(tea.Println(piece), func() tea.Msg { return rowsWritten{} })
}
