//go:build linux

package undo

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestWatch: while nothing happens the walk before a call is left out, and whatever happens, wherever, is found by a walk.
func TestWatch(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.MaxIgnored = 1 })
	files := map[string]string{"a": "1", "d/e/f": "2", "d/g": "3", ".gitignore": "*.log\nbuild/\n", "x.log": "left out", "build/out": "left out", "link": "->a"}
	w.call(func() { w.write(files) })
	quiet := func() bool {
		dirs, known := w.s.changedDirs()
		return known && len(dirs) == 0
	}
	settle := func() {
		t.Helper()
		for range 60 { // the stamps must be old enough; another program may make a sound
			time.Sleep(ownMargin / 4)
			w.call(func() {})
			if quiet() {
				return
			}
			if w.s.watch.off {
				t.Skip("the system has no watch left: other programs use all that a user may have")
			}
		}
		t.Fatalf("it never becomes quiet: %+v", w.s.watch)
	}
	for _, row := range []struct {
		rule string
		do   func()
	}{
		{"a file is written", func() { w.write(map[string]string{"d/e/f": "4"}) }},
		{"a file is made", func() { w.write(map[string]string{"d/new": "5"}) }},
		{"a directory is made, with a file", func() { w.write(map[string]string{"n/m/o": "6"}) }},
		{"a file in that directory is written", func() { w.write(map[string]string{"n/m/o": "7"}) }},
		{"a mode changes", func() { must(t, os.Chmod(filepath.Join(w.dir, "a"), 0o600)) }},
		{"a directory is moved", func() { must(t, os.Rename(filepath.Join(w.dir, "d"), filepath.Join(w.dir, "k"))) }},
		{"a file in the moved directory is written", func() { w.write(map[string]string{"k/e/f": "8"}) }},
		{"a directory goes", func() { must(t, os.RemoveAll(filepath.Join(w.dir, "k"))) }},
		{"an ignore file changes", func() { w.write(map[string]string{".gitignore": "*.log\n"}) }},
	} {
		settle()
		row.do()
		if quiet() {
			t.Errorf("%s: nothing was heard", row.rule)
		}
		_, report := w.call(func() {})
		if len(report.Changes) > 0 {
			t.Errorf("%s: it counts as the work of the next call: %+v", row.rule, report.Changes)
		}
	}
	settle()
	must(t, os.Link(filepath.Join(w.dir, "a"), filepath.Join(w.dir, "hard")))
	for range 3 {
		time.Sleep(ownMargin / 2)
		w.call(func() {})
	}
	if quiet() {
		t.Error("a file with two names is taken to be unchanged without a look")
	}
}

// TestWatchFindsWhatACallDid: after a call only the directories in which something happened are looked at. Whatever a call did, and
// however, is found there, as a walk of everything shows.
func TestWatchFindsWhatACallDid(t *testing.T) {
	w := newWorld(t)
	w.write(map[string]string{"a": "1", "d/e/f": "2", "d/g": "3", "k/l/m/n": "4", "mapped": strings.Repeat("x", 100)})
	must(t, w.s.Snapshot(t.Context()))
	if w.s.watch.off {
		t.Skip("the system has no watch left: other programs use all that a user may have")
	}
	store := func() { // through a mapping, which outlives the file's handle
		f, err := os.OpenFile(filepath.Join(w.dir, "mapped"), os.O_RDWR, 0)
		must(t, err)
		b, err := unix.Mmap(int(f.Fd()), 0, 100, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		must(t, err)
		must(t, f.Close())
		b[50]++
		must(t, unix.Munmap(b))
	}
	for _, row := range []struct {
		rule string
		do   func()
		want string // the changes
	}{
		{"nothing", func() {}, ""},
		{"a file is written", func() { w.write(map[string]string{"d/e/f": "5"}) }, "d/e/f changed"},
		{"two files far apart", func() { w.write(map[string]string{"d/g": "6", "k/l/m/n": "7"}) }, "d/g changed, k/l/m/n changed"},
		{"a mapping", store, "mapped changed"},
		{"the mapping again", store, "mapped changed"},
		{"directories with files", func() { w.write(map[string]string{"n/m/o": "8"}) }, "n created, n/m created, n/m/o created"},
		{"in the new directories", func() { w.write(map[string]string{"n/m/o": "9", "n/p": ""}) }, "n/m/o changed, n/p created"},
		{"a mode far below", func() { must(t, os.Chmod(filepath.Join(w.dir, "k/l/m"), 0o700)) }, "k/l/m mode"},
		{"a link to a file, and a write by it", func() {
			must(t, os.Link(filepath.Join(w.dir, "a"), filepath.Join(w.dir, "k/hard")))
			w.write(map[string]string{"k/hard": "10"})
		}, "a changed, k/hard created"},
		{"a directory goes", func() { must(t, os.RemoveAll(filepath.Join(w.dir, "n"))) }, "n deleted, n/m deleted, n/m/o deleted, n/p deleted"},
		{"a directory becomes a file", func() { w.sh("rm -r d/e; echo > d/e") }, "d/e type, d/e/f deleted"},
	} {
		_, report := w.call(row.do)
		var got []string
		for _, c := range report.Changes {
			got = append(got, c.Path+" "+string(c.What))
		}
		slices.Sort(got)
		if strings.Join(got, ", ") != row.want {
			t.Errorf("%s: %q, want %q", row.rule, got, row.want)
		}
		records := len(w.s.log.records)
		must(t, w.s.Snapshot(t.Context()))
		if more := w.s.log.records[records:]; len(more) > 0 {
			t.Errorf("%s: a walk of everything finds more: %+v", row.rule, more[0].changes)
		}
	}
}
