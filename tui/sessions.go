package tui

import (
	"cmp"
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rein/harness/catalogue"
	"rein/harness/slash"
	"rein/tui/block"
	"rein/tui/full"
	"rein/tui/place"
	"rein/tui/session"
	"rein/tui/text"
)

// pickSession lets the user choose a session of this directory to continue with.
func (u *ui) pickSession(query string) tea.Cmd {
	return u.listSessions("resume", query, u.root())
}

// sessions lists those of all directories, or runs a command over them.
func (u *ui) sessions(args string) tea.Cmd {
	if args != "" {
		return u.showRun("/sessions "+args, append([]string{"sessions"}, slash.Words(args)...)...)
	}
	return u.listSessions("sessions", "", "")
}

// listSessions lets the user choose a session to continue with.
func (u *ui) listSessions(title, query string, dir string) tea.Cmd {
	if !u.idle() {
		return nil
	}
	where, ctx, own := u.o.Place, u.ctx, u.session.ID()
	return later(func() func(*ui) tea.Cmd {
		all, err := where.Sessions(ctx, dir)
		return func(u *ui) tea.Cmd {
			if err != nil {
				u.failed(err)
				return nil
			}
			var rows []full.Entry
			for _, s := range all {
				if s.ID != own {
					rows = append(rows, full.Entry{Name: sessionName(s), About: u.sessionFacts(s), Value: s})
				}
			}
			if len(rows) == 0 {
				u.hint = "there is no other session"
				if dir != "" {
					u.hint += " of this directory: /sessions shows all"
				}
				return nil
			}
			p := newPicker(title, rows, func(u *ui, e full.Entry) tea.Cmd { return u.goOnWith(e.Value.(session.Info)) })
			p.Help = "Ctrl+F copies   Ctrl+E names   Del removes   "
			p.other = sessionKeys
			p.Filter(query, true)
			p.Preview = func(e full.Entry, width int) []text.Line {
				return preview(ctx, where, e.Value.(session.Info), width)
			}
			u.open(p)
			return nil
		}
	})
}

func sessionName(s session.Info) string { return cmp.Or(text.OneLine(s.Name), s.ID) }

func (u *ui) sessionFacts(s session.Info) string {
	facts := []string{block.Ago(u.now().Sub(s.Last))}
	if s.Dir != u.root() {
		facts = append([]string{place.Short(s.Dir)}, facts...)
	}
	if s.Cost > 0 {
		facts = append(facts, block.Money(s.Cost))
	}
	if s.Waits {
		facts = append(facts, "waits for you")
	}
	return strings.Join(facts, "   ")
}

// preview is the first and the last messages of a session.
func preview(ctx context.Context, where session.Place, s session.Info, width int) (lines []text.Line) {
	messages, err := where.Messages(ctx, s.ID)
	if err != nil {
		return []text.Line{text.Of(text.Dim, text.OneLine(err.Error()))}
	}
	if len(messages) > 4 {
		messages = append(messages[:1:1], messages[len(messages)-3:]...)
	}
	for _, m := range messages {
		who := text.Bold(text.Plain, "rein  ")
		if m.User {
			who = text.Bold(text.Accent, "you   ")
		}
		rows := text.Line{who, text.In(text.Plain, text.OneLine(m.Text))}.Wrap(width, text.Of(text.Plain, "      "))
		lines = append(lines, rows[:min(len(rows), 4)]...)
	}
	return lines
}

// sessionKeys are the further keys of the list.
var sessionKeys = map[string]func(*ui, full.Entry) tea.Cmd{
	"ctrl+f": func(u *ui, e full.Entry) tea.Cmd { return u.forkOf(e.Value.(session.Info).ID) },
	"ctrl+e": func(u *ui, e full.Entry) tea.Cmd {
		u.editor.Set("/sessions name " + e.Value.(session.Info).ID + " ")
		return nil
	},
	"delete": func(u *ui, e full.Entry) tea.Cmd {
		s := e.Value.(session.Info)
		u.confirm("delete the session: "+sessionName(s), func(u *ui) tea.Cmd {
			return u.do("/sessions delete "+s.ID, catalogue.Request{Kind: catalogue.Sessions, Verb: "delete", Name: s.ID})
		})
		return nil
	},
}

// goOnWith resumes another session. One of another directory needs rein to be started there.
func (u *ui) goOnWith(other session.Info) tea.Cmd {
	if u.o.Harness != nil && other.Dir != u.root() {
		u.note(text.Plain, "that session works in another directory:  cd "+place.Short(other.Dir)+" && rein -r "+other.ID)
		return nil
	}
	id := other.ID
	where, ctx, old := u.o.Place, u.ctx, u.session
	return later(func() func(*ui) tea.Cmd {
		s, err := where.Open(ctx, id)
		return func(u *ui) tea.Cmd { return u.resumedSession(s, err, old) }
	})
}

// resumedSession shows the past of a session and continues with it.
func (u *ui) resumedSession(s session.Session, err error, old session.Session) tea.Cmd {
	cmd := u.switchTo(s, err, old, "another session continues")
	if err != nil {
		return cmd
	}
	u.showPast()
	if s.Waiting() {
		return tea.Batch(cmd, u.begin(s.Resume))
	}
	return cmd
}

// fork continues in a copy of the session; the one before stays as it is.
func (u *ui) fork(string) tea.Cmd { return u.forkOf(u.session.ID()) }

func (u *ui) forkOf(id string) tea.Cmd {
	if !u.idle() {
		return nil
	}
	where, ctx, old := u.o.Place, u.ctx, u.session
	return later(func() func(*ui) tea.Cmd {
		s, err := where.Fork(ctx, id)
		return func(u *ui) tea.Cmd {
			cmd := u.switchTo(s, err, old, "a copy of the session continues")
			if err == nil && id != old.ID() {
				u.showPast()
			}
			return cmd
		}
	})
}

func (u *ui) rename(name string) tea.Cmd {
	if name == "" {
		u.hint = "/rename and a name"
		return nil
	}
	where, ctx, id := u.o.Place, u.ctx, u.session.ID()
	return later(func() func(*ui) tea.Cmd {
		err := where.Rename(ctx, id, name)
		return func(u *ui) tea.Cmd {
			if u.hint = "the session is named " + text.OneLine(name); err != nil {
				u.hint = err.Error()
			}
			return nil
		}
	})
}

// rewind lets the user choose a message to go back to before it. Its text comes back into the line.
func (u *ui) rewind(string) tea.Cmd {
	if !u.idle() {
		return nil
	}
	where, ctx, id := u.o.Place, u.ctx, u.session.ID()
	return later(func() func(*ui) tea.Cmd {
		messages, err := where.Messages(ctx, id)
		return func(u *ui) tea.Cmd {
			if err != nil {
				u.hint = "there is nothing to go back to"
				return nil
			}
			var rows []full.Entry
			for i := len(messages) - 1; i >= 0; i-- {
				if m := messages[i]; m.User && !m.Gone {
					rows = append(rows, full.Entry{Name: text.OneLine(m.Text), About: m.Time.Local().Format("15:04"), Value: m})
				}
			}
			if len(rows) == 0 {
				u.hint = "there is nothing to go back to"
				return nil
			}
			u.open(newPicker("go back to before", rows, func(u *ui, e full.Entry) tea.Cmd { return u.rewindTo(e.Value.(session.Message)) }))
			return nil
		}
	})
}

// goBack takes the conversation back to before a message.
func (u *ui) goBack(m session.Message) tea.Cmd {
	where, ctx, old := u.o.Place, u.ctx, u.session
	return later(func() func(*ui) tea.Cmd {
		s, err := where.Rewind(ctx, old.ID(), m.Seq)
		answer := ""
		if err == nil {
			answer = lastAnswer(s) // it reads the journal: not while the screen waits
		}
		return func(u *ui) tea.Cmd {
			if err != nil {
				u.failed(err)
				return nil
			}
			u.session = s
			u.talk = talk{renderer: u.talk.renderer, answer: answer}
			u.note(text.Dim, "- back to before: "+text.OneLine(m.Text))
			u.editor.Set(m.Text)
			return nil
		}
	})
}
