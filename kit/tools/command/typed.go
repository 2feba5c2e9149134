package command

import (
	"strings"
	"sync"
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
	state   string // lines that a shell has executed and that may change what later lines mean
	earlier string // lines that a shell has read and that continue in this one
	text    string
	unknown bool   // this line
	lost    bool   // this line and all later ones
	program string // the command of a program that is no shell and of which it is known what it does with lines; "" for a shell
}

// unfollowed begins the judged command where the line is not known: no guard takes a program without a known name for
// harmless.
const unfollowed = "$line_in_the_terminal "

// elsewhere is the state after a line that is not known: it may have changed the directory.
const elsewhere = "cd \"$line_in_the_terminal\"\n"

// mostTyped bounds the lines that are remembered, in bytes.
const mostTyped = 64 << 10

// command is what a call would make a shell execute: all that was typed since the last complete line, after the lines that
// changed the state of the shell.
func (l typedLine) command(text, key string) string {
	if text == "" && key == "ctrl-c" {
		return "" // whatever program it interrupts: it makes nothing execute the line
	}
	if text == "" && key == "ctrl-d" && l.earlier+l.text == "" && l.program != "" {
		return "" // the end of its input
	}
	after, executed := l.after(text, key)
	if l.program != "" && !l.unknown && !l.lost && !after.unknown {
		return asInput(l.program, l.state+executed+after.text)
	}
	if l.unknown || l.lost || after.unknown {
		return unfollowed + text
	}
	if executed == "" {
		executed = after.earlier + after.text // a later call completes it
	}
	if executed == "" {
		return ""
	}
	return l.state + strings.TrimSuffix(executed, "\n")
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
			l.text += string(c)
		}
	}
	switch key {
	case "", "enter":
		executed += l.enter()
	case "none":
	case "left", "right", "ctrl-c", "ctrl-d":
		// Not every program has a line editor, and not every terminal drops the line.
		l.unknown = l.unknown || l.earlier+l.text != ""
	default: // history, completion, another program
		l.unknown = true
	}
	return l, executed
}

// enter ends the line. A line that continues is executed together with the next ones.
func (l *typedLine) enter() (executed string) {
	whole := l.earlier + l.text + "\n"
	if l.program != "" {
		if l.unknown {
			*l = typedLine{program: l.program, lost: true}
			return unfollowed + whole
		}
		l.text = ""
		l.keep(whole)
		return whole
	}
	unknown := l.unknown || expands(l.text)
	*l = typedLine{state: l.state, lost: l.lost || leavesTheShell(whole)}
	switch {
	case unknown:
		l.keep(elsewhere)
		return unfollowed + whole
	case goesOn(whole) && len(whole) < mostTyped:
		l.earlier = whole
	case changesState(whole):
		l.keep(whole)
	}
	return whole
}

// keep takes executed lines into the state.
func (l *typedLine) keep(lines string) {
	if l.program != "" || !strings.HasSuffix(l.state, lines) {
		l.state += lines
	}
	if len(l.state) > mostTyped {
		l.state, l.lost = "", true
	}
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
func (t *typed) judge(in jobInputArgs, begun typedLine) string {
	t.lock.Lock()
	defer t.lock.Unlock()
	call := typedCall{oneName(in.Job), in.Text, in.Key}
	if t.judged == nil {
		t.judged, t.lines = map[typedCall]typedLine{}, map[string]typedLine{}
	}
	line := t.line(call.job, begun)
	t.judged[call] = line
	return line.command(in.Text, in.Key)
}

// begin reports whether the line is still the one that the call was judged with, and takes the call's text into it.
func (t *typed) begin(in jobInputArgs, begun typedLine) bool {
	t.lock.Lock()
	defer t.lock.Unlock()
	call := typedCall{oneName(in.Job), in.Text, in.Key}
	line := t.line(call.job, begun)
	judged, ok := t.judged[call]
	if !ok { // not judged here: as if nothing had been typed
		judged = begun
	}
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

// line returns the line of a job, which is begun where nothing was typed yet.
func (t *typed) line(job string, begun typedLine) typedLine {
	if l, ok := t.lines[job]; ok {
		return l
	}
	return begun
}
