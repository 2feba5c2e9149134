// Package text holds styled text for a screen of cells: spans with a role instead of a colour, their width, wrapping and
// cutting, and the themes. A Theme turns roles into the colours that a terminal has at the end, so text that is kept does not
// change with the theme. Keys are here too: the actions of the chat, the keys that are bound to them, and the user's own bindings.
package text

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Role is what a text is for. A theme gives each role its colours.
type Role uint8

// The roles. The zero value is ordinary text.
const (
	Plain Role = iota
	Dim
	Accent
	OK
	Warn
	Error
	Mode // the mode that edits without asking
	Code
	Keyword
	String
	Comment
	Number
	Name  // of a function or a type, in code
	Roles // how many there are
)

// Ground is what is behind a text.
type Ground uint8

// The grounds. The zero value is the terminal's own.
const (
	NoGround Ground = iota
	Added
	Removed
	AddedWord
	RemovedWord
	Chosen
	Grounds // how many there are
)

// Style is how a span looks.
type Style struct {
	Role   Role
	Ground Ground
	Bold   bool
	Italic bool
	Under  bool
	Strike bool
	Link   string // the target of a link; "" is no link
}

// Span is a piece of one line in one style. Its text has no control characters.
type Span struct {
	Text string
	Style
}

// Line is one line of a screen.
type Line []Span

// Of makes a line of one role.
func Of(r Role, s string) Line {
	if s == "" {
		return nil
	}
	return Line{{Text: s, Style: Style{Role: r}}}
}

// In makes a span of one role.
func In(r Role, s string) Span { return Span{Text: s, Style: Style{Role: r}} }

// Bold makes a bold span of one role.
func Bold(r Role, s string) Span { return Span{Text: s, Style: Style{Role: r, Bold: true}} }

// Join makes one line of several.
func Join(lines ...Line) Line {
	var all Line
	for _, l := range lines {
		all = append(all, l...)
	}
	return all
}

// Width returns the cells of a text without control characters.
func Width(s string) int {
	for i := range len(s) {
		if s[i] >= 0x80 || s[i] == 0x1b {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// Width returns the cells of the line.
func (l Line) Width() (n int) {
	for _, s := range l {
		n += Width(s.Text)
	}
	return n
}

// String returns the text without its styles.
func (l Line) String() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

// On puts a ground behind the whole line.
func (l Line) On(g Ground) Line {
	out := make(Line, len(l))
	for i, s := range l {
		if s.Ground == NoGround {
			s.Ground = g
		}
		out[i] = s
	}
	return out
}

// Pad fills the line with blanks up to a width.
func (l Line) Pad(width int, style Style) Line {
	if n := width - l.Width(); n > 0 {
		return append(l[:len(l):len(l)], Span{strings.Repeat(" ", n), style})
	}
	return l
}

// Indent puts blanks before each line.
func Indent(lines []Line, n int) []Line {
	blank := In(Plain, strings.Repeat(" ", n))
	out := make([]Line, len(lines))
	for i, l := range lines {
		if len(l) == 0 {
			continue
		}
		out[i] = append(Line{blank}, l...)
	}
	return out
}

// Spread puts one text at the left edge and another at the right edge of a width. The left one is cut when both do not fit.
func Spread(left, right Line, width int) Line {
	if len(right) == 0 {
		return left.Cut(width)
	}
	room := width - right.Width() - 2
	if room < 8 {
		return left.Cut(width)
	}
	left = left.Cut(room)
	gap := strings.Repeat(" ", width-left.Width()-right.Width())
	return Join(left, Of(Plain, gap), right)
}
