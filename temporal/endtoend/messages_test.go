package endtoend_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/model"
	"rein/temporal"
)

// As many messages as may wait, and as long as they may be without the store, do not stop a session; a long answer is refused.
func TestManyMessages(t *testing.T) {
	t.Setenv(scaleEnv, "1")
	w := newWorld(t, 0, "models", "host-a")
	c := w.client()
	id := w.name + "-many"
	w.waiting(c, []string{id})
	large := strings.Repeat("x", 4000)
	for i := range 190 {
		w.again(func(ctx context.Context) error {
			return c.Send(ctx, temporal.Session{ID: id}, fmt.Sprint("m", i), false, model.Text(large))
		})
	}
	if err := c.Answer(t.Context(), id, temporal.Answer{Request: "x", Words: strings.Repeat("x", 70_000)}); err == nil || !strings.Contains(err.Error(), "may have 65536") {
		t.Errorf("a long answer: %v", err)
	}
	w.again(func(ctx context.Context) error {
		s, err := c.State(ctx, id)
		if err == nil && len(s.Messages) != 190 {
			err = fmt.Errorf("%d messages wait", len(s.Messages))
		}
		return err
	})
	for i := range 10 {
		if err := c.Send(t.Context(), temporal.Session{ID: id}, fmt.Sprint("n", i), false, model.Text("short")); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Send(t.Context(), temporal.Session{ID: id}, "late", false, model.Text("short")); !errors.Is(err, temporal.ErrFull) {
		t.Errorf("a message for which there is no room: %v", err)
	}
	if err := c.Send(t.Context(), temporal.Session{ID: id}, "m3", false, model.Text(large)); err != nil {
		t.Errorf("one that was taken, again: %v", err)
	}
	w.answerOnce(c, id)
	w.again(func(context.Context) error {
		for _, e := range w.events(c, id) {
			if e.Kind == event.Replied && !e.Result.Failed {
				return nil
			}
		}
		return errors.New("the call did not run")
	})
}

// A session whose journal is damaged is in trouble at once, and says why; the others go on. retry lets it continue.
func TestADamagedJournal(t *testing.T) {
	if os.Getenv("REIN_TEMPORAL_POSTGRES") != "" {
		t.Skip("the journal is no file")
	}
	t.Setenv(scaleEnv, "1")
	w := newWorld(t, 0, "models", "host-a")
	c := w.client()
	ids := []string{w.name + "-bad", w.name + "-good"}
	w.waiting(c, ids)
	file := filepath.Join(w.root, "sessions", ids[0], journal.FileName)
	if err := os.WriteFile(file, []byte(strings.Repeat("garbage\n", 20)), 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	w.answerOnce(c, ids[0])
	troubled := func(is bool) {
		w.again(func(ctx context.Context) error {
			s, err := c.State(ctx, ids[0])
			if err == nil && strings.Contains(s.Trouble, "the journal of the session is damaged") != is {
				err = fmt.Errorf("it should be in trouble (%v): %+v", is, s)
			}
			return err
		})
	}
	troubled(true)
	t.Logf("in trouble after %v", time.Since(began).Round(time.Millisecond))
	w.turns(c, ids[1:])
	if err := c.Retry(t.Context(), ids[0]); err != nil {
		t.Fatal(err)
	}
	troubled(false)
	if err := c.Send(t.Context(), temporal.Session{ID: ids[0]}, "", false, model.Text("go on")); err != nil {
		t.Fatal(err)
	}
	w.stops(c, ids[0], event.Waiting)
}

// answerOnce approves what a session asks.
func (w *world) answerOnce(c *temporal.Client, id string) {
	w.t.Helper()
	w.again(func(ctx context.Context) error {
		s, err := c.State(ctx, id)
		if err != nil || len(s.Pending) == 0 {
			return fmt.Errorf("the session %s waits for nothing: %w", id, err)
		}
		return c.Answer(ctx, id, temporal.Answer{Request: s.Pending[0].ID, Hash: s.Pending[0].Hash, Approved: true, By: guard.ByPerson("Ada")})
	})
}
