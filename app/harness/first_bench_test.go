//go:build linux

package harness

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"rein/app/settings"
	"rein/event"
	"rein/model"
)

// BenchmarkFirstCall measures the first call of a session that begins with nothing known, in a copy of the directory that REIN_BENCH_WORKSPACE
// names: from the request to the result, and the processor time of the whole session. The model answers at once, so that all that begins
// with a session runs beside the call. In those that are called "next", a session before it kept what it knew.
func BenchmarkFirstCall(b *testing.B) {
	from := os.Getenv("REIN_BENCH_WORKSPACE")
	if from == "" {
		b.Skip("REIN_BENCH_WORKSPACE names no directory")
	}
	work, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	if err := exec.Command("cp", "-a", from+"/.", work).Run(); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(work, "first.txt"), []byte("hello\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	for _, m := range []asker{
		{1, 1, "read_file", `{"path":"first.txt","limit":%d}`},
		{1, 1, "grep", `{"pattern":"zqneedle_alpha_ra.e|x%d"}`},
		{1, 1, "bash", `{"command":"true %d"}`},
	} {
		for name, root := range map[string]string{m.name: "", m.name + "-next": b.TempDir()} {
			b.Run(name, func(b *testing.B) {
				if root != "" {
					time.Sleep(2 * time.Second) // after the copy: until then no time tells whether something changed
					firstCall(b, m, work, root)
				}
				var took []time.Duration
				before := processorTime(b)
				for b.Loop() {
					took = append(took, firstCall(b, m, work, cmp.Or(root, b.TempDir())))
				}
				b.ReportMetric(median(took)/1e6, "ms/call")
				b.ReportMetric(float64(processorTime(b)-before)/1e6/float64(len(took)), "CPU-ms/session")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

func firstCall(b *testing.B, m asker, work, root string) time.Duration {
	d := settings.Dirs{Config: root + "/c", Sessions: root + "/s", Output: root + "/o", Private: root + "/p", State: root + "/t"}
	h, err := Open(b.Context(), Options{Dir: work, Dirs: d, Terms: event.Terms{Sandbox: "auto", Mode: "full"}})
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close(context.Background())
	s, err := h.Start(b.Context(), NewSession{Model: m})
	if err != nil {
		b.Fatal(err)
	}
	var asked, replied time.Time
	for e, err := range s.Send(b.Context(), model.Text("go")) {
		if err != nil || e.Kind == event.Replied && e.Result.Failed {
			b.Fatalf("%+v, %+v, %v", e, e.Result, err)
		}
		if e.Kind == event.Requested && asked.IsZero() {
			asked = time.Now()
		}
		if e.Kind == event.Replied {
			replied = time.Now()
		}
	}
	if err := s.Close(b.Context()); err != nil {
		b.Fatal(err)
	}
	return replied.Sub(asked)
}
