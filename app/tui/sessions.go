package tui

import (
	"cmp"
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rein/app/catalogue"
	"rein/app/extend"
	"rein/app/session"
	"rein/app/sessions"
	"rein/app/tui/block"
	"rein/app/tui/full"
	"rein/app/tui/text"
	"rein/event"
)

// pickSession lets the user choose a session of this directory to continue with.
func pickSession(u *ui, query string) tea.Cmd {
	return listSessions(u, "resume", query, u.root())
}

// anySession lists those of all directories, or runs a command over them.
func anySession(u *ui, args string) tea.Cmd {
	if args != "" {
		return u.showRun("/sessions "+args, append([]string{"sessions"}, extend.SplitArguments(args)...)...)
	}
	return listSessions(u, "sessions", "", "")
}

// listSessions lets the user choose a session to continue with.
func listSessions(u *ui, title, query string, dir string) tea.Cmd {
	if !u.idle() {
		return nil
	}
	where, ctx, own := u.o.Place, u.ctx, u.session.ID()
	return fetch(func() ([]sessions.Session, error) { return where.Sessions(ctx, dir) }, func(u *ui, all []sessions.Session) tea.Cmd {
		var rows []full.Entry
		for _, s := range all {
			if s.ID != own {
				rows = append(rows, full.Entry{Name: sessionName(s), About: sessionFacts(u, s), Value: s})
			}
		}
		if len(rows) == 0 {
			u.hint = "there is no other session"
			if dir != "" {
				u.hint = "there is no other session of this directory: /sessions shows all"
			}
			return nil
		}
		p := newPicker(title, rows, func(u *ui, e full.Entry) tea.Cmd { return goOnWith(u, e.Value.(sessions.Session)) })
		p.Help = "Ctrl+F copies   Ctrl+E names   Del removes   "
		p.other = sessionKeys
		p.Filter(query, true)
		p.Preview = func(e full.Entry, width int) []text.Line {
			return preview(ctx, where, u.words, e.Value.(sessions.Session), width)
		}
		u.open(p)
		return nil
	})
}

func sessionName(s sessions.Session) string {
	return cmp.Or(text.OneLine(cmp.Or(s.Name, s.Title)), s.ID)
}

func sessionFacts(u *ui, s sessions.Session) string {
	facts := []string{block.Ago(u.now().Sub(s.Last))}
	if s.Dir != u.root() {
		facts = append([]string{shortDir(s.Dir)}, facts...)
	}
	if s.Usage.Cost > 0 {
		facts = append(facts, block.Money(s.Usage.Cost))
	}
	if s.Stop == event.Waiting {
		facts = append(facts, u.words.Of("waits for you"))
	}
	return strings.Join(facts, "   ")
}

// preview is the first and the last messages of a session.
func preview(ctx context.Context, where session.Place, words text.Words, s sessions.Session, width int) (lines []text.Line) {
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
			who = text.Bold(text.Accent, words.Of("you   "))
		}
		rows := text.Line{who, text.In(text.Plain, text.OneLine(m.Text))}.Wrap(width, text.Of(text.Plain, "      "))
		lines = append(lines, rows[:min(len(rows), 4)]...)
	}
	return lines
}

// sessionKeys are the further keys of the list.
var sessionKeys = map[string]func(*ui, full.Entry) tea.Cmd{
	"ctrl+f": func(u *ui, e full.Entry) tea.Cmd { return forkOf(u, e.Value.(sessions.Session).ID) },
	"ctrl+e": func(u *ui, e full.Entry) tea.Cmd {
		u.line.Set("/sessions name " + e.Value.(sessions.Session).ID + " ")
		return nil
	},
	"delete": func(u *ui, e full.Entry) tea.Cmd {
		s := e.Value.(sessions.Session)
		confirm(u, u.words.Of("delete the session: %s", sessionName(s)), func(u *ui) tea.Cmd {
			return u.do("/sessions delete "+s.ID, catalogue.Request{Kind: catalogue.Sessions, Verb: "delete", Name: s.ID})
		})
		return nil
	},
}

// goOnWith resumes another session. One of another directory needs rein to be started there.
func goOnWith(u *ui, other sessions.Session) tea.Cmd {
	where := u.o.Place
	if !where.Elsewhere() && other.Dir != u.root() {
		u.note(text.Plain, u.words.Of("that session works in another directory:  %s", "cd "+shortDir(other.Dir)+" && rein -r "+other.ID))
		return nil
	}
	open := func(ctx context.Context) (session.Session, error) { return where.Open(ctx, other.ID) }
	return goTo(u, open, "another session continues", func(u *ui) tea.Cmd {
		u.offered, u.sent = nil, true
		u.talk.showPast(u.session, where.SeeAll(u.session.ID()))
		if u.session.Waiting() {
			return u.begin(u.session.Resume)
		}
		return nil
	})
}

func newSession(u *ui, _ string) tea.Cmd {
	return goTo(u, u.o.Place.Start, "a new session begins", func(u *ui) tea.Cmd {
		u.offered = nil // they are of the session before
		return nil
	})
}

// fork continues in a copy of the session; the one before stays as it is.
func fork(u *ui, _ string) tea.Cmd { return forkOf(u, u.session.ID()) }

func forkOf(u *ui, id string) tea.Cmd {
	where, own, answer, results := u.o.Place, u.session.ID(), u.talk.answer, u.talk.results
	open := func(ctx context.Context) (session.Session, error) { return where.Fork(ctx, id) }
	return goTo(u, open, "a copy of the session continues", func(u *ui) tea.Cmd {
		if u.sent = true; id == own {
			u.talk.answer, u.talk.results = answer, results
		} else {
			u.offered = nil
			u.talk.showPast(u.session, where.SeeAll(u.session.ID()))
		}
		return nil
	})
}

// goTo opens another session, closes the one before, and then does the rest.
func goTo(u *ui, open func(context.Context) (session.Session, error), words string, then func(*ui) tea.Cmd) tea.Cmd {
	if !u.idle() {
		return nil
	}
	ctx, old := u.ctx, u.session
	return fetch(func() (session.Session, error) { return open(ctx) }, func(u *ui, s session.Session) tea.Cmd {
		ending := endingJobs(u)
		words := u.words.Of(words)
		if u.sent || u.o.Resumed { // else it is not kept
			words = u.words.Of("%s   (before: %s)", words, old.ID())
		}
		u.session, u.sent, u.o.Resumed, u.after = s, false, false, nil
		u.talk.restart("")
		u.note(text.Dim, words)
		for _, words := range ending {
			u.note(text.Dim, words)
		}
		return tea.Batch(then(u), func() tea.Msg {
			_ = old.Close(ctx) // its journal reports its own errors
			return nil
		})
	})
}

func rename(u *ui, name string) tea.Cmd {
	if name == "" {
		u.hint = "/rename and a name"
		return nil
	}
	where, ctx, id := u.o.Place, u.ctx, u.session.ID()
	return later(func() func(*ui) tea.Cmd {
		err := where.Rename(ctx, id, name)
		return func(u *ui) tea.Cmd {
			if u.hint = u.words.Of("the session is named %s", text.OneLine(name)); err != nil {
				u.hint = u.words.Message(err.Error())
			}
			return nil
		}
	})
}

// rewind lets the user choose a message to go back to before it. Its text comes back into the line.
func rewind(u *ui, _ string) tea.Cmd {
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
			u.open(newPicker("go back to before", rows, func(u *ui, e full.Entry) tea.Cmd { return rewindTo(u, e.Value.(sessions.Message)) }))
			return nil
		}
	})
}

// goBack takes the conversation back to before a message.
func goBack(u *ui, m sessions.Message) tea.Cmd {
	where, ctx, id := u.o.Place, u.ctx, u.session.ID()
	answer, ending := "", endingJobs(u)
	return fetch(func() (session.Session, error) {
		s, err := where.Rewind(ctx, id, m.Seq)
		if err == nil {
			answer = lastAnswer(s) // it reads the journal: not while the screen waits
		}
		return s, err
	}, func(u *ui, s session.Session) tea.Cmd {
		u.session, u.after = s, nil
		u.talk.restart(answer)
		u.note(text.Dim, u.words.Of("- back to before: %s", text.OneLine(m.Text)))
		for _, words := range ending {
			u.note(text.Dim, words)
		}
		u.line.Set(m.Text)
		return nil
	})
}
