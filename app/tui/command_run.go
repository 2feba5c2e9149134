package tui

import (
	"context"
	"errors"
	"iter"

	tea "charm.land/bubbletea/v2"

	"rein/app/session"
	"rein/app/tui/block"
	"rein/app/tui/text"
	"rein/event"
	"rein/tool"
)

// expand sends the message of a slash command that a file or a skill defines. Its calls go through the same checks as those of
// the model.
func expand(u *ui, line, name, args string) tea.Cmd {
	if u.turn != nil {
		u.line.Set(line)
		u.hint = u.noCommand(name)
		if u.line.defines(name) {
			u.idle()
		}
		return nil
	}
	s := u.session
	var message string
	var attached []tool.Part
	return u.asTurn(func(ctx context.Context, happened func(event.Event)) (err error) {
		message, attached, err = s.Expand(ctx, name, args, happened)
		return err
	}, func(u *ui, err error) tea.Cmd {
		cmd := u.ended(turnOver{})
		switch {
		case err == nil:
			return tea.Batch(cmd, u.send(message, attached))
		case errors.Is(err, session.ErrSendLine) && !u.idle(): // another turn has begun meanwhile
			u.line.Set(line)
		case errors.Is(err, session.ErrSendLine):
			return tea.Batch(cmd, u.begin(func(ctx context.Context) iter.Seq2[event.Event, error] { return s.SendLine(ctx, line) }))
		case errors.Is(err, session.ErrNoCommand):
			u.line.Set(line)
			u.hint = u.noCommand(name)
		default:
			u.wrong(err)
		}
		return cmd
	})
}

// shell runs a command of the user through the same checks as one of the model. Its output goes with the next message.
func shell(u *ui, command string) tea.Cmd {
	if command == "" {
		return nil
	}
	if !u.idle() {
		u.line.Set("!" + command)
		return nil
	}
	s := u.session
	var output string
	u.talk.own = true
	return u.asTurn(func(ctx context.Context, happened func(event.Event)) (err error) {
		output, err = s.RunCommand(ctx, command, happened)
		return err
	}, func(u *ui, err error) tea.Cmd {
		u.talk.own = false
		if _, ok := errors.AsType[session.NotThere](err); ok {
			u.line.Set("!" + command)
			u.hint = u.words.Message(err.Error())
			return u.ended(turnOver{})
		}
		if output != "" {
			u.offered = append(u.offered, block.OwnCommand+command+"\n"+output+"\n```")
			u.hint = "the output goes with your next message"
		}
		return u.ended(turnOver{err})
	})
}

func (d *display) noCommand(name string) string {
	return d.words.Of("there is no command /%s; write // to send a message that begins with a slash", text.OneLine(name))
}
