package undo

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// world is a workspace with a store.
type world struct {
	t    testing.TB
	dir  string
	home string
	s    *Store
	n    int
}

func newWorld(t testing.TB, set ...func(*Options)) *world {
	t.Helper()
	top := t.TempDir()
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() { // syncs cost nothing there
		var err error
		if top, err = os.MkdirTemp("/dev/shm", "undo-test-"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(top) })
	}
	if real, err := filepath.EvalSymlinks(top); err == nil {
		top = real
	}
	w := &world{t: t, dir: filepath.Join(top, "work"), home: filepath.Join(top, "store")}
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w.s = w.open(set...)
	t.Cleanup(func() { w.s.Close() })
	return w
}

func (w *world) open(set ...func(*Options)) *Store {
	w.t.Helper()
	o := Options{Roots: []string{w.dir}, MinFree: 1}
	for _, f := range set {
		f(&o)
	}
	s, err := Open(w.home, o)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// write writes files; a value that ends in "/" is a directory, one that starts with "->" a link.
func (w *world) write(files map[string]string) {
	w.t.Helper()
	for name, text := range files {
		full := filepath.Join(w.dir, name)
		must(w.t, os.MkdirAll(filepath.Dir(full), 0o755))
		if target, ok := strings.CutPrefix(text, "->"); ok {
			must(w.t, os.Symlink(target, full))
			continue
		}
		must(w.t, os.WriteFile(full, []byte(text), 0o644))
	}
}

// call runs something as a call and returns its report.
func (w *world) call(work func()) (string, Report) {
	w.t.Helper()
	w.n++
	id := fmt.Sprintf("c%d", w.n)
	r, err := w.s.Begin(w.t.Context(), Call{ID: id, Tool: "bash", Session: "s"}, nil)
	must(w.t, err)
	work()
	report, err := r.End(w.t.Context())
	must(w.t, err)
	return id, report
}

// sh runs a shell command in the workspace.
func (w *world) sh(script string) {
	w.t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("%s\n%s: %v", script, out, err)
	}
}

// undo takes a selection back.
func (w *world) undo(sel Selection, answers *Answers) *Outcome {
	w.t.Helper()
	p, err := w.s.Plan(w.t.Context(), sel)
	must(w.t, err)
	out, err := w.s.Apply(w.t.Context(), p, Call{}, answers)
	must(w.t, err)
	for _, f := range out.Failed {
		w.t.Errorf("undo of %s: %v", f.Path, f.Err)
	}
	return out
}

// tree describes everything in the workspace: type, mode, content, target.
func (w *world) tree() string { return treeOf(w.t, w.dir) }

func treeOf(t testing.TB, dir string) string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		line := fmt.Sprintf("%q %v", rel, info.Mode())
		switch {
		case rel == ".":
			return nil
		case info.Mode().IsRegular():
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %d %x", len(data), sha256.Sum256(data))
			if len(data) < 60 {
				line += fmt.Sprintf(" %q", data)
			}
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				return err
			}
			line += " -> " + target
		}
		lines = append(lines, line)
		return nil
	})
	must(t, err)
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func same(t testing.TB, got, want, what string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n%s", what, lineDiff(want, got))
	}
}

func lineDiff(want, got string) string {
	in := map[string]int{}
	for _, l := range strings.Split(want, "\n") {
		in[l]--
	}
	for _, l := range strings.Split(got, "\n") {
		in[l]++
	}
	var out []string
	for l, n := range in {
		if n < 0 {
			out = append(out, "- "+l)
		} else if n > 0 {
			out = append(out, "+ "+l)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i][2:] < out[j][2:] })
	if len(out) > 30 {
		out = out[:30]
	}
	return strings.Join(out, "\n")
}
