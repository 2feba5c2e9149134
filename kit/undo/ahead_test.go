package undo

import (
	"context"
	"sync/atomic"
	"testing"
	"time"
)

// TestAWalkInTheBackgroundGivesWay: it stands still while others work, but not for long, and not while somebody waits for the store.
func TestAWalkInTheBackgroundGivesWay(t *testing.T) {
	f := newWorld(t)
	f.write(map[string]string{"a": "a"})
	s := f.open()
	var asked atomic.Int64
	others := func() bool { return asked.Add(1) < 20 }
	if err := s.Snapshot(GivingWay(t.Context(), others)); err != nil || asked.Load() < 20 {
		t.Fatalf("it went on after %d questions: %v", asked.Load(), err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	standing := make(chan struct{}, 1)
	done := make(chan error, 1)
	f.write(map[string]string{"b": "b"})
	go func() {
		done <- s.Snapshot(GivingWay(ctx, func() bool {
			select {
			case standing <- struct{}{}:
			default:
			}
			return true
		}))
	}()
	<-standing
	began := time.Now()
	running, err := s.Begin(ctx, Call{ID: "1", Session: "s"}, nil)
	if took := time.Since(began); err != nil || took > mostGiven/2 {
		t.Errorf("a call waited %v for the walk: %v", took, err)
	}
	if _, err := running.End(ctx); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := s.Snapshot(GivingWay(ctx, func() bool { return true })); err != nil || ctx.Err() != nil {
		t.Errorf("a walk for which others never end: %v, %v", err, ctx.Err())
	}
}
