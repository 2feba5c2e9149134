package undo

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestWhatIsUndoneIsNotForgotten: the room that an undo needs is not taken from the call that it undoes.
func TestWhatIsUndoneIsNotForgotten(t *testing.T) {
	for _, when := range []string{"plan", "apply"} {
		t.Run(when, func(t *testing.T) {
			w := newWorld(t, func(o *Options) { o.Quota = 1 << 20 })
			w.sh("echo first > a; head -c 300000 /dev/urandom > b")
			must(t, w.s.Snapshot(t.Context()))
			w.call(func() { w.sh("echo second > a; head -c 300000 /dev/urandom > b") })
			must(t, w.s.Snapshot(t.Context()))
			fill := func() { w.sh("for i in 1 2 3; do head -c 140000 /dev/urandom > new$i; done") }
			if when == "plan" {
				fill()
			}
			p, err := w.s.Plan(t.Context(), Selection{Last: 1})
			must(t, err)
			if when == "apply" {
				fill()
			}
			_, err = w.s.Apply(t.Context(), p, Call{}, nil)
			must(t, err)
			text := func() string {
				got, err := os.ReadFile(filepath.Join(w.dir, "a"))
				must(t, err)
				return string(got)
			}
			if got := text(); got != "first\n" {
				t.Errorf("a is %q", got)
			}
			w.undo(Selection{Last: 1, Redo: true}, nil)
			if got := text(); got != "second\n" {
				t.Errorf("after the redo a is %q", got)
			}
		})
	}
}

// TestWhatWasForgottenSinceThePlan is an error, not an undo of nothing.
func TestWhatWasForgottenSinceThePlan(t *testing.T) {
	w := newWorld(t)
	w.call(func() { w.sh("echo 1 > a") })
	p, err := w.s.Plan(t.Context(), Selection{Last: 1})
	must(t, err)
	must(t, w.s.forget(len(w.s.log.records)))
	if out, err := w.s.Apply(t.Context(), p, Call{}, nil); !errors.Is(err, ErrNoStep) {
		t.Errorf("%+v, %v", out, err)
	}
}
