package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"rein/app/inbox"
	"rein/app/server"
	"rein/event"
	"rein/journal"
	"rein/temporal"
)

// copied is a session of which the page has a copy, or one that it does not show.
type copied struct {
	id, root, host string // root: the user's session, for that of a sub-agent
	other          bool   // it belongs to nobody here

	read    bool // the copy that was there is known
	log     *journal.File
	seq     int64
	stop    event.Stop             // engine.mu guards it
	turn    int                    // the last answer of the model that is whole
	replied map[string]bool        // calls, of the turn that is at work
	asked   map[string]event.Event // requests that wait

	sent    time.Time        // a message or an answer was, of which nothing is recorded; engine.mu guards it and what follows
	looked  time.Time        // for trouble
	trouble temporal.Trouble // that it is in
}

// hostFile is the file in the copy of a session that names its host: the server forgets closed sessions.
const hostFile = "host"

// The times of the copies.
const (
	lookEvery  = 10 * time.Second // for sessions of which nobody told, and for the trouble of those that are at work
	waitsEvery = time.Minute      // for the trouble of those that wait for an answer
	againAfter = 2 * time.Second  // after a fault
)

// known reads which sessions there are copies of.
func (e *engine) known() error {
	found, err := filepath.Glob(filepath.Join(e.dir, "*", hostFile))
	for _, name := range found {
		host, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		e.add(filepath.Base(filepath.Dir(name)), "", string(host))
	}
	return err
}

// add makes a session known. root is "" for the user's own.
func (e *engine) add(id, root, host string) *copied {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.all[id]
	if c == nil {
		if root == "" {
			root = id
		}
		c = &copied{id: id, root: root, host: host, other: e.hosts[host] == "", replied: map[string]bool{}, asked: map[string]event.Event{}}
		e.all[id] = c
	}
	return c
}

// follow copies what is recorded, and brings it to the page, until ctx ends.
func (e *engine) follow(ctx context.Context, page *server.Server) {
	defer e.closeAll()
	var looking sync.WaitGroup
	looking.Go(func() { e.watchTrouble(ctx, page) })
	defer looking.Wait()
	for said := ""; ctx.Err() == nil; {
		err := e.watch(ctx, page)
		if ctx.Err() != nil {
			return
		}
		if text := fmt.Sprint(err); text != said {
			said = text
			e.warn("the page does not get what happens: " + text)
		}
		e.away(page, err)
		select {
		case <-ctx.Done():
		case <-time.After(againAfter):
		}
	}
}

// watch follows the store until something fails. Live text that comes while nobody listens is lost; events are not.
func (e *engine) watch(ctx context.Context, page *server.Server) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	happens, failed := make(chan temporal.Happened), make(chan error, 1) // each is taken before the next one is read: that keeps their order
	if live, ok := e.client.Store.(temporal.Live); ok {
		go func() {
			for h, err := range live.Watch(ctx) {
				if err != nil {
					failed <- err
					return
				}
				select {
				case happens <- h:
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err = <-failed:
		case <-look.C:
			if err = e.lookAll(ctx, page); err == nil {
				e.away(page, nil)
			}
		case h := <-happens:
			switch {
			case h.Session == "":
				err = e.lookAll(ctx, page)
			case h.Live != nil:
				e.live(page, *h.Live)
			default:
				err = e.happened(ctx, page, h.Session)
			}
		}
		if err != nil {
			return err
		}
	}
}

// lookAll copies what is new of all sessions that may be at work, and finds those that are new.
func (e *engine) lookAll(ctx context.Context, page *server.Server) error {
	listing, listed := context.WithTimeout(ctx, longestAsk)
	defer listed()
	for l, err := range e.client.Sessions(listing) {
		if err != nil {
			return serverError{err}
		}
		e.add(l.ID, "", l.Host) // one of an older program has no host there, and is not shown
	}
	e.mu.Lock()
	var all []*copied
	for _, c := range e.all {
		if c.id == c.root && !c.other && (!c.read || c.stop == "" || c.stop == event.Waiting) {
			all = append(all, c)
		}
	}
	e.mu.Unlock()
	for _, c := range all {
		if err := e.copy(ctx, page, c); err != nil {
			return err
		}
	}
	return nil
}

// happened copies what is new of a session.
func (e *engine) happened(ctx context.Context, page *server.Server, id string) error {
	c := e.of(id)
	if c == nil {
		l, ok, err := e.client.Session(ctx, id)
		if err != nil {
			return serverError{err}
		}
		if !ok {
			return nil // of another team, or a sub-agent of another host
		}
		c = e.add(l.ID, "", l.Host)
	}
	if c.other {
		return nil
	}
	return e.copy(ctx, page, c)
}

// copy copies the new events of a session and tells the page of them. Of what was there before the page has ever seen the session it only
// gets the requests that wait.
func (e *engine) copy(ctx context.Context, page *server.Server, c *copied) error {
	dir, err := journal.Dir(e.dir, c.id)
	if err == nil && !c.read {
		err = e.readCopy(dir, c)
	}
	if err != nil {
		return err
	}
	first := c.seq == 0
	var fresh []event.Event
	for one, err := range e.client.Store.Events(ctx, c.id, c.seq) {
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return fmt.Errorf("session %s: %w", c.id, err)
		}
		if one.Seq > c.seq {
			fresh = append(fresh, one)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	old := first && time.Since(fresh[len(fresh)-1].Time) > time.Minute
	if err := e.keep(dir, c, fresh); err != nil {
		return err
	}
	for _, one := range fresh {
		e.saw(c, one)
		if old {
			continue
		}
		if one.Kind == event.ApprovalRequested {
			e.asks(ctx, page, c, one)
		}
		page.Recorded(c.root, one)
	}
	if old {
		for _, one := range c.asked {
			e.asks(ctx, page, c, one)
		}
	}
	return c.rest()
}

// readCopy reads the copy that an earlier process has made.
func (e *engine) readCopy(dir string, c *copied) error {
	for one, err := range journal.Read(filepath.Join(dir, journal.FileName)) {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, journal.ErrTorn) {
			break
		}
		if err != nil {
			return fmt.Errorf("the copy of session %s: %w", c.id, err)
		}
		e.saw(c, one)
	}
	c.read = true
	return nil
}

// keep writes events into the copy.
func (e *engine) keep(dir string, c *copied, events []event.Event) (err error) {
	if c.log == nil {
		if c.log, err = journal.Resume(dir); err != nil {
			return err
		}
	}
	if c.id == c.root && c.seq == 0 {
		if err := os.WriteFile(filepath.Join(dir, hostFile), []byte(c.host), 0o600); err != nil {
			return err
		}
	}
	if err := c.log.Append(events...); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(dir, journal.UnsentName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// rest closes the copy of a session that does nothing.
func (c *copied) rest() error {
	if c.log == nil || c.stop == "" {
		return nil
	}
	err := c.log.Close()
	c.log = nil
	return err
}

func (e *engine) closeAll() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range e.all {
		if c.log != nil {
			_ = c.log.Close() // what is copied is there
		}
	}
}

// saw takes note of an event of a session, and of the sub-agent that it starts.
func (e *engine) saw(c *copied, one event.Event) {
	e.mu.Lock()
	c.saw(one)
	e.mu.Unlock()
	if one.Kind == event.SubAgentStarted && one.Child != "" {
		e.add(one.Child, c.root, c.host)
	}
}

func (c *copied) saw(e event.Event) {
	c.seq = max(c.seq, e.Seq)
	switch e.Kind {
	case event.Prompted, event.Requested, event.Called:
		c.stop = ""
		if e.Kind == event.Prompted {
			c.sent = time.Time{}
		}
	case event.Responded:
		c.turn = e.Turn
		clear(c.replied)
	case event.Replied:
		c.replied[e.Call.ID] = true
		delete(c.asked, e.Call.ID)
	case event.ApprovalRequested:
		c.asked[e.Call.ID] = e
	case event.Granted, event.Refused, event.ApprovalVoid:
		delete(c.asked, e.Call.ID)
		c.sent = time.Time{}
	case event.Stopped:
		c.stop = e.Stop
	}
}

// live brings live text to the page, unless the whole text is there already.
func (e *engine) live(page *server.Server, one event.Event) {
	c := e.of(one.Session)
	if c == nil || c.other || one.Kind != event.Output && one.Turn > 0 && one.Turn <= c.turn || one.Call != nil && c.replied[one.Call.ID] {
		return
	}
	page.Recorded(c.root, one)
}

// asks brings a request to the page: what its host has kept of it, or else what its event has.
func (e *engine) asks(ctx context.Context, page *server.Server, c *copied, one event.Event) {
	if one.Call == nil || one.Grant == nil {
		return
	}
	r := inbox.Request{Tool: one.Call.Name, Args: one.Call.Args, Lines: []string{one.Call.Name + " " + string(one.Call.Args)}}
	if text, err := e.client.Store.Get(ctx, c.id, temporal.RequestName(one.Call.ID, one.Grant.Hash)); err == nil {
		var kept inbox.Request
		if json.Unmarshal(text, &kept) == nil {
			r = kept
		}
	}
	r.Session, r.Call, r.Hash, r.Time = c.id, one.Call.ID, one.Grant.Hash, one.Time
	if one.Intent != nil {
		r.Intent = *one.Intent
	}
	if one.Verdict != nil {
		r.Verdict = *one.Verdict
	}
	if r.Depth == 0 && one.Parent != "" {
		r.Depth = 1
	}
	if err := page.Requested(c.root, r); err != nil {
		e.warn("a request of session " + c.id + " is not shown: " + strings.TrimSpace(err.Error()))
	}
}
