package undo

import (
	"testing"
	"time"
	"unsafe"
)

// shifted is a time whose wall clock went so much further than the monotonic one: the clock of the machine was set.
func shifted(t time.Time, by time.Duration) time.Time {
	t = t.Add(by)
	monotonic := (*int64)(unsafe.Add(unsafe.Pointer(&t), unsafe.Sizeof(uint64(0)))) // the second field of time.Time
	*monotonic -= int64(by)
	return t
}

func TestAClockThatJumpsIsNoticed(t *testing.T) {
	start := time.Now()
	if later := shifted(start, time.Hour); later.Sub(start) != 0 || later.Round(0).Sub(start.Round(0)) != time.Hour {
		t.Fatal("this version of Go keeps times in another way: change shifted")
	}
	for name, c := range map[string]struct {
		set  time.Duration
		want bool
	}{
		"not at all":         {0, false},
		"by half a second":   {500 * time.Millisecond, false}, // as time servers do
		"an hour forward":    {time.Hour, true},
		"an hour back":       {-time.Hour, true},
		"a year back":        {-365 * 24 * time.Hour, true},
		"two seconds back":   {-2 * time.Second, true},
		"a second and a bit": {1001 * time.Millisecond, true},
	} {
		var clock wallClock
		if clock.Jumped(start) {
			t.Errorf("%s: the first look is no jump", name)
		}
		next := start.Add(3 * time.Hour) // it waited that long: no jump
		if clock.Jumped(next) {
			t.Errorf("%s: waiting is a jump", name)
		}
		if got := clock.Jumped(shifted(next.Add(time.Minute), c.set)); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
		if clock.Jumped(shifted(next.Add(2*time.Minute), c.set)) {
			t.Errorf("%s: the same jump counts twice", name)
		}
	}
}
