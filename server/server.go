// Package server serves sessions, approval requests and their events over HTTP, with a page for browsers. It runs sessions
// itself, shows those that other programs have recorded, and keeps all that it must not forget in files: a server that is
// started again continues where it was.
package server

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rein/harness"
	"rein/harness/schedule"
	"rein/harness/settings"
	"rein/server/api"
	"rein/server/audit"
	"rein/server/auth"
	"rein/server/link"
	"rein/server/listen"
	"rein/server/past"
	"rein/server/queue"
	"rein/server/rate"
	"rein/server/signin"
	"rein/server/stream"
	"rein/server/touched"
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
	// TrustProxy takes the client's address from X-Forwarded-For, for the audit log and the limits.
	TrustProxy bool
	// Limits that are set here come before those of the settings.
	Limits Limits
	// Tasks are those that run later or regularly, and what runs them; nil: the server has none.
	Tasks *schedule.Daemon
	// Settings read those of the user, never those of a project; they are read again by Reload. nil: there are none.
	Settings func() (settings.Server, error)
	Log      *slog.Logger // nil: nothing is logged
}

// Server serves. Make it with New and Close it at the end.
type Server struct {
	o       Options
	now     atomic.Pointer[current]
	boot    string // differs each time
	auth    *auth.Store
	audit   *audit.Log
	hub     *stream.Hub
	touched *touched.Set
	rates   rate.Counter
	links   *link.Store          // by which requests are answered once
	queues  *queue.Store[queued] // messages that wait for the end of a turn
	answers rate.Answers
	handler http.Handler

	ctx       context.Context // of all that runs; it ends with Close
	cancel    context.CancelFunc
	ending    context.Context // of the event streams; it ends when the server stops to listen
	end       context.CancelFunc
	work      sync.WaitGroup
	rooms     []*workspace // in the order of Options.Workspaces
	past      past.List
	followers stream.Followers
	mu        sync.Mutex
	live      map[string]*live   // sessions that are open here
	opened    sync.Mutex         // held while a session is opened
	changing  sync.Mutex         // held while a settings file is changed
	telling   sync.RWMutex       // held while the sender to the webhooks is replaced; readers send
	reloading sync.Mutex         // held while the settings are read; it guards old
	old       []*harness.Harness // of reloads before the last one: their sessions continue
}

// workspace is one directory that is served.
type workspace struct {
	dir   string
	h     *harness.Harness                // since the start: recordings, the inbox, and the sessions that began before a reload
	fresh atomic.Pointer[harness.Harness] // with the settings of the last reload; nil before the first one
	inbox inboxState
}

// newest returns the harness with the settings that new sessions have.
func (w *workspace) newest() *harness.Harness {
	if h := w.fresh.Load(); h != nil {
		return h
	}
	return w.h
}

// New opens the workspaces and prepares the server. Nothing listens yet: see Handler.
func New(ctx context.Context, o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Dir == "" {
		o.Dir = DefaultDir(o.Harness.Dirs)
	}
	s := &Server{o: o, boot: rand.Text(), touched: touched.New(), live: map[string]*live{}}
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	s.ending, s.end = context.WithCancel(s.ctx)
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.Close(ctx))
	}
	if err := s.apply(); err != nil {
		return nil, errors.Join(err, s.Close(ctx))
	}
	s.past.Read = s.rooms[0].h.Sessions
	s.hub = stream.NewHub(s.mask)
	s.handler = s.routes()
	s.work.Go(s.showTouched)
	for _, w := range s.rooms {
		s.work.Go(func() { s.watchInbox(w) })
	}
	s.work.Go(s.closeIdle)
	s.work.Go(s.sendKept)
	return s, nil
}

// DefaultDir is where a server keeps its key, users and audit log; the zero Dirs are the defaults.
func DefaultDir(d settings.Dirs) string {
	if d == (settings.Dirs{}) {
		d = settings.DefaultDirs()
	}
	return filepath.Join(d.State, "server")
}

func (s *Server) open(ctx context.Context) (err error) {
	if s.auth, _, err = auth.Open(s.o.Dir, s.o.KeyFile); err != nil {
		return fmt.Errorf("the server's key: %w", err)
	}
	if s.audit, err = audit.Open(filepath.Join(s.o.Dir, "audit.jsonl")); err != nil {
		return err
	}
	if s.links, err = link.Open(filepath.Join(s.o.Dir, "links.json")); err != nil {
		return err
	}
	var faults []string
	if s.queues, faults, err = queue.Open[queued](filepath.Join(s.o.Dir, "queues")); err != nil {
		return err
	}
	for _, fault := range faults {
		s.o.Log.Warn("messages that waited are lost", "error", fault)
	}
	dirs := s.o.Workspaces
	if len(dirs) == 0 {
		dirs = []string{s.o.Harness.Dir}
	}
	for _, dir := range dirs {
		o := s.o.Harness
		o.Dir, o.Person, o.Unattended = dir, nil, harness.Wait
		h, err := harness.Open(ctx, o)
		if err != nil {
			return err
		}
		if s.workspace(h.Root()) != nil {
			if err := h.Close(ctx); err != nil {
				return err
			}
			continue
		}
		h.WarnUntrusted()
		s.rooms = append(s.rooms, &workspace{dir: h.Root(), h: h})
	}
	return nil
}

// mask hides the secrets of all workspaces in what is sent.
func (s *Server) mask(text []byte) []byte {
	for _, w := range s.rooms {
		text = w.h.Mask().Bytes(text)
		if fresh := w.fresh.Load(); fresh != nil {
			text = fresh.Mask().Bytes(text)
		}
	}
	return text
}

// workspace returns the workspace of a directory; nil when it is not served.
func (s *Server) workspace(dir string) *workspace {
	for _, w := range s.rooms {
		if w.dir == dir {
			return w
		}
	}
	return nil
}

// Handler answers requests. It checks Host, Origin and who is signed in by itself.
func (s *Server) Handler() http.Handler { return s.handler }

// Serve answers requests until ctx is done. cert is nil for a server without TLS. The event streams end with it.
func (s *Server) Serve(ctx context.Context, l net.Listener, cert *tls.Certificate) error {
	return listen.Serve(ctx, l, cert, s.handler, s.end, s.o.Log)
}

// Begin begins a session in the first workspace, as the owner, and sends its first message.
func (s *Server) Begin(ctx context.Context, text string) (id string, err error) {
	v, err := s.create(ctx, signin.Client{User: auth.User{Role: auth.Operator}, Through: "program"}, api.NewSession{Text: text})
	return v.ID, err
}

// Auth returns the store of users, for the command that starts the server.
func (s *Server) Auth() *auth.Store { return s.auth }

// suspendTime is how long sessions that wait for an approval have to be suspended, when the server ends.
const suspendTime = 2 * time.Second

// Close ends all sessions that the server runs. Those that wait for an approval are suspended: the next server shows their
// requests again. What works is cancelled.
func (s *Server) Close(ctx context.Context) error {
	for _, h := range s.harnesses() {
		h.Suspend()
	}
	s.mu.Lock()
	open := slices.Collect(maps.Values(s.live))
	s.mu.Unlock()
	for end := time.Now().Add(suspendTime); time.Now().Before(end) && slices.ContainsFunc(open, (*live).waits); {
		time.Sleep(5 * time.Millisecond)
	}
	s.cancel()
	s.work.Wait()
	s.followers.Wait()
	for _, l := range open {
		l.turns.Wait()
	}
	var err error
	for _, h := range s.harnesses() {
		err = errors.Join(err, h.Close(ctx))
	}
	if s.audit != nil {
		err = errors.Join(err, s.audit.Close())
	}
	return err
}
