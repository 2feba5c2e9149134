package server

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"rein/app/settings"
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
	provider *signInProvider // of accounts; nil: there is none
	hooks    *webhookSender
	stop     context.CancelFunc // ends the sending
	stopped  chan struct{}
}

// configuration is what the server's own settings say, until they are read again.
type configuration struct {
	o       *Options
	rooms   *workspaces
	users   *users
	links   *linkStore // by which requests are answered once
	now     atomic.Pointer[current]
	sending sync.RWMutex // held while the sender to the webhooks is replaced; readers send
	*background
}

func (c *configuration) limits() Limits { return c.now.Load().limits }

// apply reads the server's own settings and uses them from now on. When they have a fault, nothing changes.
func (c *configuration) apply() error {
	next := &current{}
	var err error
	if c.o.Settings != nil {
		if next.settings, err = c.o.Settings(); err != nil {
			return err
		}
	}
	next.limits = c.o.Limits.or(next.settings.Limits)
	hooks, err := c.openHooks(next.settings)
	if err == nil {
		next.provider, err = c.openProvider(next.settings.SignIn)
	}
	if err != nil {
		return err
	}
	c.sending.Lock() // or a message would go to the sender that has ended
	defer c.sending.Unlock()
	before := c.now.Load()
	if before != nil { // two senders would send each message twice
		before.stop()
		<-before.stopped
	}
	if next.hooks, err = openWebhook(hooks); err != nil {
		if before != nil {
			c.deliver(before)
		}
		return err
	}
	from := ""
	if next.provider != nil {
		from = next.provider.ID()
	}
	c.users.Accept(from)
	c.deliver(next)
	c.now.Store(next)
	return nil
}

// deliver sends the messages to the webhooks until to.stop is called.
func (c *configuration) deliver(to *current) {
	ctx, stop := context.WithCancel(c.ctx)
	stopped := make(chan struct{})
	to.stop, to.stopped = stop, stopped
	c.work.Go(func() {
		defer close(stopped)
		to.hooks.Run(ctx)
	})
}

// openProvider prepares the sign-in of people who have an account elsewhere.
func (c *configuration) openProvider(set *settings.SignIn) (*signInProvider, error) {
	if set == nil {
		return nil, nil
	}
	own, err := c.rooms.all[0].newest().ClientTo(set.Issuer)
	if err != nil {
		return nil, fmt.Errorf("server.signIn: %w", err)
	}
	others, err := c.rooms.all[0].newest().Client()
	if err != nil {
		return nil, err
	}
	return newProvider(*set, own.Transport, others.Transport, func(dir string) bool { return c.rooms.of(dir) != nil })
}
