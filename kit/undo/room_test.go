package undo

import (
	"errors"
	"math"
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

// TestTheDiskKeepsWhatMustStayFree: a walk keeps no more than the disk has beyond that, whatever the quota leaves.
func TestTheDiskKeepsWhatMustStayFree(t *testing.T) {
	const mb = 1 << 20
	o := Options{Quota: 100 * mb, MinFree: 50 * mb}
	for name, c := range map[string]struct{ size, free, total, want int64 }{
		"much is free: the quota counts":        {30 * mb, 9000 * mb, 10_000 * mb, 70 * mb},
		"little is free: MinFree stays":         {0, 60 * mb, 10_000 * mb, 10 * mb},
		"a small disk: a twentieth of it":       {0, 19 * mb, 20 * mb, 18 * mb},
		"less is free than must stay":           {0, 20 * mb, 10_000 * mb, 0},
		"the quota is used up":                  {120 * mb, 9000 * mb, 10_000 * mb, 0},
		"the disk is unknown: the quota counts": {30 * mb, math.MaxInt64, 0, 70 * mb},
	} {
		if got := o.room(c.size, c.free, c.total); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
