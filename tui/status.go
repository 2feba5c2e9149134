package tui

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"rein/tui/text"

	"rein/tui/block"
	"rein/tui/place"
	"rein/tui/scroll"
)

// modeSpan is the mode in its colour.
func (u *ui) modeSpan(short bool) text.Span {
	mode := u.how().Mode
	words := block.Mode(mode)
	if short {
		words = mode
	}
	role := map[string]text.Role{"plan": text.Accent, "read-only": text.Accent, "full": text.Error}[mode]
	return text.Span{Text: words, Style: text.Style{Role: role, Bold: mode != "supervised"}}
}

// statusLines is the last line of the screen, and above it a hint.
func (u *ui) statusLines() []text.Line {
	parts := []text.Line{{u.modeSpan(u.width < 60)}}
	add := func(on bool, r text.Role, s string) {
		if on {
			parts = append(parts, text.Of(r, s))
		}
	}
	t, how := &u.talk, u.how()
	waits := u.questions.Len()
	add(u.normal, text.Accent, "normal "+u.commands.Pending())
	add(waits > 0, text.Warn, waitWords(waits))
	if len(u.own.line) > 0 {
		line := text.Of(text.Plain, "  ")
		for _, p := range append(parts, u.own.line) {
			line = append(append(line, p...), text.In(text.Plain, "    "))
		}
		return u.withHint(line)
	}
	if u.width >= 100 {
		add(how.Model != "", text.Dim, shortModel(how.Model))
		add(true, text.Dim, place.Short(u.o.Harness.Root()))
	}
	if u.width >= 60 {
		add(u.branch != "", text.Dim, u.branch)
	}
	if t.context > 0 { // the window's size costs a look at the whole conversation
		add(true, text.Dim, u.contextWords())
	}
	add(t.usage.Cost > 0 && u.width >= 60, text.Dim, block.Money(t.usage.Cost))
	jobs := u.jobCount()
	add(jobs > 0 && u.width >= 60, text.Dim, block.Count(int64(jobs), "job"))
	if u.turn != nil && u.width >= 60 {
		add(true, text.Dim, block.Since(u.now().Sub(u.turn.began)))
		add(!u.questions.Focused() && u.editor.Empty(), text.Dim, "Esc stops")
	}
	line := text.Of(text.Plain, "  ")
	gap := text.In(text.Plain, strings.Repeat(" ", 4))
	if u.width < 60 {
		gap = text.In(text.Plain, "   ")
	}
	for i, p := range parts {
		if i > 0 {
			p = append(text.Line{gap}, p...)
		}
		if line.Width()+p.Width() < u.width {
			line = append(line, p...)
		}
	}
	return u.withHint(line)
}

// jobCount counts what runs in the background. A command that is waited for does not.
func (u *ui) jobCount() int {
	if u.session == nil {
		return 0
	}
	return len(u.session.Jobs()) - u.talk.live.Running("bash")
}

// withHint puts a hint above the status.
func (u *ui) withHint(status text.Line) []text.Line {
	lines := []text.Line{status.Cut(u.width - 1)}
	if h := u.hintLine(); h != "" {
		lines = append([]text.Line{text.Of(text.Dim, "  "+h).Cut(u.width - 1)}, lines...)
	}
	return lines
}

func waitWords(n int) string {
	if n == 1 {
		return "1 waits"
	}
	return fmt.Sprintf("%d wait", n)
}

// hintLine helps with what can be done now.
func (u *ui) hintLine() string {
	switch {
	case u.hint != "":
		return u.hint
	case u.questions.Len() == 0 || u.telling != nil:
		return ""
	case !u.questions.Focused():
		return "Tab or an arrow goes to the question; what you type goes to the line"
	case !u.questions.Ready(u.now()):
		return "a moment: keys that were meant for something else do not answer"
	}
	return "arrows move, Enter answers, Esc goes back to the line"
}

// contextWords says how full the window of the model is; where its size is not known, how many tokens it has.
func (u *ui) contextWords() string {
	window := u.contextWindow()
	if window <= 0 {
		return block.Tokens(u.talk.context) + " tokens"
	}
	words := fmt.Sprintf("%d %%", u.talk.context*100/window)
	if u.width >= 100 {
		words = "context " + words + " of " + block.Tokens(window)
	}
	return words
}

// contextWindow is the size of the model's window in tokens. It is asked once for each model: the answer counts the conversation.
func (u *ui) contextWindow() int64 {
	if model := u.how().Model; u.window.model != model {
		u.window.model, u.window.tokens = model, int64(u.session.Context().Window)
	}
	return u.window.tokens
}

// shortModel is the name of a model without its provider.
func shortModel(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// shortPaths writes paths relative to the workspace, or to the home directory.
func (u *ui) shortPaths(paths []string) []string {
	root := u.o.Harness.Root() + string(filepath.Separator)
	out := make([]string, len(paths))
	for i, p := range paths {
		if rest, ok := strings.CutPrefix(p, root); ok {
			p = rest
		}
		out[i] = place.Short(p)
	}
	return out
}

// header is the first line of the screen.
func (u *ui) header() []text.Line {
	left := text.Line{text.Bold(text.Plain, "rein"), text.In(text.Dim, " "+u.o.Version+"  "), text.In(text.Plain, place.Short(u.o.Harness.Root()))}
	if u.branch != "" {
		left = append(left, text.In(text.Dim, "  "+u.branch))
	}
	how := u.how()
	right := text.Of(text.Dim, shortModel(how.Model))
	return []text.Line{text.Spread(left, right, u.textWidth())}
}

// showFirst prints three things to try, at the first start.
func (u *ui) showFirst() {
	try := func(what, about string) text.Line {
		return text.Line{text.In(text.Accent, "  "+what), text.In(text.Dim, "   "+about)}.Cut(u.width - 1)
	}
	u.print(scroll.Loose, text.Of(text.Plain, "  Three things to try:"), try("explain how this project is built", "it reads freely; it asks before it changes or runs something"),
		try("@"+"  and a few letters", "names a file"), try("!git status", "a command of your own; its output goes with your next message"))
}

// showPast prints the last messages of a session that goes on.
func (u *ui) showPast() {
	messages := u.session.Messages()
	const most = 6
	if len(messages) > most {
		messages = messages[len(messages)-most:]
	}
	for _, m := range messages {
		s := strings.TrimSpace(m.Text())
		switch {
		case s == "":
		case string(m.Role) == "user":
			u.prompted(s)
		case string(m.Role) == "assistant":
			lines := u.talk.renderer.Lines(s, u.markdownOptions())
			const rows = 20
			if over := len(lines) - rows; over > 0 {
				lines = append([]text.Line{text.Of(text.Dim, block.Count(int64(over), "row")+" before")}, lines[over:]...)
			}
			u.print(scroll.Loose, text.Indent(lines, 2)...)
		}
	}
	u.talk.usage = u.session.Usage()
	u.print(scroll.Loose, text.Of(text.Dim, "  "+u.resumedWords()))
}

func (u *ui) resumedWords() string {
	return "session " + u.session.ID() + " goes on, " + time.Now().Format("2 Jan 15:04")
}
