package input

import (
	"strings"
	"unicode"
)

// Vi reads the commands of vi's normal mode. The zero value waits for one.
type Vi struct {
	pending []rune // of a command that is not complete
	sought  []rune // of f, F, t and T: the command and the character
	again   []rune // the last command that changed the text, for "."
}

// ViResult is what a key of normal mode did beside moving and changing.
type ViResult uint8

// The results.
const (
	ViStays   ViResult = iota // normal mode continues
	ViInserts                 // insert mode begins
	ViUp                      // to the row above, or back in the history
	ViDown                    // the other way
)

// mostCount is the largest count that is taken: more repeats nothing that a line could have.
const mostCount = 1000

// Pending is the beginning of a command, as the user typed it.
func (v *Vi) Pending() string { return string(v.pending) }

// Reset forgets the beginning of a command.
func (v *Vi) Reset() { v.pending = nil }

// Key takes one character. What is no command is dropped.
func (v *Vi) Key(e *Editor, r rune) ViResult {
	v.pending = append(v.pending, r)
	whole := v.pending
	result, complete := v.do(e, whole)
	if complete {
		v.pending = nil
	}
	return result
}

// readCount reads a number at the start; none is 1. A zero at the start is a command.
func readCount(cmd []rune) (n int, rest []rune) {
	i := 0
	for ; i < len(cmd) && unicode.IsDigit(cmd[i]) && (i > 0 || cmd[i] != '0'); i++ {
		n = min(n*10+int(cmd[i]-'0'), mostCount)
	}
	return max(n, 1), cmd[i:]
}

// do runs a command if it is complete.
func (v *Vi) do(e *Editor, whole []rune) (result ViResult, complete bool) {
	n, cmd := readCount(whole)
	if len(cmd) == 0 {
		return ViStays, false
	}
	switch cmd[0] {
	case 'd', 'c', 'y':
		return v.operate(e, whole, n, cmd)
	case 'j':
		return ViDown, true
	case 'k':
		return ViUp, true
	case '.':
		if len(v.again) > 0 {
			result, _ = v.do(e, v.again)
		}
		return result, true
	case 'u':
		for range n {
			e.Undo()
		}
		e.rest()
		return ViStays, true
	}
	if long, ok := map[rune]string{'x': "dl", 'X': "dh", 'D': "d$", 'C': "c$", 's': "cl", 'S': "cc", 'Y': "yy"}[cmd[0]]; ok {
		return v.operate(e, whole, n, []rune(long))
	}
	if result, complete, known := v.insert(e, cmd); known {
		return result, complete
	}
	if changed, complete, known := e.viChange(n, cmd); known {
		if changed {
			v.again = append([]rune(nil), whole...)
		}
		return ViStays, complete
	}
	to, _, complete := v.motion(e, n, cmd)
	if to >= 0 {
		e.moveTo(to)
		e.rest()
	}
	return ViStays, complete
}

// insert begins insert mode.
func (v *Vi) insert(e *Editor, cmd []rune) (result ViResult, complete, known bool) {
	switch cmd[0] {
	case 'i':
	case 'a':
		if e.at < e.lineEnd(e.at) {
			e.Right()
		}
	case 'I':
		e.moveTo(e.firstInLine())
	case 'A':
		e.LineEnd()
	case 'o':
		e.LineEnd()
		e.Insert("\n")
	case 'O':
		e.LineStart()
		e.Insert("\n")
		e.Left()
	default:
		return ViStays, false, false
	}
	return ViInserts, true, true
}

// viChange runs the commands that change the text without a motion.
func (e *Editor) viChange(n int, cmd []rune) (changed, complete, known bool) {
	switch cmd[0] {
	case 'r':
		if len(cmd) < 2 {
			return false, false, true
		}
		if end := e.at + n; end <= e.lineEnd(e.at) {
			e.change()
			own(e)
			for i := e.at; i < end; i++ {
				e.runes[i] = cmd[1]
			}
			e.at = end - 1
		}
	case '~':
		e.change()
		own(e)
		for range n {
			if e.at < e.lineEnd(e.at) {
				r := e.runes[e.at]
				if e.runes[e.at] = unicode.ToUpper(r); unicode.IsUpper(r) {
					e.runes[e.at] = unicode.ToLower(r)
				}
				e.at++
			}
		}
		e.rest()
	case 'J':
		for range n {
			if end := e.lineEnd(e.at); end < len(e.runes) {
				e.change()
				own(e)
				e.runes[end], e.at = ' ', end
			}
		}
	case 'p', 'P':
		for range n {
			e.put(cmd[0] == 'p')
		}
	default:
		return false, false, false
	}
	return true, true, true
}

// put inserts the newest killed text behind or before the cursor; one of whole lines as lines.
func (e *Editor) put(behind bool) {
	if len(e.kills) == 0 {
		return
	}
	piece := e.kills[len(e.kills)-1]
	lines, isLines := strings.CutSuffix(piece, "\n")
	e.change()
	switch {
	case isLines && behind:
		e.at = e.lineEnd(e.at)
		e.insert([]rune("\n" + lines))
		e.moveTo(e.lineStart(e.at))
		return
	case isLines:
		e.at = e.lineStart(e.at)
		e.insert([]rune(piece))
		e.moveTo(e.lineStart(e.at - 1))
		return
	case behind && e.at < e.lineEnd(e.at):
		e.at = e.right(e.at)
	}
	e.insert([]rune(piece))
	e.Left()
}

// operate deletes, changes or copies what a motion covers.
func (v *Vi) operate(e *Editor, whole []rune, n int, cmd []rune) (ViResult, bool) {
	op := cmd[0]
	if len(cmd) == 1 {
		return ViStays, false
	}
	more, rest := readCount(cmd[1:])
	if len(rest) == 0 {
		return ViStays, false
	}
	n = min(n*more, mostCount)
	from, to, complete := v.covered(e, op, n, rest)
	if !complete {
		return ViStays, false
	}
	if from < 0 || from > to || len(e.runes) == 0 && op != 'c' {
		return ViStays, true
	}
	piece := string(e.runes[from:to])
	lines := rest[0] == op
	if lines {
		piece = strings.TrimSuffix(piece, "\n") + "\n"
	}
	e.kills = append(e.kills, piece)
	if op == 'y' {
		e.moveTo(from)
		e.rest()
		return ViStays, true
	}
	if lines && op == 'd' {
		switch { // the line break goes with the line
		case to < len(e.runes):
			to++
		case from > 0:
			from--
		}
	}
	e.at = from
	e.remove(from, to)
	if lines {
		e.at = e.lineStart(e.at)
	}
	if op == 'c' {
		return ViInserts, true
	}
	v.again = append([]rune(nil), whole...)
	e.rest()
	return ViStays, true
}
