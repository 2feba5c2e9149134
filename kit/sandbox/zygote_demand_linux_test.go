package sandbox

import "testing"

func TestDemandForSpares(t *testing.T) {
	d := spares(false, 4096)
	settle := func(want int, why string) {
		t.Helper()
		if got := d.settle(); got != want {
			t.Errorf("%s: %d spares, want %d", why, got, want)
		}
	}
	run := func(n int) {
		for range n {
			d.begins()
		}
		for range n {
			d.ends()
		}
	}
	settle(1, "nothing has run yet")
	d.begins()
	settle(1, "one program runs")
	d.ends()
	run(5)
	settle(5, "five ran at once")
	run(1)
	settle(4, "one ran alone")
	settle(3, "none ran")
	run(20)
	settle(mostSpares, "more than may wait")
	d = spares(false, manyProcesses-1)
	run(5)
	settle(1, "the limit of processes is low")
	d = spares(true, 4096)
	run(5)
	settle(0, "places are opened for one program")
}
