package input

import (
	"fmt"
	"unicode"
)

// Left and Right move by one character as a user sees it.
func (e *Editor) Left()  { e.moveTo(e.left(e.at)) }
func (e *Editor) Right() { e.moveTo(e.right(e.at)) }

// WordLeft and WordRight move by a word.
func (e *Editor) WordLeft()  { e.moveTo(e.wordLeft()) }
func (e *Editor) WordRight() { e.moveTo(e.wordRight()) }

// LineStart and LineEnd move within the line, Start and End within the text.
func (e *Editor) LineStart() { e.moveTo(e.lineStart(e.at)) }
func (e *Editor) LineEnd()   { e.moveTo(e.lineEnd(e.at)) }
func (e *Editor) Start()     { e.moveTo(0) }
func (e *Editor) End()       { e.moveTo(len(e.runes)) }

// At returns the cursor's place in runes, and MoveTo sets it.
func (e *Editor) At() int       { return e.at }
func (e *Editor) MoveTo(at int) { e.moveTo(min(max(at, 0), len(e.runes))) }

func (e *Editor) moveTo(at int) {
	e.at, e.column, e.typing, e.killed, e.yanked = at, -1, false, false, 0
}

// Up and Down move by a row of that width, and report whether there was one.
func (e *Editor) Up(width int) bool   { return e.vertical(-1, width) }
func (e *Editor) Down(width int) bool { return e.vertical(1, width) }

func (e *Editor) vertical(by, width int) bool {
	rows, y, x := e.Rows(width)
	if y+by < 0 || y+by >= len(rows) {
		return false
	}
	if e.column > x {
		x = e.column
	}
	keep := x
	at, best := e.at, -1
	for i := 0; i <= len(e.runes); i++ {
		e.at = i
		if _, ry, rx := e.Rows(width); ry == y+by && rx <= x && rx > best {
			at, best = i, rx
		} else if ry > y+by {
			break
		}
	}
	e.moveTo(at)
	e.column = keep
	return true
}

func (e *Editor) left(at int) int {
	for at > 0 {
		if at--; at == 0 || !joins(e.runes[at-1], e.runes[at]) {
			break
		}
	}
	return at
}

func (e *Editor) right(at int) int {
	for at < len(e.runes) {
		if at++; at == len(e.runes) || !joins(e.runes[at-1], e.runes[at]) {
			break
		}
	}
	return at
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func (e *Editor) wordLeft() int {
	at := e.at
	for at > 0 && !wordRune(e.runes[at-1]) {
		at--
	}
	for at > 0 && wordRune(e.runes[at-1]) {
		at--
	}
	return at
}

func (e *Editor) wordRight() int {
	at := e.at
	for at < len(e.runes) && !wordRune(e.runes[at]) {
		at++
	}
	for at < len(e.runes) && wordRune(e.runes[at]) {
		at++
	}
	return at
}

func (e *Editor) lineStart(at int) int {
	for at > 0 && e.runes[at-1] != '\n' {
		at--
	}
	return at
}

func (e *Editor) lineEnd(at int) int {
	for at < len(e.runes) && e.runes[at] != '\n' {
		at++
	}
	return at
}

// Backspace and Delete remove one character.
func (e *Editor) Backspace() { e.remove(e.left(e.at), e.at) }
func (e *Editor) Delete()    { e.remove(e.at, e.right(e.at)) }

func (e *Editor) remove(from, to int) {
	if from == to {
		return
	}
	e.change()
	e.runes = append(e.runes[:from:from], e.runes[to:]...)
	e.at = from
}

// KillWordLeft, KillWordRight, KillLineStart and KillLineEnd remove into the kill ring.
func (e *Editor) KillWordLeft()  { e.kill(e.wordLeft(), e.at) }
func (e *Editor) KillWordRight() { e.kill(e.at, e.wordRight()) }
func (e *Editor) KillLineStart() { e.kill(e.lineStart(e.at), e.at) }

// KillLineEnd removes the line break where the line is at its end.
func (e *Editor) KillLineEnd() {
	end := e.lineEnd(e.at)
	if end == e.at && end < len(e.runes) {
		end++
	}
	e.kill(e.at, end)
}

// kill removes a range into the kill ring. Kills in a row are one entry.
func (e *Editor) kill(from, to int) {
	if from == to {
		return
	}
	before, again := from < e.at, e.killed
	piece := string(e.runes[from:to])
	e.remove(from, to)
	switch last := len(e.kills) - 1; {
	case !again || last < 0:
		e.kills = append(e.kills, piece)
	case before:
		e.kills[last] = piece + e.kills[last]
	default:
		e.kills[last] += piece
	}
	e.killed = true
}

// Yank inserts the newest entry of the kill ring; YankPop replaces it by the one before.
func (e *Editor) Yank() {
	if len(e.kills) == 0 {
		return
	}
	e.change()
	piece := []rune(e.kills[len(e.kills)-1])
	e.insert(piece)
	e.yanked = len(piece)
}

// YankPop does nothing unless the last change was a Yank.
func (e *Editor) YankPop() {
	if e.yanked == 0 || len(e.kills) < 2 {
		return
	}
	n := e.yanked
	last := len(e.kills) - 1
	e.kills = append([]string{e.kills[last]}, e.kills[:last]...)
	e.remove(e.at-n, e.at)
	e.Yank()
}

func size(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000_000:
		return fmt.Sprintf("%.0f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1000_000)
}
