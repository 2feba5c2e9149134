package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/app/session"
	"rein/app/tui/text"
)

// statusLines is the last line of the screen, and above it a hint.
func (u *ui) statusLines() []text.Line {
	t, how := &u.talk, u.how()
	b := statusBar{Words: u.words, Mode: how.Mode, Waits: u.questions.Len(), Own: u.bar.own.line, Model: shortModel(how.Model), Dir: shortDir(u.root()), Branch: u.bar.branch,
		Context: t.context, Cost: t.usage.Cost, Works: u.turn != nil, Tokens: t.written()}
	if u.session != nil { // a command that is waited for does not run in the background
		b.Jobs = len(u.session.Jobs()) - t.live.Running("bash")
	}
	if u.line.normal {
		b.Vi = "normal " + u.line.commands.Pending()
	}
	if t.context > 0 { // the window's size costs a look at the whole conversation
		b.Window = u.bar.window.of(u.session)
	}
	if u.turn != nil {
		b.For = u.now().Sub(u.turn.began)
		if !u.questions.Focused() && u.line.Empty() {
			b.Stops = u.words.Of("%s stops", u.keys.Shown(text.Close))
		}
	}
	lines := []text.Line{b.Line(u.width)}
	if u.bar.offline != "" {
		lines = append([]text.Line{text.Of(text.Warn, "  "+u.words.Of("! no connection to the server, trying again: %s", text.OneLine(u.bar.offline))).Cut(u.width - 1)}, lines...)
	}
	if h := u.hintLine(); h != "" {
		lines = append(u.hintRows(text.Of(text.Dim, "  "+h), u.hint != "" || u.questions.keeping != ""), lines...)
	}
	return lines
}

// mostHintRows is how many rows a message for the user may have, and what names the file in which a rule is kept. On a low screen it has one,
// and what else helps with a request always has.
const mostHintRows = 3

func (d *display) hintRows(hint text.Line, wraps bool) []text.Line {
	rows := hint.Wrap(d.width-1, text.Of(text.Plain, "  "))
	if !wraps || len(rows) > mostHintRows || d.height < lowScreen {
		return []text.Line{hint.Cut(d.width - 1)}
	}
	return rows
}

// hintLine helps with what can be done now.
func (u *ui) hintLine() string {
	if u.hint != "" {
		return u.words.Of(u.hint)
	}
	var rules []string
	if u.questions.keeping != "" {
		rules = u.o.Place.RuleFiles()
	}
	return u.words.Of(u.questions.hint(u.keys, rules, u.line.Empty(), u.now()))
}

// shortModel is the name of a model without its provider.
func shortModel(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// bar is what the status line has beside what the session and the conversation know.
type bar struct {
	own     ownStatus
	window  window
	branch  string
	offline string // why there is no connection to the session
}

// window is the size of a model's window in tokens. It is asked once for each model: the answer counts the conversation.
type window struct {
	model  string
	tokens int64 // 0: not known
}

func (w *window) of(s session.Session) int64 {
	if model := s.How().Model; w.model != model || w.tokens == 0 {
		w.model, w.tokens = model, s.Window()
	}
	return w.tokens
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
	s, set, own := u.session, u.o.StatusLine, &u.bar.own
	if set.Command == "" || own.runs || u.leaving || u.now().Sub(own.began) < statusPause {
		return nil
	}
	ctx, how := u.ctx, s.How()
	of := fmt.Sprint(s.ID(), how.Mode, how.Model, u.talk.context, u.talk.usage, u.turn != nil, u.bar.branch)
	if of == own.of {
		return nil
	}
	own.runs, own.began, own.of = true, u.now(), of
	input, err := json.Marshal(statusInput(statusBar{Mode: how.Mode, Model: shortModel(how.Model), Dir: u.root(), Branch: u.bar.branch, Works: u.turn != nil, Context: u.talk.context, Window: u.bar.window.of(u.session), Cost: u.talk.usage.Cost},
		s.ID(), how.Model, u.o.Version, u.talk.usage.Input, u.talk.usage.Output))
	if err != nil {
		return nil
	}
	return later(func() func(*ui) tea.Cmd {
		out, err := s.StatusLine(ctx, input)
		return func(u *ui) tea.Cmd {
			u.bar.own.runs = false
			if err != nil {
				if u.bar.own.line = nil; !u.bar.own.failed {
					u.bar.own.failed = true
					u.note(text.Warn, u.words.Of("! the command of the status line: %v", err))
				}
				return nil
			}
			first, _, _ := strings.Cut(strings.TrimLeft(out, "\n"), "\n")
			u.bar.own.line = append(text.Of(text.Plain, strings.Repeat(" ", min(set.Padding, 20))), text.FromANSI(first)...)
			return nil
		}
	})
}
