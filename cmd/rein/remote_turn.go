package main

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"time"

	"rein/app/client"
	"rein/app/session"
	"rein/event"
)

// beginsTurn reports whether an event of the session shows that a turn is at work.
func beginsTurn(e event.Event) bool {
	switch e.Kind {
	case event.Prompted, event.Requested, event.Called, event.Granted, event.Delta, event.Thought:
		return true
	}
	return false
}

// came takes an event that the screen has not shown: a turn that is shown gets it, or else the person.
func (s *remoteSession) came(e event.Event) {
	own := e.Session == s.id
	s.mu.Lock()
	defer s.mu.Unlock()
	if own && beginsTurn(e) {
		s.working = true
	}
	if own && e.Kind == event.Stopped {
		s.working = false
	}
	if !s.taking && len(s.events) == 0 && !(own && beginsTurn(e)) {
		s.place.person.Happened(e)
		return
	}
	s.events = append(s.events, e)
	s.wakeLocked()
	s.joinLocked()
}

// joinLocked lets the screen show a turn that it did not begin; s.mu is held.
func (s *remoteSession) joinLocked() {
	if !s.taking && !s.joined && len(s.events) > 0 {
		s.joined = true
		s.place.person.Joined()
	}
}

func (s *remoteSession) wakeLocked() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// next returns the next event of the turn. over is set where nothing is running any more.
func (s *remoteSession) next() (e event.Event, ok, over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.events) == 0 {
		return e, false, !s.working
	}
	e = s.events[0]
	s.events = s.events[1:]
	return e, true, false
}

// turn returns the events until the turn has ended. begin starts it; nil: it is at work already.
func (s *remoteSession) turn(ctx context.Context, begin func(context.Context) error) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		s.mu.Lock()
		s.taking, s.joined = true, false
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.taking = false
			s.joinLocked()
		}()
		begun := make(chan error, 1)
		if begin != nil {
			go func() { begun <- begin(ctx) }()
		}
		s.show(ctx, begin != nil, begun, yield)
	}
}

// show passes on the events of a turn. starts is set while the server has not taken it yet.
func (s *remoteSession) show(ctx context.Context, starts bool, begun <-chan error, yield func(event.Event, error) bool) {
	cancelled, failed := ctx.Done(), make(chan error, 1)
	for {
		e, ok, over := s.next()
		switch {
		case ok && e.Session == s.id && e.Kind == event.Stopped:
			if e.Stop == event.Cancelled {
				s.awaitSent()
			}
			yield(e, turnError(e))
			return
		case ok && !yield(e, nil):
			return
		case ok:
			starts = starts && !(e.Session == s.id && beginsTurn(e))
			continue
		case over && !starts:
			return
		}
		select {
		case <-s.wake:
		case err := <-begun:
			if err != nil {
				yield(event.Event{Kind: event.Audit, Session: s.id}, err)
				return
			}
		case err := <-failed:
			yield(event.Event{Kind: event.Audit, Session: s.id}, err)
			return
		case <-cancelled:
			if cancelled = nil; errors.Is(context.Cause(ctx), session.ErrLeaves) {
				return
			}
			go s.cancel(failed)
		case <-s.ctx.Done():
			return
		}
	}
}

func turnError(e event.Event) error {
	if e.Stop != event.Failed {
		return nil
	}
	return errors.New(cmp.Or(e.Text, "the turn failed"))
}

// cancel stops what the server does. The end comes as an event.
func (s *remoteSession) cancel(failed chan<- error) {
	err := s.reach(s.ctx, func(ctx context.Context) error { return s.place.client.Cancel(ctx, s.id) })
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		failed <- err
		return
	}
	s.droppedLocked()
}

// retryPause is how long after an attempt that did not reach the server the next one comes.
const retryPause = time.Second

// reach does something until the server has answered. What it does must do no harm when it is done twice.
func (s *remoteSession) reach(ctx context.Context, do func(context.Context) error) error {
	for {
		err := do(ctx)
		if _, answered := errors.AsType[*client.Problem](err); err == nil || answered || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.ctx.Done():
			return s.ctx.Err()
		case <-time.After(retryPause):
		}
	}
}
