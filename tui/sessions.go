package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"rein/event"
	"rein/harness"
	"rein/harness/sessions"
	"rein/harness/slash"
	"rein/tui/block"
	"rein/tui/full"
	"rein/tui/place"
	"rein/tui/text"
)

// mostSessions is how many sessions a picker shows.
const mostSessions = 500

// pickSession lets the user choose a session of this directory to go on with.
func (u *ui) pickSession(query string) tea.Cmd {
	return u.listSessions("resume", query, sessions.Filter{Dir: u.o.Harness.Root(), Limit: mostSessions})
}

// sessions lists those of all directories, or runs a command over them.
func (u *ui) sessions(args string) tea.Cmd {
	if args != "" {
		return u.showRun("/sessions "+args, append([]string{"sessions"}, slash.Words(args)...)...)
	}
	return u.listSessions("sessions", "", sessions.Filter{Limit: mostSessions})
}

// listSessions lets the user choose a session to go on with.
func (u *ui) listSessions(title, query string, filter sessions.Filter) tea.Cmd {
	if !u.idle() {
		return nil
	}
	store, ctx, own := u.o.Harness.Store(), u.ctx, u.session.ID()
	return later(func() func(*ui) tea.Cmd {
		all, _, err := store.List(ctx, filter)
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
				if filter.Dir != "" {
					u.hint += " of this directory: /sessions shows all"
				}
				return nil
			}
			p := newPicker(title, rows, func(u *ui, e full.Entry) tea.Cmd { return u.goOnWith(e.Value.(sessions.Session)) })
			p.Help = "Ctrl+F copies   Ctrl+E names   Del removes   "
			p.other = sessionKeys
			p.Filter(query, true)
			p.Preview = func(e full.Entry, width int) []text.Line { return preview(store, e.Value.(sessions.Session), width) }
			u.open(p)
			return nil
		}
	})
}

func sessionName(s sessions.Session) string {
	for _, name := range []string{s.Name, s.Title} {
		if name = text.OneLine(name); name != "" {
			return name
		}
	}
	return s.ID
}

func (u *ui) sessionFacts(s sessions.Session) string {
	facts := []string{block.Ago(u.now().Sub(s.Last))}
	if s.Dir != u.o.Harness.Root() {
		facts = append([]string{place.Short(s.Dir)}, facts...)
	}
	if s.Usage.Cost > 0 {
		facts = append(facts, block.Money(s.Usage.Cost))
	}
	if s.Stop == event.Waiting {
		facts = append(facts, "waits for you")
	}
	return strings.Join(facts, "   ")
}

// preview is the first and the last messages of a session.
func preview(store *sessions.Store, s sessions.Session, width int) (lines []text.Line) {
	messages, err := store.Messages(s.ID)
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
	"ctrl+f": func(u *ui, e full.Entry) tea.Cmd { return u.forkOf(e.Value.(sessions.Session).ID) },
	"ctrl+e": func(u *ui, e full.Entry) tea.Cmd {
		u.editor.Set("/sessions name " + e.Value.(sessions.Session).ID + " ")
		return nil
	},
	"delete": func(u *ui, e full.Entry) tea.Cmd {
		s := e.Value.(sessions.Session)
		u.confirm("delete the session: "+sessionName(s), func(u *ui) tea.Cmd { return u.showRun("/sessions delete "+s.ID, "sessions", "delete", "--yes", s.ID) })
		return nil
	},
}

// goOnWith resumes another session. One of another directory needs rein to be started there.
func (u *ui) goOnWith(other sessions.Session) tea.Cmd {
	if other.Dir != u.o.Harness.Root() {
		u.note(text.Plain, "that session works in another directory:  cd "+place.Short(other.Dir)+" && rein -r "+other.ID)
		return nil
	}
	id := other.ID
	h, ctx, old := u.o.Harness, u.ctx, u.session
	return later(func() func(*ui) tea.Cmd {
		s, err := h.Resume(ctx, id, harness.NewSession{})
		return func(u *ui) tea.Cmd { return u.resumedSession(s, err, old) }
	})
}

// resumedSession shows the past of a session and goes on with it.
func (u *ui) resumedSession(s *harness.Session, err error, old *harness.Session) tea.Cmd {
	cmd := u.switchTo(s, err, old, "another session goes on")
	if err != nil {
		return cmd
	}
	u.showPast()
	if s.Waiting() {
		return tea.Batch(cmd, u.begin(s.Resume))
	}
	return cmd
}

// fork goes on in a copy of the session; the one before stays as it is.
func (u *ui) fork(string) tea.Cmd { return u.forkOf(u.session.ID()) }

func (u *ui) forkOf(id string) tea.Cmd {
	if !u.idle() {
		return nil
	}
	h, ctx, old := u.o.Harness, u.ctx, u.session
	return later(func() func(*ui) tea.Cmd {
		s, err := h.Fork(ctx, id, 0, harness.NewSession{})
		return func(u *ui) tea.Cmd { return u.switchTo(s, err, old, "a copy of the session goes on") }
	})
}

func (u *ui) rename(name string) tea.Cmd {
	if name == "" {
		u.hint = "/rename and a name"
		return nil
	}
	store, id := u.o.Harness.Store(), u.session.ID()
	return later(func() func(*ui) tea.Cmd {
		err := store.SetName(id, name)
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
	store, id := u.o.Harness.Store(), u.session.ID()
	return later(func() func(*ui) tea.Cmd {
		messages, err := store.Messages(id)
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
			u.open(newPicker("go back to before", rows, func(u *ui, e full.Entry) tea.Cmd { return u.rewindTo(e.Value.(sessions.Message)) }))
			return nil
		}
	})
}

// goBack takes the conversation back to before a message.
func (u *ui) goBack(m sessions.Message) tea.Cmd {
	h, ctx, old := u.o.Harness, u.ctx, u.session
	return later(func() func(*ui) tea.Cmd {
		s, err := h.Rewind(ctx, old.ID(), m.Seq, harness.NewSession{})
		return func(u *ui) tea.Cmd {
			if err != nil {
				u.failed(err)
				return nil
			}
			u.session = s
			u.talk = talk{renderer: u.talk.renderer}
			u.note(text.Dim, "- back to before: "+text.OneLine(m.Text))
			u.editor.Set(m.Text)
			return nil
		}
	})
}
