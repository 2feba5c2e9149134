package sandbox

import (
	"fmt"
	"os"
	"testing"
)

// TestManyProgramsLeaveNothingOpen compares the open files of rein and of the supervisor, and the supervisor's children and
// threads, after many programs with those after a few.
func TestManyProgramsLeaveNothingOpen(t *testing.T) {
	box := needBox(t, Policy{})
	supervisor := inspect(box).Supervisor
	count := func() map[string]int {
		spareOf(t, box)
		ours, _ := os.ReadDir("/proc/self/fd")
		theirs, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", supervisor))
		return map[string]int{"our open files": len(ours), "its open files": len(theirs), "its threads": threadsOf(supervisor)}
	}
	run := func(n int) {
		for i := range n {
			if _, result := try(t, box, fmt.Sprintf("exit %d", i%2)); result.Code != i%2 {
				t.Fatalf("program %d: got %+v", i, result)
			}
		}
	}
	run(20)
	before := count()
	run(300)
	for what, now := range count() {
		if now > before[what]+4 {
			t.Errorf("%s: %d after 20 programs, %d after 320", what, before[what], now)
		}
	}
}
