package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/tui/keys"
	"rein/tui/place"
	"rein/tui/scroll"
	"rein/tui/status"
	"rein/tui/text"
)

// statusLines is the last line of the screen, and above it a hint.
func (u *ui) statusLines() []text.Line {
	t, how := &u.talk, u.how()
	b := status.Bar{Mode: how.Mode, Waits: u.questions.Len(), Own: u.own.line, Model: shortModel(how.Model), Dir: place.Short(u.root()), Branch: u.branch,
		Context: t.context, Cost: t.usage.Cost, Jobs: u.jobCount(), Works: u.turn != nil, Tokens: t.written()}
	if u.normal {
		b.Vi = "normal " + u.commands.Pending()
	}
	if t.context > 0 { // the window's size costs a look at the whole conversation
		b.Window = u.contextWindow()
	}
	if u.turn != nil {
		b.For = u.now().Sub(u.turn.began)
		if !u.questions.Focused() && u.editor.Empty() {
			b.Stops = u.keys.Shown(keys.Close) + " stops"
		}
	}
	lines := []text.Line{b.Line(u.width)}
	if u.offline != "" {
		lines = append([]text.Line{text.Of(text.Warn, "  ! no connection to the server, trying again: "+text.OneLine(u.offline)).Cut(u.width - 1)}, lines...)
	}
	if h := u.hintLine(); h != "" {
		lines = append([]text.Line{text.Of(text.Dim, "  "+h).Cut(u.width - 1)}, lines...)
	}
	return lines
}

// jobCount counts what runs in the background. A command that is waited for does not.
func (u *ui) jobCount() int {
	if u.session == nil {
		return 0
	}
	return len(u.session.Jobs()) - u.talk.live.Running("bash")
}

// hintLine helps with what can be done now.
func (u *ui) hintLine() string {
	switch {
	case u.hint != "":
		return u.hint
	case u.telling != nil:
		return u.tellingHint()
	case u.questions.Len() == 0:
		return ""
	case !u.questions.Focused():
		return "Tab or an arrow goes to the request; what you type goes to the line"
	case !u.questions.Ready(u.now()):
		return "wait a moment: keys that were meant for something else do not answer"
	}
	return "arrows move, Enter answers, Esc goes back to the line"
}

// contextWindow is the size of the model's window in tokens. It is asked once for each model: the answer counts the conversation.
func (u *ui) contextWindow() int64 {
	if model := u.how().Model; u.window.model != model || u.window.tokens == 0 {
		u.window.model, u.window.tokens = model, u.session.Window()
	}
	return u.window.tokens
}

// shortModel is the name of a model without its provider.
func shortModel(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// header is the first line of the screen.
func (u *ui) header() []text.Line {
	left := text.Line{text.Bold(text.Plain, "rein"), text.In(text.Dim, " "+u.o.Version+"  "), text.In(text.Plain, place.Short(u.root()))}
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
	u.print(scroll.Loose, text.Of(text.Plain, "  Three things to try:"), try("explain how this project is built", "it reads freely, and asks before changes"),
		try("@"+"  and a few letters", "names a file"), try("!git status", "a command of your own; its output goes with your next message"))
}

// ownStatus is what the user's command for the status line printed.
type ownStatus struct {
	line   text.Line
	runs   bool
	began  time.Time
	of     string // the state that it was asked about
	failed bool   // the user knows why
}

// statusPause is how long a run of the command follows the one before at the earliest.
const statusPause = time.Second

// runOwnStatus runs the command when the state has changed. It never runs twice at once.
func (u *ui) runOwnStatus() tea.Cmd {
	s, ok := u.here()
	if !ok {
		return nil
	}
	set, own := u.o.Harness.Settings().StatusLine, &u.own
	if set.Command == "" || own.runs || u.leaving || u.now().Sub(own.began) < statusPause {
		return nil
	}
	ctx, how := u.ctx, s.Terms()
	of := fmt.Sprint(s.ID(), how.Mode, how.Model, u.talk.context, u.talk.usage, u.turn != nil, u.branch)
	if of == own.of {
		return nil
	}
	own.runs, own.began, own.of = true, u.now(), of
	input, err := json.Marshal(status.State(status.Bar{Mode: how.Mode, Model: shortModel(how.Model), Dir: u.root(), Branch: u.branch, Works: u.turn != nil, Context: u.talk.context, Window: u.contextWindow(), Cost: u.talk.usage.Cost},
		s.ID(), how.Model, u.o.Version, u.talk.usage.Input, u.talk.usage.Output))
	if err != nil {
		return nil
	}
	return later(func() func(*ui) tea.Cmd {
		out, err := s.StatusLine(ctx, input)
		return func(u *ui) tea.Cmd {
			u.own.runs = false
			if err != nil {
				if u.own.line = nil; !u.own.failed {
					u.own.failed = true
					u.note(text.Warn, "! the command of the status line: "+err.Error())
				}
				return nil
			}
			first, _, _ := strings.Cut(strings.TrimLeft(out, "\n"), "\n")
			u.own.line = append(text.Of(text.Plain, strings.Repeat(" ", min(set.Padding, 20))), text.FromANSI(first)...)
			return nil
		}
	})
}
