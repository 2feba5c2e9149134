package shell

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"rein/guard/effect"
	"rein/kit/places"
)

// TestReadOnlyWritesNothing runs random commands that the tables allow in read-only mode, for real, in a scratch directory, and
// compares its files before and after. REIN_READONLY sets how many are run; 2000 takes minutes.
func TestReadOnlyWritesNothing(t *testing.T) {
	many, _ := strconv.Atoi(os.Getenv("REIN_READONLY")) // 0 where it is not set
	if many == 0 {
		many = 25
	}
	seed, _ := strconv.Atoi(os.Getenv("REIN_SEED")) // 0 where it is not set
	s := newScratch(t)
	names := s.installed()
	if len(names) < 20 {
		t.Skipf("SKIPPED: only %d programs of the tables are installed", len(names))
	}
	tried, ran, wrote := 0, 0, 0
	before := s.snapshot(t)
	for ran < many && tried < 200*many {
		r := rand.New(rand.NewPCG(uint64(seed), uint64(tried))) // #nosec: not a secret
		tried++
		argv := randomCommand(r, names)
		line := quoteAll(argv)
		report := Analyze(line, s.context())
		if report.Class() > effect.Env {
			continue
		}
		ran++
		s.run(t, line)
		if after := s.snapshot(t); !maps.Equal(before, after) {
			wrote++
			t.Errorf("command %d of seed %d is allowed in read-only mode, and writes: %s\n%s", tried-1, seed, line, difference(before, after))
			s.reset(t)
			before = s.snapshot(t)
		}
	}
	t.Logf("%d random commands of %d programs, %d allowed and run, %d wrote", tried, len(names), ran, wrote)
}

// scratch is a directory with a repository in it, which an ordinary user may write.
type scratch struct{ dir, home string }

func newScratch(t *testing.T) scratch {
	dir, err := os.MkdirTemp("", "rein-readonly-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) }) // best effort
	s := scratch{dir: filepath.Join(dir, "work"), home: filepath.Join(dir, "home")}
	s.reset(t)
	return s
}

func (s scratch) reset(t *testing.T) {
	for _, d := range []string{s.dir, s.home} {
		if err := os.RemoveAll(d); err != nil {
			t.Fatal(err)
		}
	}
	files := map[string]string{
		"a.txt": "one\ntwo\nthree\n", "b.txt": "two\nfour\n", "c.json": `{"a": [1, 2]}` + "\n", "d.csv": "x,y\n1,2\n", "sub/e.txt": "five\n", "sub/f.go": "package f\n", "g.md": "# G\n",
		"../home/.profile": "\n",
	}
	for name, text := range files {
		path := filepath.Join(s.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := exec.LookPath("git"); err == nil {
		cmd := exec.CommandContext(t.Context(), "git", "-c", "user.name=x", "-c", "user.email=x@y", "-c", "init.defaultBranch=main", "init", "-q")
		cmd.Dir = s.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	err := filepath.WalkDir(filepath.Dir(s.dir), func(path string, _ fs.DirEntry, err error) error {
		if err == nil && os.Getuid() == 0 {
			err = os.Chown(path, nobody, nobody)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (s scratch) context() Context {
	return Context{Context: places.Context{Dir: s.dir, Workspaces: []string{s.dir}, Home: s.home}, User: "nobody"}
}

const nobody = 65534 // user and group

// installed are the programs of the tables that are in the system's directories. What only waits is left out.
func (s scratch) installed() []string {
	return slices.DeleteFunc(programTable().Names(), func(name string) bool {
		if strings.ContainsAny(name, ":/") {
			return true
		}
		switch name {
		case "sleep", "usleep", "yes", "watch", "tail", "top", "htop", "less", "more", "man", "vi", "vim", "nano", "ed", "emacs":
			return true
		}
		_, err := os.Stat(filepath.Join("/usr/bin", name))
		return err != nil
	})
}

// run runs a line as an ordinary user, with a limit of time.
func (s scratch) run(t *testing.T, line string) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "--noprofile", "--norc", "-c", line)
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + s.home, "LC_ALL=C", "TERM=dumb", "GIT_PAGER=cat", "PAGER=cat", "GIT_OPTIONAL_LOCKS=0", "GIT_EDITOR=:"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	_ = cmd.Run() // most fail: their words are random
}

// ownState are places in home where clients keep logs and state of their own, whatever they are asked. In the sandbox their home
// is a private one.
var ownState = []string{".npm", ".config/gcloud", ".gsutil"}

// snapshot describes all files of the scratch directory and the home: mode, size, contents.
func (s scratch) snapshot(t *testing.T) map[string]string {
	all := map[string]string{}
	err := filepath.WalkDir(filepath.Dir(s.dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch rel, _ := filepath.Rel(s.home, path); { // both are absolute
		case slices.Contains(ownState, rel):
			return fs.SkipDir
		case rel == ".config": // the directory of such places
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all[path] = info.Mode().String()
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all[path] = fmt.Sprintf("%s %x", info.Mode(), sha256.Sum256(text))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func difference(before, after map[string]string) string {
	var lines []string
	for path, now := range after {
		if was, ok := before[path]; !ok {
			lines = append(lines, "new: "+path)
		} else if was != now {
			lines = append(lines, "changed: "+path)
		}
	}
	for path := range before {
		if _, ok := after[path]; !ok {
			lines = append(lines, "gone: "+path)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// randomCommand picks a program, options of it, and operands.
func randomCommand(r *rand.Rand, names []string) []string {
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	operands := []string{"a.txt", "b.txt", "c.json", "d.csv", "sub", "sub/e.txt", "out1", "sub/out2", "3", "x", ".", "g.md", "-", "one", "HEAD", "s/a/b/"}
	name := pick(names)
	options, subs := programTable().Options(name)
	argv := []string{name}
	if len(subs) > 0 {
		argv = append(argv, strings.Split(pick(subs), "/")...)
	}
	for range r.IntN(4) {
		if len(options) == 0 {
			break
		}
		o := pick(options)
		switch r.IntN(4) {
		case 0:
			argv = append(argv, o, pick(operands))
		case 1:
			if strings.HasPrefix(o, "--") {
				o += "="
			}
			argv = append(argv, o+pick(operands))
		default:
			argv = append(argv, o)
		}
	}
	for range r.IntN(4) {
		argv = append(argv, pick(operands))
	}
	return argv
}

func quoteAll(argv []string) string {
	words := make([]string, len(argv))
	for i, w := range argv {
		words[i] = quoteFor(w)
	}
	return strings.Join(words, " ")
}
