package main

import (
	"cmp"
	"context"
	"errors"
	"io"

	"rein/app/client"
	"rein/app/extend"
	"rein/app/harness"
	"rein/app/server/api"
	"rein/app/session"
	"rein/app/sessions"
	"rein/app/settings"
	"rein/app/stats"
	"rein/app/tui"
	"rein/app/tui/text"
	"rein/event"
	"rein/guard"
)

// remotePlace is the place of the sessions of a server.
type remotePlace struct {
	client *client.Client
	person frontEnd
	own    text.Words // the program's texts in the language of the user
	me     api.Me
	new    api.NewSession // how new sessions run
	dir    string         // the workspace of new sessions

	shown *remoteSession // the session that is shown

	// moves takes over when the connection to a session is lost that another process of this machine has open; nil: it is a server's, and
	// the next connection is tried.
	moves func(*remoteSession)
}

// frontEnd is what shows the sessions and asks the person: tui.Person.
type frontEnd interface {
	harness.Person
	Warn(line string)
	Back(message string)
	Happened(e event.Event)
	Joined()
	Offline(reason string)
	Moved(s session.Session, missed []event.Event, words string)
}

// newRemotePlace finds out who is signed in, and where new sessions work.
func newRemotePlace(ctx context.Context, c *client.Client, person frontEnd, n api.NewSession) (*remotePlace, error) {
	f := &remotePlace{client: c, person: person, new: n}
	var err error
	if f.me, err = c.Me(ctx); err != nil {
		return nil, err
	}
	rooms, err := c.Workspaces(ctx)
	for _, w := range rooms {
		if n.Dir != "" && w.Dir != n.Dir {
			continue
		}
		f.dir = w.Dir
		f.new.Model, f.new.Mode = cmp.Or(n.Model, w.Model), cmp.Or(n.Mode, w.Mode)
		break
	}
	return f, err
}

// remoteScreen is the chat on a terminal, on a session of a server; id "" begins one.
func remoteScreen(ctx context.Context, c *client.Client, n api.NewSession, id string) error {
	person := tui.NewPerson()
	f, err := newRemotePlace(ctx, c, person, n)
	if err != nil {
		return err
	}
	dirs := settings.DefaultDirs()
	layers, _, err := settings.Load(dirs, ".")
	if err != nil {
		return withExitCode(exitInput, err)
	}
	f.own = ownWords()
	collectOften()
	o := tui.Options{Place: f, Catalogue: remoteCatalogue{f}, Person: person, Resumed: id != "", Version: programVersion(), Dirs: dirs, Terminal: settings.Merge(layers).Terminal,
		Greeting: f.own.Of("signed in as %s at %s; the session stays there when you leave", signedInAs(f.me, f.own), c.URL)}
	screen := tui.Open(ctx, o)
	begin := f.Start
	if id != "" {
		begin = func(ctx context.Context) (session.Session, error) { return f.Open(ctx, id) }
	}
	s, err := begin(ctx)
	if err != nil {
		screen.Close()
		return err
	}
	if s, err = screen.Run(ctx, s); s != nil {
		err = errors.Join(err, s.Close(ctx))
	}
	return err
}

func (f *remotePlace) Elsewhere() bool { return true }

func (f *remotePlace) Root() string { return f.dir }

func (f *remotePlace) How() (session.How, error) {
	return session.How{Dir: f.dir, Model: f.new.Model, Mode: f.new.Mode}, nil
}

func (f *remotePlace) Models(ctx context.Context) (list []session.Model, err error) {
	all, err := f.client.Models(ctx, f.dirNow())
	for _, m := range all {
		list = append(list, session.Model{Ref: m.Ref, Context: m.Context})
	}
	return list, err
}

// dirNow is the workspace of the session that is shown.
func (f *remotePlace) dirNow() string {
	if f.shown != nil {
		return f.shown.How().Dir
	}
	return f.dir
}

func (f *remotePlace) Start(ctx context.Context) (session.Session, error) {
	n := f.new
	n.Dir = f.dirNow()
	return f.opened(ctx)(f.client.Start(ctx, n))
}

func (f *remotePlace) Open(ctx context.Context, id string) (session.Session, error) {
	return f.opened(ctx)(f.client.Session(ctx, id))
}

func (f *remotePlace) Fork(ctx context.Context, id string) (session.Session, error) {
	return f.opened(ctx)(f.client.Fork(ctx, id, api.At{}))
}

func (f *remotePlace) Rewind(ctx context.Context, id string, at int64) (session.Session, error) {
	s, err := f.client.Rewind(ctx, id, api.At{At: at})
	if err == nil && f.shown != nil {
		_ = f.shown.Close(ctx) // it only leaves the server
	}
	return f.opened(ctx)(s, err)
}

// opened follows a session that the server has opened.
func (f *remotePlace) opened(ctx context.Context) func(api.Session, error) (session.Session, error) {
	return func(s api.Session, err error) (session.Session, error) {
		if err != nil {
			return nil, err
		}
		return f.open(ctx, s)
	}
}

// pastPages bounds how much of a session's past is read: 2,000 events a page.
const pastPages = 50

func (f *remotePlace) Messages(ctx context.Context, id string) ([]sessions.Message, error) {
	var pages []api.Events
	for before := int64(0); len(pages) < pastPages; {
		page, err := f.client.Past(ctx, id, before, 2000)
		if err != nil {
			return nil, err
		}
		if pages = append([]api.Events{page}, pages...); !page.More || len(page.Events) == 0 {
			break
		}
		before = page.Events[0].Seq
	}
	var past sessions.Conversation
	for _, p := range pages {
		for _, e := range p.Events {
			past.See(e)
		}
	}
	return past, nil
}

func (f *remotePlace) Sessions(ctx context.Context, dir string) (list []sessions.Session, err error) {
	all, err := f.client.FindSessions(ctx, client.SessionQuery{Dir: dir, Limit: 500})
	for _, s := range all {
		i := sessions.Session{ID: s.ID, Dir: s.Dir, Name: s.Title, Last: s.Last}
		if s.State == api.Waiting {
			i.Stop = event.Waiting
		}
		if s.Usage != nil {
			i.Usage = *s.Usage
		}
		list = append(list, i)
	}
	return list, err
}

// Use is not known: the page of the server shows it.
func (f *remotePlace) Use(string) (u stats.Use, _ error) { return u, nil }

func (f *remotePlace) Rename(ctx context.Context, id, name string) error {
	_, err := f.client.Change(ctx, id, api.Change{Name: &name})
	return err
}

func (f *remotePlace) Again(id string) string { return "rein attach " + f.client.URL + " " + id }

func (f *remotePlace) SeeAll(string) string { return f.own.Of("the page of the server shows all") }

// Agents are not known here: completion offers none of a server.
func (f *remotePlace) Agents() ([]extend.AgentFile, error) { return nil, nil }

// Export writes a session to a file of this machine; its name says in which form. One that is there is only replaced with force.
func (f *remotePlace) Export(ctx context.Context, id, file string, force bool) error {
	format, err := transcriptFormat("", file, false)
	if err != nil {
		return err
	}
	return writeNewFile(file, force, func(out io.Writer) error {
		in, err := f.client.Export(ctx, id, string(format))
		if err != nil {
			return err
		}
		defer in.Close()
		_, err = io.Copy(out, in)
		return err
	})
}

// RuleFiles name the two places where the server keeps rules.
func (f *remotePlace) RuleFiles() []string {
	return []string{f.own.Of("the server's settings for this workspace"), f.own.Of("the server's settings for all workspaces")}
}

func (f *remotePlace) KeepRules(ctx context.Context, decision string, rules []string, everywhere bool) error {
	scope := "project"
	if everywhere {
		scope = string(guard.Always)
	}
	for _, check := range []bool{true, false} { // all are checked before one is kept
		for _, rule := range rules {
			if _, err := f.client.ChangeRule(ctx, api.RuleChange{Dir: f.dirNow(), Decision: decision, Rule: rule, Scope: scope, Check: check}); err != nil {
				return err
			}
		}
	}
	return nil
}
