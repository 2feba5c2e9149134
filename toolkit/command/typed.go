package command

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// typed knows what was typed into the terminals of jobs: the line that a key completes is judged as a whole, however many
// calls it took to type it.
type typed struct {
	lock  sync.Mutex
	lines map[string]typedLine // by id of the job
	// judged has, for each call that was judged and has not run, the line as it was then. Calls of one turn are judged
	// before any of them runs.
	judged map[typedCall]typedLine
}

type typedCall struct{ job, text, key string }

// A typedLine is the line of a terminal before a call types more.
type typedLine struct {
	earlier string // lines that a shell has read and that go on in this one
	text    string
	cursor  int // in bytes of text
	unknown bool
}

// unfollowed begins the judged command where the line is not known: no guard takes a program without a known name for
// harmless.
const unfollowed = "$line_in_the_terminal "

// mostTyped bounds the lines that are remembered as one command, in bytes.
const mostTyped = 64 << 10

// command is what a call would make a shell execute: all that was typed since the last complete line.
func (l typedLine) command(text, key string) string {
	after, executed := l.after(text, key)
	if l.unknown || after.unknown {
		return unfollowed + text
	}
	if executed == "" {
		return after.earlier + after.text // a later call completes it
	}
	return strings.TrimSuffix(executed, "\n")
}

// after returns the line after a call, and the lines that the call completes.
func (l typedLine) after(text, key string) (after typedLine, executed string) {
	for _, c := range text {
		switch c {
		case '\n', '\r':
			executed += l.enter()
		case '\t':
			l.unknown = true // the program completes a name
		default:
			l.text = l.text[:l.cursor] + string(c) + l.text[l.cursor:]
			l.cursor += utf8.RuneLen(c)
		}
	}
	switch key {
	case "", "enter":
		executed += l.enter()
	case "none":
	case "left":
		_, size := utf8.DecodeLastRuneInString(l.text[:l.cursor])
		l.cursor -= size
	case "right":
		_, size := utf8.DecodeRuneInString(l.text[l.cursor:])
		l.cursor += size
	case "ctrl-c":
		l = typedLine{}
	case "ctrl-d":
		if l.earlier+l.text != "" {
			l.unknown = true // it deletes a letter, lists names, or ends the text
		}
	default: // history, completion, another program
		l.unknown = true
	}
	return l, executed
}

// enter ends the line. A line that goes on is executed together with the next ones.
func (l *typedLine) enter() (executed string) {
	whole := l.earlier + l.text + "\n"
	unknown := l.unknown || expands(l.text)
	*l = typedLine{}
	switch {
	case unknown:
		return unfollowed + whole
	case goesOn(whole) && len(whole) < mostTyped:
		l.earlier = whole
	}
	return whole
}

// expands reports whether an interactive shell would take words from its history.
func expands(line string) bool {
	for i, c := range line {
		if c == '!' && i+1 < len(line) && !strings.ContainsRune(" \t\n=(", rune(line[i+1])) {
			return true
		}
	}
	return strings.HasPrefix(line, "^")
}

// goesOn reports whether a shell may wait for more lines: an open quote, bracket or here-document, an operator at the end,
// or a word that begins a compound command. Where it is wrong, lines are judged together that belong to several commands.
func goesOn(text string) bool {
	line := strings.TrimRight(text, "\n")
	if strings.Contains(line, "<<") || strings.Count(line, "'")%2 == 1 || strings.Count(line, `"`)%2 == 1 || strings.Count(line, "`")%2 == 1 {
		return true
	}
	if strings.HasSuffix(line, "\\") || strings.Count(line, "(") > strings.Count(line, ")") || strings.Count(line, "{") > strings.Count(line, "}") {
		return true
	}
	end := strings.TrimRight(line, " \t\n")
	for _, operator := range []string{"|", "&&", "then", "do", "else", "in"} {
		if strings.HasSuffix(end, operator) {
			return true
		}
	}
	open := 0
	for _, word := range strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(" \t\n;&|(){}", c) }) {
		switch word {
		case "if", "while", "until", "for", "case", "select":
			open++
		case "fi", "done", "esac":
			open--
		}
	}
	return open > 0
}

// oneName is the id of a job, which may be given without its first letters: "job1" and "1" are one terminal.
func oneName(job string) string { return strings.TrimPrefix(job, "job") }

// judge returns the command of a call, and remembers the line that it was judged with.
func (t *typed) judge(in jobInputArgs) string {
	t.lock.Lock()
	defer t.lock.Unlock()
	call := typedCall{oneName(in.Job), in.Text, in.Key}
	if t.judged == nil {
		t.judged, t.lines = map[typedCall]typedLine{}, map[string]typedLine{}
	}
	line := t.lines[call.job]
	t.judged[call] = line
	return line.command(in.Text, in.Key)
}

// begin reports whether the line is still the one that the call was judged with, and takes the call's text into it.
func (t *typed) begin(in jobInputArgs) bool {
	t.lock.Lock()
	defer t.lock.Unlock()
	call := typedCall{oneName(in.Job), in.Text, in.Key}
	line := t.lines[call.job]
	judged := t.judged[call] // not judged here: as if nothing had been typed
	delete(t.judged, call)
	if judged != line {
		return false
	}
	if t.lines == nil {
		t.lines = map[string]typedLine{}
	}
	t.lines[call.job], _ = line.after(in.Text, in.Key)
	return true
}
