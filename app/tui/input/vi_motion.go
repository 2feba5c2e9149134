package input

import (
	"strings"
	"unicode"
)

// covered returns the range that a motion or a text object covers for an operator; from is -1 where there is none.
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

// motion returns where a motion goes: -1 is nowhere. whole: the character there is covered too.
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

// object returns the range of a text object: a word, or what is between quotes or brackets.
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
	from = min(e.at, len(e.runes)-1)
	for depth := 0; ; from-- {
		if from < 0 {
			return -1, 0
		}
		if e.runes[from] == shut && from < e.at && open != shut {
			depth++
		} else if e.runes[from] == open {
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
