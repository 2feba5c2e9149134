package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/tui/text"
)

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
	set, own := u.o.Harness.Settings().StatusLine, &u.own
	if set.Command == "" || own.runs || u.leaving || u.now().Sub(own.began) < statusPause {
		return nil
	}
	s, ctx := u.session, u.ctx
	how := s.How()
	of := fmt.Sprint(s.ID(), how.Mode, how.Model, u.talk.context, u.talk.usage, u.turn != nil, u.branch)
	if of == own.of {
		return nil
	}
	own.runs, own.began, own.of = true, u.now(), of
	input, err := json.Marshal(u.stateForStatus())
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

// stateForStatus is what the command gets: the fields have the names that such commands of other programs read.
func (u *ui) stateForStatus() map[string]any {
	how, t, root := u.how(), &u.talk, u.o.Harness.Root()
	window := u.contextWindow()
	percent := int64(0)
	if window > 0 {
		percent = t.context * 100 / window
	}
	return map[string]any{
		"hook_event_name": "Status", "session_id": u.session.ID(), "cwd": root, "version": u.o.Version, "mode": how.Mode, "branch": u.branch, "working": u.turn != nil,
		"model":          map[string]string{"id": how.Model, "display_name": shortModel(how.Model)},
		"workspace":      map[string]string{"current_dir": root, "project_dir": root},
		"cost":           map[string]any{"total_cost_usd": t.usage.Cost},
		"context_window": map[string]any{"total_input_tokens": t.usage.Input, "total_output_tokens": t.usage.Output, "context_window_size": window, "used_percentage": percent},
	}
}
