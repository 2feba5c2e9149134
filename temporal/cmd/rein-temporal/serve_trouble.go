package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"rein/app/server"
	"rein/app/server/api"
	"rein/event"
	"rein/temporal"
)

// serverError is an error of the Temporal server, and not of the store.
type serverError struct{ error }

func (e serverError) Unwrap() error { return e.error }

// mostLooks is how many sessions are looked at at once.
const mostLooks = 8

// Trouble implements server.Engine.
func (e *engine) Trouble(session string) *api.Trouble {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.all[session]
	if c == nil || c.id != c.root {
		return nil
	}
	t := c.trouble
	if e.gone.Kind != "" && c.open() {
		t = e.gone
	}
	if t.Kind == "" {
		return nil
	}
	return &api.Trouble{Kind: string(t.Kind), Session: t.Session, Queue: t.Queue, Why: t.Why, Do: t.Do, Since: t.Since, Text: t.String(), Stuck: t.Stuck()}
}

// open reports whether the session has something to do, as far as it is known here; e.mu is held.
func (c *copied) open() bool { return c.stop == "" || c.stop == event.Waiting || !c.sent.IsZero() }

// away notes that nothing can be known of the sessions; nil: it can.
func (e *engine) away(page *server.Server, err error) {
	var t temporal.Trouble
	if err != nil {
		t = temporal.Trouble{Kind: temporal.NoStore, Why: short(err), Do: "rein-temporal doctor"}
		if errors.As(err, &serverError{}) {
			t.Kind = temporal.NoServer
		}
	}
	e.mu.Lock()
	var changed []string
	if e.gone != t {
		e.gone = t
		for _, c := range e.all {
			if c.id == c.root && !c.other && c.open() {
				changed = append(changed, c.id)
			}
		}
	}
	e.mu.Unlock()
	for _, id := range changed {
		page.Changed(id)
	}
}

// sent notes that a session has something to do, of which nothing is recorded yet.
func (e *engine) sent(session string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c := e.all[session]; c != nil {
		c.sent, c.looked = time.Now(), time.Time{}
	}
}

// watchTrouble looks at sessions for trouble, until ctx ends.
func (e *engine) watchTrouble(ctx context.Context, page *server.Server) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			e.lookForTrouble(ctx, page)
		}
	}
}

// lookForTrouble looks why sessions do nothing that should be at work.
func (e *engine) lookForTrouble(ctx context.Context, page *server.Server) {
	e.mu.Lock()
	var all []*copied
	for _, c := range e.all {
		switch {
		case c.id != c.root || c.other || e.gone.Kind != "":
		case c.open() && (c.stop != event.Waiting || !c.sent.IsZero() || time.Since(c.looked) > waitsEvery):
			all = append(all, c)
		case c.trouble.Kind != "" && !c.open():
			c.trouble = temporal.Trouble{}
			defer page.Changed(c.id)
		}
	}
	e.mu.Unlock()
	var looking sync.WaitGroup
	turn := make(chan struct{}, mostLooks) // bounds how many look
	for _, c := range all {
		turn <- struct{}{}
		looking.Go(func() {
			defer func() { <-turn }()
			t, err := e.client.Trouble(ctx, c.id)
			if err != nil {
				return
			}
			e.mu.Lock()
			was := c.trouble
			c.trouble, c.looked = t, time.Now()
			e.mu.Unlock()
			if was != t {
				page.Changed(c.id)
			}
		})
	}
	looking.Wait()
}
