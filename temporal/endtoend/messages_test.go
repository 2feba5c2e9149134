package endtoend_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"rein/event"
	"rein/guard"
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
