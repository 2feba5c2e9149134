//go:build unix

package undo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// errCut ends the work of a process in a test: what it would do next does not happen, as if it were killed there.
var errCut = errors.New("killed here")

// killer stops at the n-th write.
type killer struct {
	left int
	dead bool
	err  error
}

func (k *killer) fault(string) error {
	if k.left--; k.left < 0 && k.err == nil || k.dead {
		k.dead = true
		return errCut
	}
	if k.left < 0 {
		return k.err
	}
	return nil
}

// abandon leaves a store as a killed process does: nothing more is written, and its locks are free.
func (s *Store) abandon() {
	s.log.close()
	if s.owner != nil {
		_ = s.owner.lock.Unlock()
	}
	_ = s.lock.Close()
}

// story is a workspace with files, directories, links and a repository's refs, and a call that changes most of it.
func story(w *world) {
	for i := range 12 {
		w.write(map[string]string{fmt.Sprintf("d%d/f%d", i%3, i): fmt.Sprint("text ", i)})
	}
	w.write(map[string]string{"big": strings.Repeat("0123456789abcdef", 100_000), "link": "->d0/f0", "x/y/z": "deep"})
}

func change1(w *world) {
	for i := range 12 {
		_ = os.WriteFile(filepath.Join(w.dir, fmt.Sprintf("d%d/f%d", i%3, i)), fmt.Append(nil, "new ", i), 0o600)
	}
	_ = os.RemoveAll(filepath.Join(w.dir, "d1"))
	_ = os.RemoveAll(filepath.Join(w.dir, "x"))
	_ = os.WriteFile(filepath.Join(w.dir, "x"), []byte("a file now"), 0o644)
	_ = os.Remove(filepath.Join(w.dir, "link"))
	_ = os.Mkdir(filepath.Join(w.dir, "link"), 0o700)
	_ = os.WriteFile(filepath.Join(w.dir, "link/n"), nil, 0o644)
	_ = os.Truncate(filepath.Join(w.dir, "big"), 5000)
}

// everyWrite is how many writes lie between two kills: in a short run, four.
func everyWrite() int {
	if testing.Short() {
		return 4
	}
	return 1
}

// TestKilledAtEveryWriteOfAnUndo: the next process finishes the undo, or finds that it never began.
func TestKilledAtEveryWriteOfAnUndo(t *testing.T) {
	for n := 0; ; n += everyWrite() {
		w := newWorld(t)
		story(w)
		must(t, w.s.Snapshot(t.Context()))
		before := w.tree()
		w.call(func() { change1(w) })
		after := w.tree()
		must(t, w.s.Close())

		k := &killer{left: n}
		w.s = w.open(func(o *Options) { o.Fault = k.fault })
		p, err := w.s.Plan(t.Context(), Selection{Last: 1})
		if err == nil {
			_, err = w.s.Apply(t.Context(), p, Call{}, nil)
		}
		w.s.abandon()
		if !k.dead {
			must(t, err)
			same(t, w.tree(), before, "without a crash")
			if n < 30 {
				t.Errorf("only %d writes", n)
			}
			return
		}
		w.s = w.open()
		must(t, w.s.Snapshot(t.Context()))
		if _, err := w.s.Plan(t.Context(), Selection{Last: 1}); err == nil { // the undo had not begun, or it finishes here
			w.undo(Selection{Last: 1}, nil)
		} else if !errors.Is(err, ErrNothing) {
			t.Fatalf("killed at write %d: %v", n, err)
		}
		same(t, w.tree(), before, fmt.Sprintf("killed at write %d, then finished", n))
		w.undo(Selection{Last: 1, Redo: true}, nil)
		same(t, w.tree(), after, fmt.Sprintf("killed at write %d, then finished, then redone", n))
		must(t, w.s.Close())
		if t.Failed() {
			return
		}
	}
}

// TestAKilledCallOwnsNothingOfLater: what changes once its process has gone is somebody else's work, which no undo of the call takes back.
func TestAKilledCallOwnsNothingOfLater(t *testing.T) {
	w := newWorld(t)
	w.write(map[string]string{"old": "1\n", "mine": "1\n", "gone": "1\n"})
	r, err := w.s.Begin(t.Context(), Call{ID: "c"}, nil)
	must(t, err)
	w.sh("echo 2 > old; echo new > made; rm gone")
	r.over() // no beat follows
	alive := w.s.owner.lock.Path()
	w.s.abandon()
	between := time.Now().Add(20 * time.Millisecond) // the clock of files is coarse
	must(t, os.Chtimes(alive, between, between.Add(-beat-time.Second)))
	time.Sleep(40 * time.Millisecond)
	w.sh("echo 2 > mine; echo work > later; mkdir d; echo x > d/x")
	for range 2 { // also after a call of the next process
		w.s = w.open()
		if all, err := w.s.Steps(t.Context(), Filter{}); err != nil || len(all) > 0 && all[0].Running {
			t.Errorf("%+v, %v", all, err)
		}
		w.undo(Selection{Filter: Filter{Call: "c"}}, nil)
		for name, want := range map[string]string{"old": "1\n", "mine": "2\n", "gone": "1\n", "later": "work\n", "d/x": "x\n", "made": ""} {
			if got, _ := os.ReadFile(filepath.Join(w.dir, name)); string(got) != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		w.undo(Selection{Last: 1, Redo: true}, nil)
		w.call(func() {})
		must(t, w.s.Close())
	}
}

// TestKilledAtEveryWriteOfACall: whatever was lost of the record, the next process takes back what the call did.
func TestKilledAtEveryWriteOfACall(t *testing.T) {
	for n := 0; ; n += everyWrite() {
		w := newWorld(t)
		story(w)
		before := w.tree()
		k := &killer{left: n}
		w.s = w.open(func(o *Options) { o.Fault = k.fault })
		r, err := w.s.Begin(t.Context(), Call{ID: "c"}, nil)
		if err == nil {
			change1(w)
			_, err = r.End(t.Context())
		}
		began := r != nil
		w.s.abandon()
		w.s = w.open()
		must(t, w.s.Snapshot(t.Context()))
		if began {
			w.undo(Selection{Filter: Filter{Call: "c"}}, nil)
		}
		same(t, w.tree(), before, fmt.Sprintf("killed at write %d", n))
		must(t, w.s.Close())
		if !k.dead {
			must(t, err)
			if n < 8 {
				t.Errorf("only %d writes", n)
			}
			return
		}
		if t.Failed() {
			return
		}
	}
}

// TestFullDiskAtEveryWrite: a call that cannot be kept does not begin, nothing is lost, and it works when there is room.
func TestFullDiskAtEveryWrite(t *testing.T) {
	for n := 0; ; n++ {
		w := newWorld(t)
		story(w)
		before := w.tree()
		k := &killer{left: n, err: syscall.ENOSPC}
		w.s = w.open(func(o *Options) { o.Fault = k.fault })
		r, err := w.s.Begin(t.Context(), Call{ID: "c"}, nil)
		if err != nil {
			if !errors.Is(err, ErrNotKept) || !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("write %d: %v", n, err)
			}
			k.left = 1 << 30
			if r, err = w.s.Begin(t.Context(), Call{ID: "c"}, nil); err != nil {
				t.Fatalf("write %d: with room again: %v", n, err)
			}
		}
		change1(w)
		_, err = r.End(t.Context())
		full := k.left < 0
		k.left = 1 << 30
		if err != nil {
			must(t, w.s.Snapshot(t.Context()))
		}
		w.undo(Selection{Filter: Filter{Call: "c"}}, nil)
		same(t, w.tree(), before, fmt.Sprintf("no room at write %d", n))
		must(t, w.s.Close())
		if !full && n > 40 || t.Failed() {
			return
		}
	}
}

// TestDamage: a damaged record is named and everything else is restored; a damaged index is made again.
func TestDamage(t *testing.T) {
	for _, row := range []struct {
		what   string
		damage func(w *world)
		lost   string
	}{
		{"no index", func(w *world) { must(w.t, os.Remove(filepath.Join(w.home, "sums"))) }, ""},
		{"a cut index", func(w *world) { must(w.t, os.Truncate(filepath.Join(w.home, "sums"), 100)) }, ""},
		{"a wrong index", func(w *world) { flip(w.t, filepath.Join(w.home, "sums"), []byte("none"), 50) }, ""},
		{"a flipped bit in a content", func(w *world) { flip(w.t, filepath.Join(w.home, "seg-000001"), []byte("content of b"), 3) }, "b"},
		{"no trees", func(w *world) { must(w.t, os.Remove(filepath.Join(w.home, "trees"))) }, ""},
		{"damaged trees", func(w *world) { flip(w.t, filepath.Join(w.home, "trees"), []byte("none"), 60) }, ""},
		{"a cut log", func(w *world) {
			f, err := os.OpenFile(filepath.Join(w.home, "log"), os.O_WRONLY|os.O_APPEND, 0)
			must(w.t, err)
			_, err = f.Write([]byte("half a record"))
			must(w.t, err)
			must(w.t, f.Close())
		}, ""},
	} {
		t.Run(row.what, func(t *testing.T) {
			w := newWorld(t)
			w.write(map[string]string{"a": "content of a", "b": "content of b", "c": "content of c"})
			w.call(func() { w.sh("rm a b c") })
			must(t, w.s.Close())
			row.damage(w)
			w.s = w.open()
			out := func() *Outcome {
				p, err := w.s.Plan(t.Context(), Selection{Last: 1})
				must(t, err)
				out, err := w.s.Apply(t.Context(), p, Call{}, nil)
				must(t, err)
				return out
			}()
			if _, err := w.s.Plan(t.Context(), Selection{Last: 1}); !errors.Is(err, ErrNothing) {
				t.Errorf("again: %v", err) // what is damaged stays so
			}
			for _, name := range []string{"a", "b", "c"} {
				_, err := os.Stat(filepath.Join(w.dir, name))
				if lost := name == row.lost; lost == (err == nil) {
					t.Errorf("%s: %v", name, err)
				}
			}
			if row.lost != "" && (len(out.Failed) != 1 || out.Failed[0].Path != row.lost || !strings.Contains(out.Failed[0].Err.Error(), "damaged")) {
				t.Errorf("failed: %+v", out.Failed)
			}
		})
	}
}

// TestADamagedRecordOfTheLog: the call that it is about is lost, the others can be taken back.
func TestADamagedRecordOfTheLog(t *testing.T) {
	w := newWorld(t)
	w.write(map[string]string{"a": "1", "b": "1", "c": "1"})
	var states []string
	for _, name := range []string{"a", "b", "c"} {
		states = append(states, w.tree())
		w.call(func() { w.sh("echo 2 > " + name) })
	}
	must(t, w.s.Close())
	flip(t, filepath.Join(w.home, "log"), []byte(`"changed"`), 3)
	w.s = w.open()
	for _, state := range []string{states[2], states[1]} {
		w.undo(Selection{Last: 1}, nil)
		same(t, w.tree(), state, "after an undo")
	}
	if _, err := w.s.Plan(t.Context(), Selection{Last: 1}); !errors.Is(err, ErrNothing) {
		t.Errorf("the damaged call: %v", err)
	}
	w.undo(Selection{Last: 2, Redo: true}, nil)
	w.call(func() { w.sh("rm a b c") })
	w.undo(Selection{Last: 1}, nil)
}

// flip changes one bit, so many bytes behind a text.
func flip(t testing.TB, name string, after []byte, more int) {
	t.Helper()
	data, err := os.ReadFile(name)
	must(t, err)
	at := max(strings.Index(string(data), string(after)), 0) + more
	data[at] ^= 1
	must(t, os.WriteFile(name, data, 0o600))
}

// TestSegmentsCutAtEveryByte: whatever is left is read, and new contents can be kept.
func TestSegmentsCutAtEveryByte(t *testing.T) {
	w := newWorld(t)
	w.write(map[string]string{"a": "content of a", "b": "content of b"})
	w.call(func() { w.sh("rm a b") })
	must(t, w.s.Close())
	whole, err := os.ReadFile(filepath.Join(w.home, "seg-000001"))
	must(t, err)
	for n := range len(whole) {
		must(t, os.WriteFile(filepath.Join(w.home, "seg-000001"), whole[:n], 0o600))
		_ = os.Remove(filepath.Join(w.home, "sums"))
		w.s = w.open()
		w.write(map[string]string{"new": fmt.Sprint(n)})
		must(t, w.s.Snapshot(t.Context()))
		p, err := w.s.Plan(t.Context(), Selection{Filter: Filter{Call: "c1"}})
		must(t, err)
		if len(p.Changes) != 2 {
			t.Fatalf("cut at %d: %+v", n, p)
		}
		must(t, w.s.Close())
	}
}
