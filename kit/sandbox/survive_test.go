//go:build linux

package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const hostEnv = "REIN_TEST_HOST"

// escapees leave a process behind that tries to outlive its shell. %s is a number of seconds by which the test knows it.
func escapees(mark string) string {
	return strings.ReplaceAll(`
setsid sleep %s.1 </dev/null >/dev/null 2>&1 &
( ( sleep %s.2 & ) & )
nohup sleep %s.3 >/dev/null 2>&1 &
sleep %s.4 & disown
( setsid sh -c 'exec <&- >&- 2>&-; sleep %s.5' & )
setsid sleep %s.6 &
env -i setsid sh -c 'sleep %s.7 & exec sleep %s.8' >/dev/null 2>&1 &
`, "%s", mark)
}

const escaped = 8

// census counts the processes that bear a mark in their arguments.
func census(mark string) int {
	n := 0
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err == nil && bytes.HasPrefix(text, []byte("sleep\x00"+mark+".")) {
			n++
		}
	}
	return n
}

// settles waits until as many processes as wanted bear the mark.
func settles(t *testing.T, mark string, want int) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for census(mark) != want {
		if time.Now().After(deadline) {
			t.Fatalf("%d processes, want %d", census(mark), want)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// backends are those that can be had here: bubblewrap is not installed on every machine.
func backends() []Backend {
	all := []Backend{BackendNamespaces, BackendLandlock, BackendNone}
	if _, err := os.Stat("/usr/bin/bwrap"); err == nil {
		all = append(all, BackendBubblewrap)
	}
	return all
}

func backendNames() []string {
	var names []string
	for _, b := range backends() {
		names = append(names, b.String())
	}
	return names
}

func TestNothingSurvives(t *testing.T) {
	n := 0
	for _, backend := range backends() {
		name := backend.String()
		n++
		mark := func(k int) string { return fmt.Sprintf("%d%d%d", 10+n, os.Getpid(), k) }
		t.Run(name+"/the end of the program", func(t *testing.T) {
			box := onBackend(t, Policy{}, backend)
			out, result := try(t, box, escapees(mark(1))+"sleep 0.1; echo done")
			if out != "done\n" || result.Duration > 20*time.Second {
				t.Errorf("got %q %+v", out, result)
			}
			settles(t, mark(1), 0)
		})
		t.Run(name+"/cancel", func(t *testing.T) {
			box := onBackend(t, Policy{}, backend)
			ctx, cancel := context.WithCancel(t.Context())
			var first sync.Once // the shell may still report a child that was killed before it
			ready := writer(func() { first.Do(func() { settles(t, mark(2), escaped); cancel() }) })
			result, err := Run(ctx, box, shell(escapees(mark(2))+"sleep 0.1; echo up; trap '' TERM; while :; do sleep 9; done"), ready, 0)
			if err != nil || !result.Cancelled {
				t.Errorf("got %+v %v", result, err)
			}
			settles(t, mark(2), 0)
		})
		t.Run(name+"/its neighbour's end", func(t *testing.T) {
			box := onBackend(t, Policy{}, backend)
			other, err := Launch(t.Context(), box, shell(escapees(mark(3))+"sleep 60"), io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			settles(t, mark(3), escaped)
			try(t, box, escapees(mark(4))+"sleep 0.1")
			if name != "none" || census(mark(4)) > 0 {
				settles(t, mark(3), escaped)
			}
			other.Stop(time.Millisecond)
			settles(t, mark(3), 0)
			settles(t, mark(4), 0)
		})
		t.Run(name+"/kill -9 of the parent", func(t *testing.T) {
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), hostEnv+"="+name, "REIN_TEST_MARK="+mark(5), "REIN_TEST_DIR="+t.TempDir(), "REIN_TEST_PRIVATE="+t.TempDir())
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil || line != "up\n" {
				t.Errorf("got %q %v", line, err)
			}
			settles(t, mark(5), escaped)
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			settles(t, mark(5), 0)
		})
	}
}

// host is the program that the test kills: it starts the escapees with a backend and waits.
func host(backend string) {
	b, err := New(Policy{Workspace: os.Getenv("REIN_TEST_DIR"), Private: os.Getenv("REIN_TEST_PRIVATE"), Only: backend})
	if err == nil {
		_, err = Run(context.Background(), b, shell(escapees(os.Getenv("REIN_TEST_MARK"))+"echo up; sleep 60"), os.Stdout, 0)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
