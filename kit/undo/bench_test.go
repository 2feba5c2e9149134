//go:build unix

package undo

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// cpu is the processor time of this process so far.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// goTree copies Go's own source tree, of some 11,000 files, and lets its stamps settle.
func goTree(b *testing.B) *world {
	b.Helper()
	top := b.TempDir()
	w := &world{t: b, dir: filepath.Join(top, "work"), home: filepath.Join(top, "store")}
	out, err := exec.Command("go", "env", "GOROOT").Output()
	must(b, err)
	goroot := strings.TrimSpace(string(out))
	must(b, os.CopyFS(filepath.Join(w.dir, "src"), os.DirFS(filepath.Join(goroot, "src"))))
	for _, more := range []string{"test", "api", "doc", "lib", "misc"} {
		if dir := filepath.Join(goroot, more); isDir(dir) {
			must(b, os.CopyFS(filepath.Join(w.dir, more), os.DirFS(dir)))
		}
	}
	time.Sleep(outsideMargin + 500*time.Millisecond) // a tree that was there before the session
	return w
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func (w *world) files() (names []string) {
	_ = filepath.WalkDir(w.dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			names = append(names, name)
		}
		return nil
	})
	return names
}

// measured runs something and reports the least processor time and the least time that it took: other work on the machine
// only adds to them.
func measured(b *testing.B, work func() (only func())) {
	least, leastCPU := time.Hour, time.Hour
	for b.Loop() {
		only := work()
		start, began := cpu(), time.Now()
		only()
		leastCPU, least = min(leastCPU, cpu()-start), min(least, time.Since(began))
	}
	b.ReportMetric(float64(leastCPU)/1e6, "cpu-ms")
	b.ReportMetric(float64(least)/1e6, "ms")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkGoTree measures what docs/maintainers/performance/undo.md reports.
func BenchmarkGoTree(b *testing.B) {
	w := goTree(b)
	names := w.files()
	b.Logf("%d files", len(names))
	b.Run("first", func(b *testing.B) {
		measured(b, func() func() {
			must(b, os.RemoveAll(w.home))
			s := w.open()
			return func() { must(b, s.Snapshot(b.Context())) }
		})
	})
	w.s = w.open()
	defer func() { w.s.Close() }()
	must(b, w.s.Snapshot(b.Context()))
	n := 0
	call := func(work func()) {
		r, err := w.s.Begin(b.Context(), Call{ID: fmt.Sprint(n)}, nil)
		must(b, err)
		work()
		_, err = r.End(b.Context())
		must(b, err)
	}
	touch := func(count int) func() {
		return func() {
			n++
			for i := range count {
				must(b, os.WriteFile(names[(n*count+i)*7%len(names)], fmt.Appendf(nil, "package x // %d %d\n", n, i), 0o644))
			}
		}
	}
	b.Run("filepath.WalkDir with Lstat, to compare", func(b *testing.B) {
		measured(b, func() func() {
			return func() {
				_ = filepath.WalkDir(w.dir, func(name string, _ fs.DirEntry, _ error) error {
					_, err := os.Lstat(name)
					return err
				})
			}
		})
	})
	always := func(work func()) func() func() { return func() func() { return work } }
	b.Run("walk, nothing changed", func(b *testing.B) { measured(b, always(func() { must(b, w.s.Snapshot(b.Context())) })) })
	b.Run("call, nothing changed", func(b *testing.B) { measured(b, always(func() { call(func() {}) })) })
	b.Run("call of a file tool", func(b *testing.B) {
		measured(b, always(func() {
			n++
			name := names[n%len(names)]
			rel, _ := filepath.Rel(w.dir, name)
			r, err := w.s.Begin(b.Context(), Call{ID: fmt.Sprint(n)}, []string{filepath.ToSlash(rel)})
			must(b, err)
			must(b, os.WriteFile(name, fmt.Appendf(nil, "package y // %d\n", n), 0o644))
			_, err = r.End(b.Context())
			must(b, err)
		}))
	})
	for _, count := range []int{10, 500} {
		b.Run(fmt.Sprintf("call that changes %d files", count), func(b *testing.B) { measured(b, always(func() { call(touch(count)) })) })
		b.Run(fmt.Sprintf("undo of %d files", count), func(b *testing.B) {
			measured(b, func() func() {
				call(touch(count))
				p, err := w.s.Plan(b.Context(), Selection{Last: 1})
				must(b, err)
				return func() {
					_, err = w.s.Apply(b.Context(), p, Call{}, nil)
					must(b, err)
				}
			})
		})
	}
	b.Run("first walk of another process", func(b *testing.B) {
		measured(b, func() func() {
			must(b, w.s.Close())
			w.s = w.open()
			return func() { must(b, w.s.Snapshot(b.Context())) }
		})
	})
	before, err := w.s.content.Size()
	must(b, err)
	start := cpu()
	for more := true; more; {
		more, err = w.s.Tidy(b.Context())
		must(b, err)
	}
	after, err := w.s.content.Size()
	must(b, err)
	b.Logf("compressed: %.0f MB to %.0f MB, %v of CPU", float64(before)/1e6, float64(after)/1e6, cpu()-start)
}
