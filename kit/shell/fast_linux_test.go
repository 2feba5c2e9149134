package shell

import (
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestReadingACommandIsFast holds the two promises of docs/maintainers/guard.md: half of the everyday commands are read in 0.1 ms, and any text
// of up to MaxBytes in 250 ms. It counts the processor time of one thread, the best of a few tries: what else the machine does is not ours.
func TestReadingACommandIsFast(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c := testContext()
	took := func(cmd string, tries int) time.Duration {
		best := time.Hour
		for range tries {
			before := threadTime(t)
			Analyze(cmd, c)
			best = min(best, threadTime(t)-before)
		}
		return best
	}
	var all []time.Duration
	for _, cmd := range slices.Concat(rows(t, "allowed.txt"), rows(t, "asked.txt"), rows(t, "denied.txt")) {
		all = append(all, took(cmd, 3))
	}
	slices.Sort(all)
	if half := all[len(all)/2]; half > 100*time.Microsecond {
		t.Errorf("half of the everyday commands take longer than %v", half)
	}
	long := monsters()
	maps.Copy(long, moreMonsters())
	maps.Copy(long, deepMonsters())
	slowest, name := time.Duration(0), ""
	for _, shape := range slices.Sorted(maps.Keys(long)) {
		cmd := long[shape]
		if len(cmd) < MaxBytes { // to the limit of what is read
			cmd = strings.Repeat(cmd+"\n", MaxBytes/(len(cmd)+1))
		}
		if d := took(cmd[:min(len(cmd), MaxBytes)], 3); d > slowest {
			slowest, name = d, shape
		}
	}
	if slowest > 250*time.Millisecond {
		t.Errorf("%s takes %v", name, slowest)
	}
	t.Logf("p50 %v, p99 %v; the slowest text of %d bytes: %v (%s)", all[len(all)/2], all[len(all)*99/100], MaxBytes, slowest, name)
}

// threadTime is the processor time that this thread has used.
func threadTime(t *testing.T) time.Duration {
	t.Helper()
	var used unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Nano())
}
