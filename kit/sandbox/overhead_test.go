//go:build linux

package sandbox

import (
	"io"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"
)

// BenchmarkOverhead starts "bash -c true" on each backend in turn, so that a noisy neighbour disturbs all alike, and
// reports the medians as ratios to a bare one.
func BenchmarkOverhead(b *testing.B) {
	boxes := map[string]Sandbox{"in-process": None{}, "supervisor": onBackend(b, Policy{}, BackendNone), "landlock": onBackend(b, Policy{}, BackendLandlock), "namespaces": onBackend(b, Policy{}, BackendNamespaces)}
	took := map[string][]time.Duration{}
	for b.Loop() {
		start := time.Now()
		if err := exec.Command("bash", "--noprofile", "--norc", "-c", "true").Run(); err != nil {
			b.Fatal(err)
		}
		took["bare"] = append(took["bare"], time.Since(start))
		for name, box := range boxes {
			start := time.Now()
			if _, err := Run(b.Context(), box, shell("true"), io.Discard, 0); err != nil {
				b.Fatal(err)
			}
			took[name] = append(took[name], time.Since(start))
		}
	}
	median := func(name string) float64 {
		slices.Sort(took[name])
		return float64(took[name][len(took[name])/2])
	}
	bare := median("bare")
	for name := range boxes {
		b.ReportMetric(median(name)/bare, name+"/bare")
	}
	b.ReportMetric(bare/1e6, "bare-ms")
}

// BenchmarkProcessorTime starts "bash -c true" on each backend and reports what all processes that take part use of the
// processors, in microseconds for each program: a figure that neighbours disturb less than the time that passes.
func BenchmarkProcessorTime(b *testing.B) {
	for name, backend := range map[string]Backend{"in-process": -1, "supervisor": BackendNone, "landlock": BackendLandlock, "namespaces": BackendNamespaces} {
		b.Run(name, func(b *testing.B) {
			place, closing := Sandbox(None{}), func() error { return nil }
			if backend >= 0 {
				box := onBackend(b, Policy{}, backend)
				place, closing = box, box.Close
			}
			before, n := used(b), 0
			for b.Loop() {
				n++
				if _, err := Run(b.Context(), place, shell("true"), io.Discard, 0); err != nil {
					b.Fatal(err)
				}
			}
			if err := closing(); err != nil { // then what its processes used is counted as their parent's
				b.Fatal(err)
			}
			b.ReportMetric(float64((used(b)-before).Microseconds())/float64(n), "µs-CPU/program")
		})
	}
}

// BenchmarkPrepare reports what all processes that take part use of the processors to make a sandbox, to prepare it, and to
// close it, in microseconds.
func BenchmarkPrepare(b *testing.B) {
	parts := map[string]time.Duration{}
	n := 0
	for b.Loop() {
		n++
		start := used(b)
		box := testBox(b, Policy{})
		made := used(b)
		if err := box.Prepare(b.Context()); err != nil {
			b.Fatal(err)
		}
		prepared := used(b)
		if err := box.Close(); err != nil {
			b.Fatal(err)
		}
		closed := used(b)
		parts["new"] += made - start
		parts["prepare"] += prepared - made
		parts["close"] += closed - prepared
	}
	for name, took := range parts {
		b.ReportMetric(float64(took.Microseconds())/float64(n), "µs-"+name)
	}
}

// used is the time on processors of this process and of all its children that have ended.
func used(b *testing.B) time.Duration {
	var sum int64
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		sum += u.Utime.Nano() + u.Stime.Nano()
	}
	return time.Duration(sum)
}
