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
	ViStays   ViResult = iota // normal mode goes on
	ViInserts                 // insert mode begins
	ViUp                      // to the row above, or back in the history
	ViDown                    // the other way
)

// viMost is the largest count that is taken: more repeats nothing that a line could have.
const viMost = 1000

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

// count reads a number at the start; none is 1. A zero at the start is a command.
func viCount(cmd []rune) (n int, rest []rune) {
	i := 0
	for ; i < len(cmd) && unicode.IsDigit(cmd[i]) && (i > 0 || cmd[i] != '0'); i++ {
		n = min(n*10+int(cmd[i]-'0'), viMost)
	}
	return max(n, 1), cmd[i:]
}

// do runs a command if it is complete.
func (v *Vi) do(e *Editor, whole []rune) (result ViResult, complete bool) {
	n, cmd := viCount(whole)
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
			for i := e.at; i < end; i++ {
				e.runes[i] = cmd[1]
			}
			e.at = end - 1
		}
	case '~':
		e.change()
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
	more, rest := viCount(cmd[1:])
	if len(rest) == 0 {
		return ViStays, false
	}
	n = min(n*more, viMost)
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

// covered gives the range that a motion or a text object covers for an operator; from is -1 where there is none.
func (v *Vi) covered(e *Editor, op rune, n int, cmd []rune) (from, to int, complete bool) {
	switch {
	case cmd[0] == op: // whole lines
		from, to = e.lineStart(e.at), e.lineEnd(e.at)
		for range n - 1 {
			if to < len(e.runes) {
				to = e.lineEnd(to + 1)
			}
		}
		return from, to, true
	case cmd[0] == 'i' || cmd[0] == 'a':
		if len(cmd) < 2 {
			return 0, 0, false
		}
		from, to = e.object(cmd[1], cmd[0] == 'a')
		return from, to, true
	case op == 'c' && (cmd[0] == 'w' || cmd[0] == 'W') && e.at < len(e.runes) && !unicode.IsSpace(e.runes[e.at]): // as vi does
		cmd = []rune{cmd[0] + 'e' - 'w'}
	}
	at, whole, complete := v.motion(e, n, cmd)
	if at < 0 || !complete {
		return -1, 0, complete
	}
	from, to = min(e.at, at), max(e.at, at)
	if whole {
		to = min(to+1, len(e.runes))
	}
	if (cmd[0] == 'w' || cmd[0] == 'W') && to > e.lineEnd(from) { // a word does not take the line break with it
		to = e.lineEnd(from)
	}
	return from, to, true
}

// motion gives where a motion goes: -1 is nowhere. whole: the character there is covered too.
func (v *Vi) motion(e *Editor, n int, cmd []rune) (to int, whole, complete bool) {
	switch cmd[0] {
	case 'f', 'F', 't', 'T':
		if len(cmd) < 2 {
			return -1, false, false
		}
		v.sought = append([]rune(nil), cmd[:2]...)
		return e.find(n, cmd[0], cmd[1]), unicode.IsLower(cmd[0]), true
	case ';', ',':
		if len(v.sought) < 2 {
			return -1, false, true
		}
		kind := v.sought[0]
		if cmd[0] == ',' {
			kind ^= 'f' ^ 'F'
		}
		return e.find(n, kind, v.sought[1]), unicode.IsLower(kind), true
	case 'g':
		if len(cmd) < 2 {
			return -1, false, false
		}
		if cmd[1] == 'g' {
			return 0, false, true
		}
		return -1, false, true
	case 'e', 'E':
		return e.wordEnd(n, cmd[0] == 'E'), true, true
	}
	to = e.at
	for range n {
		switch cmd[0] {
		case 'h':
			to = max(e.left(to), e.lineStart(e.at))
		case 'l', ' ':
			to = min(e.right(to), e.lineEnd(e.at))
		case '0':
			return e.lineStart(e.at), false, true
		case '^':
			return e.firstInLine(), false, true
		case '$':
			return e.lineEnd(e.at), false, true
		case 'G':
			return len(e.runes), false, true
		case 'w', 'W':
			to = e.nextWord(to, cmd[0] == 'W')
		case 'b', 'B':
			to = e.wordBefore(to, cmd[0] == 'B')
		default:
			return -1, false, true
		}
	}
	return to, false, true
}

// rest keeps the cursor of normal mode on a character.
func (e *Editor) rest() {
	if e.at > e.lineStart(e.at) && e.at == e.lineEnd(e.at) {
		e.at = e.left(e.at)
	}
}

// Rest is for the end of insert mode: the cursor goes to the last character.
func (e *Editor) Rest() {
	if e.at > e.lineStart(e.at) {
		e.moveTo(e.left(e.at))
	}
}

func (e *Editor) firstInLine() int {
	at := e.lineStart(e.at)
	for at < e.lineEnd(at) && unicode.IsSpace(e.runes[at]) {
		at++
	}
	return at
}

// kind tells blanks, words and other characters apart; big words know only blanks.
func (e *Editor) kind(at int, big bool) int {
	switch r := e.runes[at]; {
	case unicode.IsSpace(r):
		return 0
	case big || wordRune(r):
		return 1
	}
	return 2
}

func (e *Editor) nextWord(at int, big bool) int {
	if at >= len(e.runes) {
		return at
	}
	for k := e.kind(at, big); at < len(e.runes) && e.kind(at, big) == k; {
		at++
	}
	for at < len(e.runes) && e.kind(at, big) == 0 {
		at++
	}
	return at
}

func (e *Editor) wordBefore(at int, big bool) int {
	for at > 0 && e.kind(at-1, big) == 0 {
		at--
	}
	if at == 0 {
		return 0
	}
	for k := e.kind(at-1, big); at > 0 && e.kind(at-1, big) == k; {
		at--
	}
	return at
}

func (e *Editor) wordEnd(n int, big bool) int {
	at := e.at
	for range n {
		at++
		for at < len(e.runes) && e.kind(at, big) == 0 {
			at++
		}
		if at >= len(e.runes) {
			return max(len(e.runes)-1, 0)
		}
		for k := e.kind(at, big); at+1 < len(e.runes) && e.kind(at+1, big) == k; {
			at++
		}
	}
	return at
}

// find looks in the line for the n-th character, as f, F, t and T do.
func (e *Editor) find(n int, kind, want rune) int {
	step, end := 1, e.lineEnd(e.at)
	if unicode.IsUpper(kind) {
		step, end = -1, e.lineStart(e.at)-1
	}
	for at := e.at + step; at != end && at >= 0 && at < len(e.runes); at += step {
		if e.runes[at] != want {
			continue
		}
		if n--; n == 0 {
			if unicode.ToLower(kind) == 't' {
				at -= step
			}
			return at
		}
	}
	return -1
}

// object gives the range of a text object: a word, or what is between quotes or brackets.
func (e *Editor) object(what rune, around bool) (from, to int) {
	if what == 'w' || what == 'W' {
		if e.at >= len(e.runes) {
			return -1, 0
		}
		from, to = e.at, e.at
		k := e.kind(e.at, what == 'W')
		for from > 0 && e.runes[from-1] != '\n' && e.kind(from-1, what == 'W') == k {
			from--
		}
		for to < len(e.runes) && e.runes[to] != '\n' && e.kind(to, what == 'W') == k {
			to++
		}
		for around && to < len(e.runes) && e.runes[to] == ' ' {
			to++
		}
		return from, to
	}
	open, shut := what, what
	for _, pair := range []string{"()b", "[]", "{}B", "<>"} {
		if strings.ContainsRune(pair, what) {
			open, shut = rune(pair[0]), rune(pair[1])
		}
	}
	if open == shut && !strings.ContainsRune("\"'`", what) {
		return -1, 0
	}
	from = e.at
	for depth := 0; ; from-- {
		if from < 0 {
			return -1, 0
		}
		if e.runes[min(from, len(e.runes)-1)] == shut && from < e.at && open != shut {
			depth++
		} else if from < len(e.runes) && e.runes[from] == open {
			if depth == 0 {
				break
			}
			depth--
		}
	}
	to = from + 1
	for depth := 0; ; to++ {
		if to >= len(e.runes) {
			return -1, 0
		}
		if e.runes[to] == shut {
			if depth == 0 {
				break
			}
			depth--
		} else if e.runes[to] == open {
			depth++
		}
	}
	if around {
		return from, to + 1
	}
	return from + 1, to
}
