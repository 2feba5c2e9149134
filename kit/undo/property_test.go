//go:build unix

package undo

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// programs makes random changes to a workspace, of every kind that undo promises to take back.
type programs struct {
	*rand.Rand
	dir string
}

func (p programs) name() string {
	names := []string{"a", "b", "c.txt", "ünï", "u\u0308", "日本", "x y", "-n", "bad\xff", "new\nline", ".hid", "A"}
	path := names[p.Intn(len(names))]
	for p.Intn(3) == 0 {
		path = []string{"d", "e", "d/f", "ÿ"}[p.Intn(4)] + "/" + path
	}
	return filepath.Join(p.dir, path)
}

// existing picks something that is there.
func (p programs) existing() string {
	var all []string
	_ = filepath.WalkDir(p.dir, func(name string, _ os.DirEntry, err error) error {
		if err == nil && name != p.dir {
			all = append(all, name)
		}
		return nil
	})
	if len(all) == 0 {
		return p.name()
	}
	return all[p.Intn(len(all))]
}

func (p programs) content() []byte {
	switch p.Intn(5) {
	case 0:
		return nil
	case 1:
		b := make([]byte, p.Intn(100))
		p.Read(b)
		return b
	case 2:
		b := make([]byte, 1<<20+p.Intn(1<<20))
		p.Read(b[:p.Intn(len(b))])
		return b
	}
	return []byte(strings.Repeat(fmt.Sprintln("line", p.Intn(5)), p.Intn(20)))
}

// step makes one change. Those that are not possible do nothing. No step follows a link: it may lead out of the directory.
func (p programs) step() {
	switch p.Intn(14) {
	case 0, 1, 2:
		name := p.name()
		_ = os.MkdirAll(filepath.Dir(name), 0o755)
		if f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0o644); err == nil {
			_, _ = f.Write(p.content())
			f.Close()
		}
	case 3:
		_ = os.RemoveAll(p.existing())
	case 4:
		_ = os.Remove(p.existing())
	case 5:
		_ = os.Rename(p.existing(), p.name())
	case 6:
		modes := []os.FileMode{0o600, 0o755, 0o640, 0o444, 0o777, 0o755 | os.ModeSetuid, 0o755 | os.ModeSticky}
		name := p.existing()
		if info, err := os.Lstat(name); err == nil && info.Mode()&os.ModeSymlink == 0 {
			_ = os.Chmod(name, modes[p.Intn(len(modes))])
		}
	case 7:
		_ = os.Symlink([]string{"a", "d", "../x", "/nowhere/passwd", "gone"}[p.Intn(5)], p.name())
	case 8:
		_ = os.MkdirAll(p.name(), 0o755)
	case 9:
		if f, err := os.OpenFile(p.existing(), os.O_APPEND|os.O_WRONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0); err == nil {
			_, _ = f.WriteString("more\n")
			f.Close()
		}
	case 10:
		_ = syscall.Mkfifo(p.name(), 0o600)
	case 11:
		_ = os.Link(p.existing(), p.name())
	case 12:
		if a, b := p.existing(), p.existing(); a != b {
			_ = os.Rename(a, a+".swap")
			_ = os.Rename(b, a)
			_ = os.Rename(a+".swap", b)
		}
	case 13: // the same size, with the old time put back
		name := p.existing()
		if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() {
			b := make([]byte, info.Size())
			p.Read(b)
			if f, err := os.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0); err == nil {
				_, _ = f.Write(b)
				f.Close()
			}
			_ = os.Chtimes(name, info.ModTime(), info.ModTime())
		}
	}
}

// TestUndoStepByStep runs random programs and takes them back one by one: after each the tree is byte for byte as it was.
// Then it takes back the undos in turn.
func TestUndoStepByStep(t *testing.T) {
	var seeds []int
	for seed := range 60 {
		seeds = append(seeds, seed)
	}
	seeds = append(seeds, 72, 107, 139, 295, 721) // whose hard links need more than their numbers of names
	if testing.Short() {
		seeds = seeds[:15]
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newWorld(t)
			p := programs{rand.New(rand.NewSource(int64(seed))), w.dir}
			for range 10 {
				p.step()
			}
			must(t, w.s.Snapshot(t.Context()))
			states := []string{w.links()}
			for range 6 {
				w.call(func() {
					for range 1 + p.Intn(6) {
						p.step()
					}
				})
				states = append(states, w.links())
				records := len(w.s.log.records)
				must(t, w.s.Snapshot(t.Context())) // of everything, whatever the kernel reported
				if more := w.s.log.records[records:]; len(more) > 0 {
					t.Fatalf("the walk after a call missed %q", more[0].changes[0].Path)
				}
			}
			steps, err := w.s.Steps(t.Context(), Filter{})
			must(t, err)
			for i := len(steps) - 1; i >= 0; i-- {
				out := w.undo(Selection{Last: 1}, nil)
				at := int(steps[i].Call.ID[1]-'0') - 1
				same(t, w.links(), states[at], fmt.Sprintf("after undo of %s", steps[i].Call.ID))
				for _, c := range out.Conflicts {
					t.Errorf("conflict: %q %s", c.Path, c.Why)
				}
				for _, c := range out.Uncovered {
					t.Errorf("uncovered: %q %s", c.Path, c)
				}
				if t.Failed() {
					return
				}
			}
			if _, err := w.s.Plan(t.Context(), Selection{Last: 1}); err == nil {
				t.Error("there is still something to take back")
			}
			for _, st := range steps {
				w.undo(Selection{Last: 1, Redo: true}, nil)
				same(t, w.links(), states[int(st.Call.ID[1]-'0')], fmt.Sprintf("after redo of %s", st.Call.ID))
				if t.Failed() {
					return
				}
			}
			must(t, w.s.Close())
			w.s = w.open()
			w.undo(Selection{Last: len(steps)}, nil)
			same(t, w.links(), states[0], "after undo of all at once, in another process")
		})
	}
}
