//go:build linux

package sandbox

import (
	"io"
	"os/exec"
	"slices"
	"testing"
	"time"
)

// BenchmarkOverhead starts "bash -c true" on each rung in turn, so that a noisy neighbour disturbs all alike, and
// reports the medians as ratios to a bare one.
func BenchmarkOverhead(b *testing.B) {
	boxes := map[string]Sandbox{"in-process": None{}, "warden": onRung(b, Policy{}, openBare), "landlock": onRung(b, Policy{}, openLandlock), "namespaces": onRung(b, Policy{}, openNamespaces)}
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
