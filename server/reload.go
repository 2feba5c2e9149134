package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"rein/harness"
	"rein/harness/settings"
	"rein/server/api"
	"rein/server/audit"
	"rein/server/auth"
	"rein/server/signin"
	"rein/server/webhook"
)

// Limits of the server. Zero means the default.
type Limits struct {
	Body    int64         // bytes of one request; default 1 MB
	Upload  int64         // bytes of a file that goes with a message; default 10 MB
	Streams int           // event streams of one user at once; default 64
	Changes int           // by one user in a second; default 30
	Queue   int           // messages of one session that wait for the end of a turn; default 50
	Idle    time.Duration // after which a session that does nothing is closed; default 30 minutes
}

// or returns the limits, those of the settings where none is set, and the defaults where these have none.
func (l Limits) or(set settings.ServerLimits) Limits {
	return Limits{
		Body: cmp.Or(l.Body, set.Body, 1<<20), Upload: cmp.Or(l.Upload, set.Upload, 10<<20), Streams: cmp.Or(l.Streams, set.Streams, 64),
		Changes: cmp.Or(l.Changes, set.Changes, 30), Queue: cmp.Or(l.Queue, set.Queue, 50), Idle: cmp.Or(l.Idle, time.Duration(set.Idle), 30*time.Minute),
	}
}

// uploadBody is how long a request with a file may be: the file as base64, with its name.
func (l Limits) uploadBody() int64 { return l.Upload/3*4 + 4096 }

// current is what a reload replaces.
type current struct {
	settings settings.Server
	limits   Limits
	provider *signin.Provider // of accounts; nil: there is none
	hooks    *webhook.Sender
	stop     context.CancelFunc // ends the sending
	stopped  chan struct{}
}

func (s *Server) limits() Limits { return s.now.Load().limits }

// apply reads the server's own settings and uses them from now on. When they have a fault, nothing changes.
func (s *Server) apply() error {
	next := &current{}
	var err error
	if s.o.Settings != nil {
		if next.settings, err = s.o.Settings(); err != nil {
			return err
		}
	}
	next.limits = s.o.Limits.or(next.settings.Limits)
	hooks, err := s.openHooks(next.settings)
	if err == nil {
		next.provider, err = s.openProvider(next.settings.SignIn)
	}
	if err != nil {
		return err
	}
	s.telling.Lock() // or a message would go to the sender that has ended
	defer s.telling.Unlock()
	before := s.now.Load()
	if before != nil { // two senders would send each message twice
		before.stop()
		<-before.stopped
	}
	if next.hooks, err = webhook.Open(hooks); err != nil {
		if before != nil {
			s.deliver(before)
		}
		return err
	}
	from := ""
	if next.provider != nil {
		from = next.provider.ID()
	}
	s.auth.Accept(from)
	s.deliver(next)
	s.now.Store(next)
	return nil
}

// deliver sends the messages to the webhooks until c.stop is called.
func (s *Server) deliver(c *current) {
	ctx, stop := context.WithCancel(s.ctx)
	stopped := make(chan struct{})
	c.stop, c.stopped = stop, stopped
	s.work.Go(func() {
		defer close(stopped)
		c.hooks.Run(ctx)
	})
}

// openProvider prepares the sign-in of people who have an account elsewhere.
func (s *Server) openProvider(set *settings.SignIn) (*signin.Provider, error) {
	if set == nil {
		return nil, nil
	}
	own, err := s.rooms[0].newest().ClientTo(set.Issuer)
	if err != nil {
		return nil, fmt.Errorf("server.signIn: %w", err)
	}
	others, err := s.rooms[0].newest().Client()
	if err != nil {
		return nil, err
	}
	return signin.NewProvider(*set, own.Transport, others.Transport, func(dir string) bool { return s.workspace(dir) != nil })
}

// Reload reads the settings again: those of the server hold at once, those of the workspaces for new sessions and for sessions
// that are opened again. When one file has a fault, nothing changes.
func (s *Server) Reload(ctx context.Context) error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	fresh := make([]*harness.Harness, len(s.rooms))
	var err error
	for i, w := range s.rooms {
		if fresh[i], err = w.h.Reopened(ctx); err != nil {
			break
		}
	}
	if err == nil {
		err = s.apply()
	}
	if err != nil {
		for _, h := range slices.DeleteFunc(fresh, func(h *harness.Harness) bool { return h == nil }) {
			err = errors.Join(err, h.Close(ctx))
		}
		return err
	}
	for i, w := range s.rooms {
		if before := w.fresh.Swap(fresh[i]); before != nil {
			s.old = append(s.old, before)
		}
	}
	return s.closeOldLocked(ctx)
}

// closeOldLocked closes what was opened by former reloads and has no session any more; s.reloading is held.
func (s *Server) closeOldLocked(ctx context.Context) (err error) {
	s.opened.Lock() // no session is opened meanwhile
	defer s.opened.Unlock()
	s.mu.Lock()
	used := map[*harness.Harness]bool{}
	for _, l := range s.live {
		used[l.h] = true
	}
	s.mu.Unlock()
	s.old = slices.DeleteFunc(s.old, func(h *harness.Harness) bool {
		if used[h] {
			return false
		}
		err = errors.Join(err, h.Close(ctx))
		return true
	})
	return err
}

// harnesses returns all that are open.
func (s *Server) harnesses() (all []*harness.Harness) {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	all = slices.Clone(s.old)
	for _, w := range s.rooms {
		if all = append(all, w.h); w.fresh.Load() != nil {
			all = append(all, w.fresh.Load())
		}
	}
	return all
}

func (s *Server) reloadOperation(a huma.API) {
	add(a, auth.Operator, huma.Operation{OperationID: "reload-settings", Method: http.MethodPost, Path: "/v1/settings/reload", Summary: "Read the settings again, for the server and for new sessions", Tags: []string{"settings"}},
		func(ctx context.Context, _ *body[api.Reload]) (*body[api.Reload], error) {
			c := signin.Of(ctx)
			if !c.SeesAll() {
				return nil, errSeesSome
			}
			if err := s.Reload(ctx); err != nil {
				return nil, problem(http.StatusConflict, "settings", err.Error())
			}
			s.note(c, audit.Entry{What: "reloaded"})
			return &body[api.Reload]{}, nil
		})
}
