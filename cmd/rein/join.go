package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rein/app/client"
	"rein/app/harness"
	"rein/app/server"
	"rein/app/session"
	"rein/event"
	"rein/journal"
	"rein/kit/providers"
)

// joinTime is how long the process that has a session open may take to answer whoever joins it.
const joinTime = 5 * time.Second

// sharedPlace is where the sessions of this user are: those that this process opens, which other terminals may join, and those that another
// one has open, which this terminal joins.
type sharedPlace struct {
	session.Place
	h      *harness.Harness
	person frontEnd
	flags  string // a flag that says how sessions run, which a session that is joined does not obey; "": none was given
	host   *hostedSession
}

// Start begins a session. Where no model is found, it has that of the session before, which a flag may have named.
func (p *sharedPlace) Start(ctx context.Context) (session.Session, error) {
	begin := func(n harness.NewSession) (*harness.Session, error) { return p.h.Start(ctx, n) }
	s, err := p.hosted(harness.NewSession{}, begin)
	if _, none := errors.AsType[*providers.NoModel](err); none && p.host != nil {
		return p.hosted(harness.NewSession{ModelName: p.host.s.Terms().Model}, begin)
	}
	return s, err
}

// Open continues a session here, or joins the process that has it open.
func (p *sharedPlace) Open(ctx context.Context, id string) (session.Session, error) {
	if s, err := p.join(ctx, id); err == nil || errors.Is(err, errJoinFlags) {
		return s, err
	}
	return p.resume(ctx, id)
}

func (p *sharedPlace) resume(ctx context.Context, id string) (session.Session, error) {
	return p.hosted(harness.NewSession{}, func(n harness.NewSession) (*harness.Session, error) { return p.h.Resume(ctx, id, n) })
}

func (p *sharedPlace) Fork(ctx context.Context, id string) (session.Session, error) {
	return p.forked(ctx, id, harness.NewSession{})
}

func (p *sharedPlace) forked(ctx context.Context, id string, n harness.NewSession) (session.Session, error) {
	return p.hosted(n, func(n harness.NewSession) (*harness.Session, error) { return p.h.Fork(ctx, id, 0, n) })
}

// Rewind closes the session, and opens it again. Other terminals wait for that.
func (p *sharedPlace) Rewind(ctx context.Context, id string, at int64) (session.Session, error) {
	if p.host != nil && p.host.ID() == id {
		p.host.leave()
	}
	return p.hosted(harness.NewSession{}, func(n harness.NewSession) (*harness.Session, error) { return p.h.Rewind(ctx, id, at, n) })
}

func (p *sharedPlace) hosted(n harness.NewSession, open opens) (session.Session, error) {
	s, err := hostSession(p.h, p.person, n, open)
	if err != nil {
		return nil, err
	}
	p.host = s
	return s, nil
}

// errJoinFlags is why a session is not joined with flags that say how sessions run.
var errJoinFlags = errors.New("another terminal has this session open, and it runs as it was begun there")

// join joins the process that has a session open.
func (p *sharedPlace) join(ctx context.Context, id string) (session.Session, error) {
	dir := filepath.Join(p.h.Dirs().Sessions, id)
	a, err := server.ReadSharedAddress(dir)
	if err != nil {
		return nil, err
	}
	c := joinedClient(a)
	soon, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	me, err := c.Me(soon)
	if err != nil {
		return nil, err
	}
	if p.flags != "" {
		return nil, withExitCode(exitUsage, fmt.Errorf("%w: leave out --%s; /mode and /model change it for both", errJoinFlags, p.flags))
	}
	now, err := c.Session(soon, id)
	if err != nil {
		return nil, err
	}
	where := &remotePlace{client: c, person: p.person, own: ownWords(), me: me, dir: p.h.Root()}
	where.moves = func(s *remoteSession) { p.moves(s, a) }
	return where.open(ctx, now)
}

// joinable adds to the error of a session that another process has open that a terminal can join it.
func joinable(h *harness.Harness, id string, err error) error {
	if !harness.HeldElsewhere(err) {
		return err
	}
	if _, unknown := server.ReadSharedAddress(filepath.Join(h.Dirs().Sessions, id)); unknown != nil {
		return err
	}
	return fmt.Errorf("%w; to join it on a terminal: rein -r %s", err, id)
}

// joinedClient returns the client of the session at an address.
func joinedClient(a server.SharedAddress) *client.Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", a.Socket)
	}
	return &client.Client{URL: a.URL(), Key: a.Key, HTTP: &http.Client{Transport: &http.Transport{DialContext: dial}}}
}

// Times when the process ends that had a session open.
const (
	movePause = 50 * time.Millisecond // between two looks
	showsLost = time.Second           // after which the screen shows that there is no connection
	switches  = 2 * time.Second       // in which a process that lives opens the session again, as a rewind does
)

// moves goes on with a session whose process does not answer any more: with the one that has it open now, or here.
func (p *sharedPlace) moves(s *remoteSession, was server.SharedAddress) {
	ctx := context.WithoutCancel(s.ctx)
	missed := s.leave()
	for began := time.Now(); ; time.Sleep(movePause) {
		next, here, err := p.again(ctx, s.id, was, time.Since(began))
		switch {
		case err == nil:
			missed = append(missed, p.since(s, next)...)
			p.person.Offline("")
			p.person.Moved(next, missed, moveWords(next, here, missed))
			return
		case s.given():
			return
		case harness.NoSession(err):
			p.person.Offline("the session was deleted")
			return
		case time.Since(began) > showsLost:
			p.person.Offline("the other terminal: " + err.Error())
		}
	}
}

// moveWords say where a session goes on, after what was missed.
func moveWords(next session.Session, here bool, missed []event.Event) string {
	switch c, _ := next.(*hostedSession); {
	case here && c.s.CutOff():
		return "the other terminal has left: the session goes on here; the turn was interrupted: /continue continues it"
	case here:
		return "the other terminal has left: the session goes on here"
	case slices.ContainsFunc(missed, func(e event.Event) bool { return e.Kind == event.Rewound }):
		return "the other terminal went back to before an earlier message"
	}
	return "another terminal has the session now"
}

// again tries once to go on with a session. here means that this process has it open now.
func (p *sharedPlace) again(ctx context.Context, id string, was server.SharedAddress, waited time.Duration) (next session.Session, here bool, err error) {
	if next, err = p.join(ctx, id); err == nil {
		return next, false, nil
	}
	if waited < switches && processLives(was.PID) || !journal.Settled(filepath.Join(p.h.Dirs().Sessions, id), func() {}) {
		return nil, false, err
	}
	next, err = p.resume(ctx, id)
	return next, true, err
}

// since returns what is recorded of a session and was not shown, up to where its next front end begins.
func (p *sharedPlace) since(before *remoteSession, next session.Session) (missed []event.Event) {
	last := before.lastSeen()
	joined, _ := next.(*remoteSession)
	for e, err := range p.h.Events(before.id, last) {
		if err != nil || joined != nil && e.Seq > joined.lastSeen() {
			break
		}
		missed = append(missed, e)
	}
	if joined != nil {
		joined.skip(last)
	}
	return missed
}

// processLives reports whether a process runs. What cannot be found out counts as ended.
func processLives(pid int) bool {
	p, err := os.FindProcess(pid)
	return err == nil && p.Signal(syscall.Signal(0)) == nil
}

// joinFlags are those that mean something for a session that another process has open.
var joinFlags = map[string]bool{"continue": true, "resume": true, "cwd": true, "plain": true, "accessible": true, "verbose": true, "quiet": true}

// setsTerms returns a flag that says how sessions run; "": there is none.
func setsTerms(cmd *cobra.Command) (name string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !joinFlags[f.Name] {
			name = f.Name
		}
	})
	return name
}
