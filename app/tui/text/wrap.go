package text

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// cluster returns the first character as a user sees it, and its cells.
func cluster(s string) (first string, width int) {
	if s[0] < 0x80 && (len(s) == 1 || s[1] < 0x80) {
		return s[:1], 1
	}
	return ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
}

// fits returns how many bytes of a text fit a number of cells, and their cells. The first character always fits.
func fits(s string, cells int) (bytes, width int) {
	for bytes < len(s) {
		c, w := cluster(s[bytes:])
		if width+w > cells && bytes > 0 {
			break
		}
		bytes, width = bytes+len(c), width+w
	}
	return bytes, width
}

// Cut shortens the line to a width. A line that is cut ends with "...".
func (l Line) Cut(width int) Line {
	if l.Width() <= width {
		return l
	}
	const dots = "..."
	room := width - len(dots)
	if room < 1 {
		return l.head(max(width, 0))
	}
	out := l.head(room)
	style := Style{Role: Dim}
	if len(out) > 0 {
		style.Ground = out[len(out)-1].Ground
	}
	return append(out, Span{dots, style})
}

func (l Line) head(width int) Line {
	var out Line
	for _, s := range l {
		w := Width(s.Text)
		if w <= width {
			out, width = append(out, s), width-w
			continue
		}
		if width > 0 {
			if n, w := fits(s.Text, width); w <= width {
				s.Text = s.Text[:n]
				out = append(out, s)
			}
		}
		break
	}
	return out
}

// Wrap breaks the line at blanks so that no row is wider than width. Rows after the first begin with hang. A word that is
// wider than a row is broken.
func (l Line) Wrap(width int, hang Line) []Line {
	width = max(width, 1)
	if l.Width() <= width {
		return []Line{l}
	}
	w := wrapping{width: width, hang: hang}
	if hang.Width() > width/2 {
		w.hang = nil
	}
	for _, s := range l {
		rest := s.Text
		for rest != "" {
			n := strings.IndexByte(rest, ' ')
			switch {
			case n < 0:
				w.word(Span{rest, s.Style})
				rest = ""
			case n > 0:
				w.word(Span{rest[:n], s.Style})
				rest = rest[n:]
			default:
				blanks := len(rest) - len(strings.TrimLeft(rest, " "))
				w.flush()
				w.blank = append(w.blank, Span{rest[:blanks], s.Style})
				rest = rest[blanks:]
			}
		}
	}
	w.flush()
	return append(w.rows, w.row)
}

// wrapping is a line while it is wrapped.
type wrapping struct {
	width int
	hang  Line
	rows  []Line
	row   Line
	used  int  // cells of row
	begun bool // row has more than its hang
	blank Line // between row and open
	open  Line // the word that is not placed yet: it may continue in the next span
}

func (w *wrapping) word(s Span) { w.open = append(w.open, s) }

// flush places the open word.
func (w *wrapping) flush() {
	if len(w.open) == 0 {
		return
	}
	blank, word := w.blank.Width(), w.open.Width()
	if w.begun && w.used+blank+word > w.width {
		w.next()
	} else if _, first := cluster(w.open[0].Text); w.used+blank+first <= w.width {
		w.row = append(w.row, w.blank...)
		w.used += blank
	}
	w.blank = nil
	for _, s := range w.open {
		w.place(s)
	}
	w.open = nil
}

// place puts a piece of a word into the row, broken where it does not fit.
func (w *wrapping) place(s Span) {
	for w.used+Width(s.Text) > w.width {
		n, cells := fits(s.Text, w.width-w.used)
		if w.used+cells <= w.width {
			w.row = append(w.row, Span{s.Text[:n], s.Style})
			s.Text = s.Text[n:]
		} else if !w.begun { // one character wider than a row
			break
		}
		if s.Text == "" {
			w.begun = true
			return
		}
		w.next()
	}
	w.row, w.used, w.begun = append(w.row, s), w.used+Width(s.Text), true
}

func (w *wrapping) next() {
	w.rows = append(w.rows, w.row)
	w.row, w.used, w.begun = append(Line(nil), w.hang...), w.hang.Width(), false
}

// Chop breaks the line after exactly so many cells, as often as needed.
func (l Line) Chop(width int) []Line {
	w := wrapping{width: max(width, 1)}
	for _, s := range l {
		w.place(s)
	}
	return append(w.rows, w.row)
}
