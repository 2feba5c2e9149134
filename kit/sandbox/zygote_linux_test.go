package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// inspect returns the helper processes of a box.
func inspect(b *Box) inspection {
	return b.place.(interface{ Inspect() inspection }).Inspect()
}

// spareOf waits until there is a spare process, and returns its number and a channel that is closed when it has ended.
func spareOf(t *testing.T, b *Box) (pid int, ended <-chan struct{}) {
	t.Helper()
	pid, ended, err := b.place.(interface {
		Spare() (int, <-chan struct{}, error)
	}).Spare()
	if err != nil {
		t.Fatal(err)
	}
	return pid, ended
}

func TestZygoteIsMadeOnceForManyPrograms(t *testing.T) {
	box := needBox(t, Policy{})
	first := inspect(box).Zygote
	for range 5 {
		try(t, box, "mkdir -p .git/hooks sub && touch .env a")
	}
	if inspect(box).Zygote != first {
		t.Error("it was made again and nothing had changed")
	}
}

func TestProgramsSeeWhatTheHostHasNow(t *testing.T) {
	for _, row := range []struct {
		rule   string
		change func(home, ws string) error
		script string
		want   string
	}{
		{"another workspace of the same name", func(_, ws string) error {
			return errors.Join(os.Rename(ws, ws+".old"), os.Mkdir(ws, 0o755), os.WriteFile(ws+"/new", []byte("x"), 0o644))
		}, "ls", "new\n"},
		{"settings that were written anew", func(home, _ string) error {
			return errors.Join(os.WriteFile(home+"/next", []byte("two\n"), 0o644), os.Rename(home+"/next", home+"/.gitconfig"))
		}, "cat ~/.gitconfig", "two\n"},
		{"settings that were changed in place", func(home, _ string) error {
			return os.WriteFile(home+"/.gitconfig", []byte("three\n"), 0o644)
		}, "cat ~/.gitconfig", "three\n"},
	} {
		t.Run(row.rule, func(t *testing.T) {
			home, ws := homeForTests(t), filepath.Join(t.TempDir(), "ws")
			if err := errors.Join(os.Mkdir(ws, 0o755), os.WriteFile(home+"/.gitconfig", []byte("one\n"), 0o644)); err != nil {
				t.Fatal(err)
			}
			box := needBox(t, Policy{Workspace: ws, Home: home})
			if out, _ := try(t, box, "cat ~/.gitconfig; ls"); out != "one\n" {
				t.Fatalf("before: %q", out)
			}
			if err := row.change(home, ws); err != nil {
				t.Fatal(err)
			}
			if out, _ := try(t, box, row.script); out != row.want {
				t.Errorf("got %q", out)
			}
		})
	}
}

// TestProgramsThatStartAtOnceLookOnce: a look that began after a program had asked is as good as one of its own, an earlier one is not.
func TestProgramsThatStartAtOnceLookOnce(t *testing.T) {
	place := filepath.Join(t.TempDir(), "place")
	if err := os.Mkdir(place, 0o755); err != nil {
		t.Fatal(err)
	}
	z := &zygote{id: 1, supervisor: &supervisor{}, view: view{Shown: []viewBind{{Source: place}}}}
	defer z.close()
	z.outdated(time.Now())
	first := time.Now()
	if z.outdated(first) {
		t.Fatal("nothing has changed")
	}
	if err := errors.Join(os.Rename(place, place+".old"), os.Mkdir(place, 0o755)); err != nil {
		t.Fatal(err)
	}
	if z.outdated(first) {
		t.Error("another look was taken for a program that asked before the last one")
	}
	if !z.outdated(time.Now()) {
		t.Error("no look was taken for a program that asked after the change")
	}
}

func TestProgramOfAnEarlierZygoteGoesOn(t *testing.T) {
	box := needBox(t, Policy{})
	old, err := Launch(t.Context(), box, shell("trap '' TERM; sleep 100"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	supervisor := inspect(box).Supervisor
	before, threads := inspect(box).Zygote, threadsOf(supervisor)
	for i := range 20 {
		box.place.(interface{ Outdate() }).Outdate()
		if out, _ := try(t, box, "echo $PPID; ls -d /proc/[0-9]* | wc -l"); !strings.HasPrefix(out, "1\n") {
			t.Errorf("program %d: got %q", i, out)
		}
	}
	if inspect(box).Zygote == before {
		t.Error("the zygote was not made again")
	}
	if now := threadsOf(supervisor); now > threads+4 {
		t.Errorf("the supervisor had %d threads and has %d: the threads of earlier zygotes go on", threads, now)
	}
	select {
	case <-old.Done():
		t.Error("the program ended with its zygote")
	default:
	}
	old.Stop(time.Millisecond)
	if result, err := old.Result(); err != nil || result.Signal != unix.SIGKILL {
		t.Errorf("got %+v %v", result, err)
	}
}

func threadsOf(pid int) int {
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	return len(tasks)
}

func TestSpareProcessThatWasKilledIsReplaced(t *testing.T) {
	box := needBox(t, Policy{})
	pid, ended := spareOf(t, box)
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-ended
	for range 3 {
		if out, _ := try(t, box, "echo alive"); out != "alive\n" {
			t.Errorf("got %q", out)
		}
	}
}

func TestSpareProcessEndsWithTheSandbox(t *testing.T) {
	box := needBox(t, Policy{})
	pid, _ := spareOf(t, box)
	if err := box.Close(); err != nil {
		t.Fatal(err)
	}
	end(t, pid)
}

// TestEverythingEndsWithTheSupervisor kills the supervisor from outside: what it started must not continue without it.
func TestEverythingEndsWithTheSupervisor(t *testing.T) {
	box := needBox(t, Policy{})
	running, err := Launch(t.Context(), box, shell("echo $PPID; sleep 1000"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	spareOf(t, box)
	supervisor := inspect(box).Supervisor
	children := childrenOf(supervisor)
	if len(children) < 2 {
		t.Fatalf("the supervisor has the children %v, want a program and a spare", children)
	}
	if err := unix.Kill(supervisor, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if result, err := running.Result(); !errors.Is(err, ErrCut) || result.Signal != unix.SIGKILL {
		t.Errorf("got %+v %v", result, err)
	}
	if _, err := Launch(t.Context(), box, shell("true"), io.Discard); !errors.Is(err, ErrGone) {
		t.Errorf("a program after that: %v", err)
	}
	end(t, children...)
}

// end waits until processes have ended: the kernel takes a moment to take their mounts apart.
func end(t *testing.T, pids ...int) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for _, pid := range pids {
		for unix.Kill(pid, 0) == nil && !zombie(pid) {
			if time.Now().After(deadline) {
				t.Fatalf("process %d goes on", pid)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}

func zombie(pid int) bool {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(text), ") ")
	return strings.HasPrefix(after, "Z")
}

// childrenOf finds the children of a process.
func childrenOf(parent int) []int {
	var children []int
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range files {
		text, _ := os.ReadFile(name)
		var state string
		var above int
		_, after, _ := strings.Cut(string(text), ") ")
		if n, _ := fmt.Sscan(after, &state, &above); n == 2 && above == parent {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			children = append(children, pid)
		}
	}
	return children
}

// initsOf finds the children of a supervisor that are process 1 of a program.
func initsOf(supervisor int) []int {
	return slices.DeleteFunc(childrenOf(supervisor), func(pid int) bool { return nameOf(pid) != "rein-init" })
}

// nameOf is the name of a process, as its binary or itself gave it.
func nameOf(pid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return strings.TrimSpace(string(text))
}

// TestProcess1IsACopy holds it that no command executes our binary again: its process 1 is a fork of one process of the zygote. Process 1 that was
// executed would have the name of the binary.
func TestProcess1IsACopy(t *testing.T) {
	box := needBox(t, Policy{})
	for range 3 {
		pid, _ := spareOf(t, box)
		if name := nameOf(pid); !strings.HasPrefix(name, "rein-") { // it gives itself the name after it was forked
			t.Errorf("process 1 has the name %q", name)
		}
		if out, _ := try(t, box, "cat /proc/1/comm; cat /proc/1/maps /proc/1/mem /proc/1/environ; ls /proc/1/fd/ /proc/1/root/; kill -9 1; kill -STOP 1; echo $PPID"); strings.Count(out, "\n") < 2 || !strings.HasPrefix(out, "rein-init\n") || !strings.HasSuffix(out, "\n1\n") {
			t.Errorf("got %q", out)
		}
	}
	zygotes := 0
	box.place.(interface{ Outdate() }).Outdate()
	try(t, box, "true")
	deadline := time.Now().Add(20 * time.Second)
	for zygotes = 0; zygotes != 1 && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		zygotes = 0
		for _, pid := range childrenOf(inspect(box).Supervisor) {
			if nameOf(pid) == "rein-zygote" && !zombie(pid) {
				zygotes++
			}
		}
	}
	if zygotes != 1 {
		t.Errorf("%d processes to copy after the zygote was made again, want 1", zygotes)
	}
}

// TestTemplateThatWasKilledIsDoneWithout: then process 1 is our binary, executed again.
func TestTemplateThatWasKilledIsDoneWithout(t *testing.T) {
	box := needBox(t, Policy{})
	for _, pid := range childrenOf(inspect(box).Supervisor) {
		if nameOf(pid) == "rein-zygote" {
			if err := unix.Kill(pid, unix.SIGKILL); err != nil {
				t.Fatal(err)
			}
			end(t, pid)
		}
	}
	for range 12 {
		if out, _ := try(t, box, "echo alive $PPID; cat /proc/1/comm"); !strings.HasPrefix(out, "alive 1\n") || strings.HasSuffix(out, "zygote\n") {
			t.Errorf("got %q", out)
		}
	}
	if pid, _ := spareOf(t, box); strings.HasPrefix(nameOf(pid), "rein-") {
		t.Errorf("a process 1 without a template has the name %q", nameOf(pid))
	}
}

// TestTextWithANULIsRefused: the kernel would run what is before the NUL.
func TestTextWithANULIsRefused(t *testing.T) {
	for _, backend := range backends() {
		box := onBackend(t, Policy{}, backend)
		for _, spec := range []Spec{shell("echo one\x00two"), {Argv: []string{"echo", "\x00"}}} {
			if _, err := box.Start(t.Context(), spec); !errors.Is(err, unix.EINVAL) {
				t.Errorf("%s: %q: got %v", backend, spec.Argv, err)
			}
		}
	}
}

// TestAsManySparesAsProgramsAtOnce: a model that runs five commands at once does so again, and none of them waits then.
func TestAsManySparesAsProgramsAtOnce(t *testing.T) {
	box := needBox(t, Policy{})
	supervisor := inspect(box).Supervisor
	at := func(n int) (children []int) {
		t.Helper()
		deadline := time.Now().Add(20 * time.Second)
		for children = initsOf(supervisor); len(children) != n; children = initsOf(supervisor) {
			if time.Now().After(deadline) {
				t.Fatalf("the supervisor has the children %v, want %d", children, n)
			}
			time.Sleep(5 * time.Millisecond)
		}
		return children
	}
	var running []*Running
	for range 5 {
		p, err := Launch(t.Context(), box, shell("sleep 1000"), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		running = append(running, p)
	}
	at(5 + 5)
	for _, p := range running {
		p.Stop(time.Millisecond)
	}
	spares := at(5)
	if out, _ := try(t, box, "echo $PPID"); out != "1\n" {
		t.Errorf("a program that took one of several spares: got %q", out)
	}
	for range 5 { // one less each time that fewer programs run at once
		try(t, box, "true")
		time.Sleep(50 * time.Millisecond)
	}
	spares = append(spares, at(1)...)
	if err := box.Close(); err != nil {
		t.Fatal(err)
	}
	end(t, spares...)
}
