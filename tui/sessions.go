package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rein/event"
	"rein/harness"
	"rein/harness/sessions"
	"rein/tui/block"
	"rein/tui/full"
	"rein/tui/text"
)

// mostSessions is how many sessions a picker shows.
const mostSessions = 500

// pickSession lets the user choose a session of this directory to go on with.
func (u *ui) pickSession(query string) tea.Cmd {
	if !u.idle() {
		return nil
	}
	store, ctx, root, own := u.o.Harness.Store(), u.ctx, u.o.Harness.Root(), u.session.ID()
	return later(func() func(*ui) tea.Cmd {
		all, _, err := store.List(ctx, sessions.Filter{Dir: root, Limit: mostSessions})
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
				u.hint = "there is no other session of this directory"
				return nil
			}
			p := newPicker("resume", rows, func(u *ui, e full.Entry) tea.Cmd { return u.goOnWith(e.Value.(sessions.Session).ID) })
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
	facts := []string{ago(u.now().Sub(s.Last))}
	if s.Usage.Cost > 0 {
		facts = append(facts, block.Money(s.Usage.Cost))
	}
	if s.Stop == event.Waiting {
		facts = append(facts, "waits for you")
	}
	return strings.Join(facts, "   ")
}

// ago writes how long ago something was.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
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

// goOnWith resumes another session.
func (u *ui) goOnWith(id string) tea.Cmd {
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
func (u *ui) fork(string) tea.Cmd {
	if !u.idle() {
		return nil
	}
	h, ctx, old := u.o.Harness, u.ctx, u.session
	return later(func() func(*ui) tea.Cmd {
		s, err := h.Fork(ctx, old.ID(), 0, harness.NewSession{})
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
			renderer := u.talk.renderer
			u.talk = talk{renderer: renderer, calls: map[string]*liveCall{}}
			u.note(text.Dim, "- back to before: "+text.OneLine(m.Text))
			u.editor.Set(m.Text)
			return nil
		}
	})
}
