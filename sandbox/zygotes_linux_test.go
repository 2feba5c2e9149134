package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// zygoteSourceOf is the ground of a box on the best rung.
func zygoteSourceOf(b *Box) *zygoteSource { return b.place.(*namespaces).zygotes }

func TestGroundIsLaidOnceForManyPrograms(t *testing.T) {
	box := needBox(t, Policy{})
	first := zygoteSourceOf(box).zygote
	for range 5 {
		try(t, box, "mkdir -p .git/hooks sub && touch .env a")
	}
	if zygoteSourceOf(box).zygote != first {
		t.Error("it was laid again and nothing had changed")
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

func TestProgramOfAnEarlierGroundIsStillOurs(t *testing.T) {
	box := needBox(t, Policy{})
	old, err := Launch(t.Context(), box, shell("trap '' TERM; sleep 100"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	before := zygoteSourceOf(box).zygote
	zygoteSourceOf(box).stamps[0] = stamp{}
	if out, _ := try(t, box, "echo $PPID; ls -d /proc/[0-9]* | wc -l"); !strings.HasPrefix(out, "1\n") {
		t.Errorf("got %q", out)
	}
	if zygoteSourceOf(box).zygote == before || before.isGone() {
		t.Error("the earlier nursery should be there beside the new one")
	}
	old.Stop(time.Millisecond)
	if result, err := old.Result(); err != nil || result.Signal != unix.SIGKILL {
		t.Errorf("got %+v %v", result, err)
	}
	select {
	case <-before.ended:
	case <-time.After(20 * time.Second):
		t.Error("the earlier nursery goes on without a box")
	}
}

func TestNurseryThatWasKilledIsReplaced(t *testing.T) {
	box := needBox(t, Policy{})
	killed := zygoteSourceOf(box).zygote
	for _, pid := range childrenOf(zygoteSourceOf(box).supervisor.cmd.Process.Pid) {
		if err := unix.Kill(pid, unix.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	<-killed.ended
	if out, _ := try(t, box, "echo alive"); out != "alive\n" {
		t.Errorf("got %q", out)
	}
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
