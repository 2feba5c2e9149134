// Package server serves sessions, approval requests and their events over HTTP, with a page for browsers. It runs sessions
// itself, shows those that other programs have recorded, and keeps all that it must not forget in files: a server that is
// started again continues where it was.
//
// Each request passes the checks of request.go and auth.go first. Each operation is a row of a table, from which the OpenAPI
// description is made too. Beside requests and answers the server streams events, sends webhooks, and makes links that answer
// one approval request.
package server

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"rein/app/harness"
	"rein/app/schedule"
	"rein/app/server/api"
	"rein/app/sessions"
	"rein/app/settings"
)

// Options say what a server serves. The zero value serves the current directory.
type Options struct {
	// Harness has the options of all sessions. Dir, Person and Unattended are set by the server.
	Harness harness.Options
	// Workspaces are the directories that the server serves; none: Harness.Dir.
	Workspaces []string
	// Dir is where the server keeps its key, users and audit log; "" is "server" in the state directory.
	Dir string
	// KeyFile is the file with the owner's key; "" is "key" in Dir. It is made when it is not there.
	KeyFile string
	// Hosts are the names by which browsers may reach the server, with the port where it is not the scheme's own. The
	// loopback names with the port that a request came to are always among them.
	Hosts []string
	// BasePath is put before all paths, for a proxy that serves the server below one: "/rein". "" is the root.
	BasePath string
	// TrustProxy takes the client's address from X-Forwarded-For, for the audit log and the limits, and from X-Forwarded-Proto whether it
	// used TLS: the cookies are for TLS only then.
	TrustProxy bool
	// Limits that are set here come before those of the settings.
	Limits Limits
	// Tasks are those that run later or regularly, and what runs them; nil: the server has none.
	Tasks *schedule.Daemon
	// Engine runs the sessions instead of the server; nil: the server runs them.
	Engine Engine
	// Settings read those of the user, never those of a project; they are read again by Reload. nil: there are none.
	Settings func() (settings.Server, error)
	// Drain is how long turns that are at work may go on when the server is closed; what is still at work then is cancelled.
	Drain time.Duration
	Log   *slog.Logger // nil: nothing is logged
}

// Server serves. Make it with New and Close it at the end.
type Server struct {
	o    Options
	boot string // differs each time

	reports *harness.Reports // nil: those of the options

	rooms      workspaces
	users      *users
	audit      auditLog
	config     configuration
	sessions   allSessions
	background background
	end        context.CancelFunc // ends the event streams, when the server stops to listen

	rates   userCounter
	answers answerCounts
	handler http.Handler
}

// background is what runs beside the requests. All of it ends with the server.
type background struct {
	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup
	log    *slog.Logger
}

// auditLog is who did what. A fault of its file is logged.
type auditLog struct {
	file   *api.AuditLog
	faults *slog.Logger
}

// note adds to the audit log.
func (l *auditLog) note(c requestSender, e api.Entry) {
	if l.file == nil { // of a session that is shared: the user's own terminals
		return
	}
	e.Who, e.Role, e.Address, e.Through = c.Name, string(c.Role), c.Address, c.Through
	if err := l.file.Add(e); err != nil {
		l.faults.Error("audit", "error", err)
	}
}

// New opens the workspaces and prepares the server. Nothing listens yet: see Handler.
func New(ctx context.Context, o Options) (*Server, error) {
	s := newServer(ctx, o)
	if o.Harness.Reports == nil {
		s.reports = harness.CountingReports(o.Harness.Version, func(text string) string { return s.rooms.masked(text) }, o.Harness.Warn)
		s.o.Harness.Reports = s.reports
	}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.Close(ctx))
	}
	if err := s.config.apply(); err != nil {
		return nil, errors.Join(err, s.Close(ctx))
	}
	s.handler = s.routes()
	s.background.work.Go(s.sessions.showTouched)
	for _, w := range s.rooms.all {
		s.background.work.Go(func() { approvals{&s.sessions}.watch(w) })
	}
	if o.Engine == nil {
		s.runSessions()
	}
	return s, nil
}

// runSessions does what the server does by itself with sessions that it runs.
func (s *Server) runSessions() {
	for _, w := range s.rooms.all {
		approvals{&s.sessions}.dropForms(w)
		s.background.work.Go(func() { approvals{&s.sessions}.continueAnswered(w) })
	}
	s.background.work.Go(s.sessions.closeIdle)
	s.background.work.Go(s.sessions.sendKept)
}

func newServer(ctx context.Context, o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Dir == "" {
		o.Dir = DefaultDir(o.Harness.Dirs)
	}
	o.Harness.ForNew = true
	s := &Server{o: o, boot: rand.Text()}
	s.background.log = o.Log
	s.background.ctx, s.background.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return s
}

// DefaultDir is where a server keeps its key, users and audit log; the zero Dirs are the defaults.
func DefaultDir(d settings.Dirs) string {
	if d == (settings.Dirs{}) {
		d = settings.DefaultDirs()
	}
	return filepath.Join(d.State, "server")
}

// join joins the parts of the server.
func (s *Server) join() {
	all := &s.sessions
	all.workspaces, all.auditLog, all.background, all.config = &s.rooms, &s.audit, &s.background, &s.config
	all.hub, all.touched, all.live, all.run = api.NewHub(s.rooms.mask), newChangedNames(), map[string]*live{}, map[string]*live{}
	all.past.Read = func() ([]sessions.Session, error) { return s.rooms.all[0].h.Sessions() }
	all.engine, all.past.Engine = s.o.Engine, s.o.Engine
	all.ending, s.end = context.WithCancel(s.background.ctx)
	s.config.o, s.config.rooms, s.config.background, s.audit.faults = &s.o, &s.rooms, &s.background, s.o.Log
}

// open opens what is on disk.
func (s *Server) open(ctx context.Context) (err error) {
	s.join()
	all := &s.sessions
	if s.users, _, err = OpenUsers(s.o.Dir, s.o.KeyFile); err != nil {
		return fmt.Errorf("the server's key: %w", err)
	}
	s.config.users = s.users
	if s.audit.file, err = api.OpenAuditLog(filepath.Join(s.o.Dir, "audit.jsonl")); err != nil {
		return err
	}
	if s.config.links, err = openLinks(filepath.Join(s.o.Dir, "links.json")); err != nil {
		return err
	}
	var faults, others []string
	if all.queues, faults, err = openQueue[queued](filepath.Join(s.o.Dir, "queues")); err != nil {
		return err
	}
	if all.notSent, others, err = openQueue[queued](filepath.Join(s.o.Dir, "unsent")); err != nil {
		return err
	}
	for _, fault := range append(faults, others...) {
		s.o.Log.Warn("messages that waited are lost", "error", fault)
	}
	return s.rooms.open(ctx, s.o)
}

// Handler answers requests. It checks Host, Origin and who is signed in by itself.
func (s *Server) Handler() http.Handler { return s.handler }

// Serve answers requests until ctx is done. cert is nil for a server without TLS. The event streams end with it.
func (s *Server) Serve(ctx context.Context, l net.Listener, cert *tls.Certificate) error {
	return serveUntil(ctx, l, cert, s.handler, s.end, s.o.Log)
}

// Begin begins a session in the first workspace, as the owner, and sends its first message.
func (s *Server) Begin(ctx context.Context, text string) (id string, err error) {
	v, err := s.sessions.create(ctx, requestSender{User: User{Role: roleOwner}, Through: "program"}, api.NewSession{Text: text})
	return v.ID, err
}

// Auth returns the store of users, for the command that starts the server.
func (s *Server) Auth() *users { return s.users }

// Reload reads the settings again: those of the server hold at once, those of the workspaces for new sessions and for sessions
// that are opened again. When one file has a fault, nothing changes.
func (s *Server) Reload(ctx context.Context) error {
	if err := s.rooms.reload(ctx, s.config.apply); err != nil {
		return err
	}
	return s.sessions.whileNoneOpens(func(used map[*harness.Harness]bool) error { return s.rooms.closeOld(ctx, used) })
}

// suspendTime is how long sessions that wait for an approval have to be suspended, when the server ends.
const suspendTime = 2 * time.Second

// Close ends all sessions that the server runs. Those that wait for an approval are suspended: the next server shows their
// requests again. What works has Options.Drain to come to its end, and is cancelled then; messages that wait are sent by the next server.
func (s *Server) Close(ctx context.Context) error {
	s.sessions.draining.Store(true)
	for _, h := range s.rooms.harnesses() {
		h.Suspend()
	}
	open := s.sessions.open()
	for end := time.Now().Add(s.o.Drain); time.Now().Before(end) && slices.ContainsFunc(open, (*live).works); {
		time.Sleep(20 * time.Millisecond)
	}
	for end := time.Now().Add(suspendTime); time.Now().Before(end) && slices.ContainsFunc(open, (*live).waits); {
		time.Sleep(5 * time.Millisecond)
	}
	s.background.cancel()
	s.background.work.Wait()
	s.sessions.followers.Wait()
	for _, l := range open {
		l.turns.Wait()
	}
	var err error
	for _, h := range s.rooms.harnesses() {
		err = errors.Join(err, h.Close(ctx))
	}
	s.reports.Close(ctx)
	if s.audit.file != nil {
		err = errors.Join(err, s.audit.file.Close())
	}
	return err
}
