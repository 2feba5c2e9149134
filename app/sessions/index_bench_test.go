//go:build unix

package sessions

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rein/event"
	"rein/journal"
)

// many makes a directory of n sessions with a few messages each.
func many(b *testing.B, n int) string {
	b.Helper()
	root := b.TempDir()
	words := strings.Fields("parser sandbox journal release network guard schema budget window branch")
	for i := range n {
		at := day.Add(time.Duration(i) * time.Minute)
		dir := filepath.Join(root, fmt.Sprintf("%s-%05d", at.Format("20060102-150405"), i))
		var text []byte
		for seq, e := range []event.Event{
			{Kind: event.Started, Time: at, Start: &event.Start{Terms: event.Terms{Dir: fmt.Sprint("/work/project-", i%50), Model: "anthropic/m"}}},
			{Kind: event.Prompted, Time: at, Text: fmt.Sprintf("please look at the %s and the %s of item%d", words[i%10], words[i/10%10], i)},
			{Kind: event.Responded, Time: at, Text: strings.Repeat("The "+words[i%10]+" does what it should. ", 20), Usage: &event.Usage{Input: 900, Output: 90}},
			{Kind: event.Prompted, Time: at, Text: "thank you, now the tests"},
			{Kind: event.Stopped, Time: at, Stop: event.Done},
		} {
			e.Seq = int64(seq + 1)
			text, _ = e.Line(text)
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, journal.FileName), text, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return root
}

// cpu is the processor time of this process: other work on the machine does not count.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Figures are in docs/maintainers/performance/sessions.md.
func BenchmarkIndex(b *testing.B) {
	root := many(b, 10_000)
	b.Run("build", func(b *testing.B) {
		for b.Loop() {
			if err := os.RemoveAll(journal.IndexDir(root)); err != nil {
				b.Fatal(err)
			}
			x := opened(b, root)
			if _, _, err := x.List(b.Context(), Filter{Limit: 1}); err != nil {
				b.Fatal(err)
			}
			x.Close()
		}
	})
	// Each opens the index as a new process does.
	fresh := func(name string, do func(b *testing.B, x *index) int) {
		b.Run(name, func(b *testing.B) {
			began, n := cpu(), 0
			defer func() { b.ReportMetric(float64((cpu()-began).Microseconds())/1000/float64(n), "cpu-ms/op") }()
			for b.Loop() {
				n++
				x := opened(b, root)
				if do(b, x) == 0 {
					b.Fatal("found nothing")
				}
				x.Close()
			}
		})
	}
	lists := func(f Filter) func(*testing.B, *index) int {
		return func(b *testing.B, x *index) int {
			all, _, err := x.List(b.Context(), f)
			if err != nil {
				b.Fatal(err)
			}
			return len(all)
		}
	}
	searches := func(query string) func(*testing.B, *index) int {
		return func(b *testing.B, x *index) int {
			hits, err := x.Search(b.Context(), query, Filter{First: "/work/project-7"})
			if err != nil {
				b.Fatal(err)
			}
			return len(hits)
		}
	}
	fresh("list 50", lists(Filter{First: "/work/project-7", Limit: 50}))
	fresh("list all 10000", lists(Filter{First: "/work/project-7"}))
	fresh("search a rare word", searches("item4711"))
	fresh("search a frequent word", searches("tests"))
	fresh("search two words", searches("parser release"))
	fresh("after a session went on", func(b *testing.B, x *index) int {
		f, _, err := journal.Open(filepath.Join(root, "20260301-090000-00000"))
		if err != nil {
			b.Fatal(err)
		}
		if err := f.Append(prompt("more", 1)); err != nil {
			b.Fatal(err)
		}
		f.Close()
		return lists(Filter{Limit: 50})(b, x)
	})
	fresh("after a session was added", func(b *testing.B, x *index) int {
		recordIn(b, root, fmt.Sprint("new-", time.Now().UnixNano()), started("/w", 0))
		return lists(Filter{Limit: 50})(b, x)
	})
}
