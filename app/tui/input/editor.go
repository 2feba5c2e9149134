// Package input holds the line in which a user writes: several rows, words and lines as units, undo, a kill ring, pastes that
// stay whole, the keys of vi, a history with search, and a popup that completes names by a few letters.
package input

import (
	"slices"
	"strings"
	"unicode"

	"rein/app/tui/text"
)

// Editor holds a text and a cursor. The zero value is empty.
type Editor struct {
	Words text.Words // its own texts in the language of the user

	runes  []rune // a paste is one rune of the private use area: see pastes
	at     int
	column int // the column that up and down keep; -1: the cursor's
	pastes map[rune]string
	kills  []string // the kill ring, newest last
	yanked int      // runes of the last yank, for the next pop; 0: the last key was no yank
	undo   []state
	redo   []state
	typing bool // the last change was a letter: letters are undone by the word
	killed bool // the last change was a kill: kills in a row are one
}

type state struct {
	runes []rune
	at    int
}

// Pastes longer than this are shown as a marker.
const (
	pasteLines = 10
	pasteBytes = 1000
)

// firstPaste is the first rune that stands for a paste: a plane for private use.
const firstPaste = rune(0xF0000)

// Text returns the whole text, pastes included.
func (e *Editor) Text() string { return e.expand(e.runes) }

func (e *Editor) expand(runes []rune) string {
	var b strings.Builder
	for _, r := range runes {
		if p, ok := e.pastes[r]; ok {
			b.WriteString(p)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Empty reports whether nothing is written.
func (e *Editor) Empty() bool { return len(e.runes) == 0 }

// Before returns the text before the cursor, with pastes as single characters, and After the text behind it.
func (e *Editor) Before() string { return string(e.runes[:e.at]) }
func (e *Editor) After() string  { return string(e.runes[e.at:]) }

// Set replaces all; the cursor is at the end.
func (e *Editor) Set(s string) {
	e.change()
	e.runes, e.at = []rune(s), len([]rune(s))
}

// Clear removes all.
func (e *Editor) Clear() { e.Set("") }

// Insert adds a text at the cursor, as typed.
func (e *Editor) Insert(s string) {
	single := len([]rune(s)) == 1 && !unicode.IsSpace([]rune(s)[0])
	if !single || !e.typing {
		e.change()
	}
	e.insert([]rune(s))
	e.typing = single
}

func (e *Editor) insert(r []rune) {
	if e.at == len(e.runes) { // as in a paste that comes as keys: what is there is not copied
		e.runes = append(e.runes, r...)
	} else {
		e.runes = append(e.runes[:e.at:e.at], append(r, e.runes[e.at:]...)...)
	}
	e.at += len(r)
	e.column = -1
}

// Paste adds a pasted text at the cursor. A long one is kept as one unit.
func (e *Editor) Paste(s string) {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	e.change()
	if len(s) <= pasteBytes && strings.Count(s, "\n") < pasteLines {
		e.insert(private([]rune(s)))
		return
	}
	if e.pastes == nil {
		e.pastes = map[rune]string{}
	}
	mark := firstPaste + rune(len(e.pastes))
	e.pastes[mark] = s
	e.insert([]rune{mark})
}

// private replaces runes that would stand for a paste.
func private(runes []rune) []rune {
	for i, r := range runes {
		if r >= firstPaste && r < firstPaste+0xFFFF {
			runes[i] = unicode.ReplacementChar
		}
	}
	return runes
}

// change keeps the state for undo, before something changes.
func (e *Editor) change() {
	e.undo = append(e.undo, stateOf(e))
	if len(e.undo) > 500 {
		e.undo = e.undo[1:]
	}
	e.redo, e.typing, e.killed, e.yanked, e.column = nil, false, false, 0, -1
}

// stateOf is what undo goes back to. What is appended later is behind it, in the same memory: a paste that comes as keys is not copied for each
// of its words. Who changes a rune in its place owns the text first.
func stateOf(e *Editor) state { return state{slices.Clip(e.runes), e.at} }

// own makes the text one that no state of undo has.
func own(e *Editor) { e.runes = slices.Clone(e.runes) }

// Undo takes the last change back, and Redo makes it again.
func (e *Editor) Undo() { e.undo, e.redo = e.swap(e.undo, e.redo) }
func (e *Editor) Redo() { e.redo, e.undo = e.swap(e.redo, e.undo) }

func (e *Editor) swap(from, to []state) (shorter, longer []state) {
	e.typing, e.killed, e.yanked, e.column = false, false, 0, -1
	if len(from) == 0 {
		return from, to
	}
	to = append(to, stateOf(e))
	last := from[len(from)-1]
	e.runes, e.at = last.runes, last.at
	return from[:len(from)-1], to
}

// marker is how a paste is shown.
func (e *Editor) marker(r rune) (string, bool) {
	p, ok := e.pastes[r]
	if !ok {
		return "", false
	}
	lines := strings.Count(strings.TrimSuffix(p, "\n"), "\n") + 1
	return "[" + e.Words.Of("pasted %s, %s", e.Words.Count(lines, "line"), size(len(p))) + "]", true
}

// Rows lays the text out in rows of a width, and returns the cursor's row and column.
func (e *Editor) Rows(width int) (rows []text.Line, y, x int) {
	width = max(width, 4)
	row, used := text.Line(nil), 0
	next := func() { rows, row, used = append(rows, row), nil, 0 }
	for i := 0; ; {
		if i == e.at {
			if used >= width {
				next()
			}
			y, x = len(rows), used
		}
		if i >= len(e.runes) {
			break
		}
		if e.runes[i] == '\n' {
			next()
			i++
			continue
		}
		if n := e.plain(i, width-used); n > 0 {
			row, used = append(row, text.In(text.Plain, string(e.runes[i:i+n]))), used+n
			i += n
			continue
		}
		span, n := e.span(i)
		w := text.Width(span.Text)
		if used > 0 && used+w > width {
			next()
			if i == e.at {
				y, x = len(rows), 0
			}
		}
		row, used = append(row, span), used+w
		i += n
	}
	return append(rows, row), y, x
}

// plain is how many of the runes from i on, at most most and none behind the cursor, are ASCII characters of one column that nothing
// joins. A paste that comes as keys is laid out once for each of them: they are not measured one by one.
func (e *Editor) plain(i, most int) (n int) {
	end := min(i+most, len(e.runes))
	if i < e.at {
		end = min(end, e.at)
	}
	for i+n < end && e.runes[i+n] >= ' ' && e.runes[i+n] <= '~' {
		n++
	}
	if after := i + n; n > 0 && after < len(e.runes) && e.runes[after] > '~' { // it may join the one before it
		n--
	}
	return n
}

// span is what is shown for the character at i, and how many runes it has: those that join it are part of it.
func (e *Editor) span(i int) (text.Span, int) {
	if m, ok := e.marker(e.runes[i]); ok {
		return text.In(text.Accent, m), 1
	}
	n := 1
	for i+n < len(e.runes) && i+n != e.at && joins(e.runes[i+n-1], e.runes[i+n]) {
		n++
	}
	return text.In(text.Plain, text.Shown(string(e.runes[i:i+n]))), n
}

// joins reports whether the second rune belongs to the character of the first.
func joins(a, b rune) bool {
	return b == 0x200D || a == 0x200D || unicode.Is(unicode.Mn, b) || unicode.Is(unicode.Me, b) || b >= 0xFE00 && b <= 0xFE0F || b >= 0x1F3FB && b <= 0x1F3FF
}

// Next returns an empty editor that keeps the kill ring.
func (e *Editor) Next() Editor { return Editor{kills: e.kills} }
