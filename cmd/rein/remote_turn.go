package main

import (
	"context"
	"errors"
	"time"

	"rein/app/client"
)

// cancel stops what the server does. The end comes as an event.
func (s *remoteSession) cancel(failed chan<- error) {
	err := s.reach(s.ctx, func(ctx context.Context) error { return s.place.client.Cancel(ctx, s.id) })
	if err != nil {
		failed <- err
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
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
