package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rein/event"
	"rein/tui/complete"
	"rein/tui/text"
)

// expand sends the message of a slash command that a file or a skill defines. Its calls go through the same checks as those of
// the model.
func (u *ui) expand(line, name, args string) tea.Cmd {
	if u.turn != nil {
		u.editor.Set(line)
		u.hint = noCommand(name)
		if slices.ContainsFunc(u.custom, func(o complete.Offer) bool { return strings.TrimSpace(o.Insert) == "/"+name }) {
			u.idle()
		}
		return nil
	}
	ctx, t := u.newTurn()
	s, box := u.session, u.requests.Box
	return later(func() func(*ui) tea.Cmd {
		defer close(t.over)
		defer t.cancel()
		message, attached, ok, err := s.Expand(ctx, name, args, func(e event.Event) { box.Put(e) })
		return func(u *ui) tea.Cmd {
			first := u.drain() // what happened comes before its end
			cmd := tea.Batch(first, u.ended(turnOver{}))
			switch {
			case err != nil:
				u.failed(err)
			case !ok:
				u.editor.Set(line)
				u.hint = noCommand(name)
			default:
				return tea.Batch(cmd, u.send(message, attached))
			}
			return cmd
		}
	})
}

func noCommand(name string) string {
	return "there is no command /" + text.OneLine(name) + "; write // to send a message that begins with a slash"
}

// background work of a command: do runs in a goroutine of its own, and what it gives changes the screen.
func later(do func() func(*ui) tea.Cmd) tea.Cmd {
	return func() tea.Msg { return done{do()} }
}
