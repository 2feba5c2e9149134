//go:build unix

package sandbox

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// shell makes the spec of a bash script.
func shell(script string) Spec {
	return Spec{Argv: []string{"bash", "--noprofile", "--norc", "-c", script}}
}

func TestRunTellsOutputInOrderAndHowItEnded(t *testing.T) {
	for name, row := range map[string]struct {
		script string
		out    string
		code   int
		signal syscall.Signal
	}{
		"success has no explanation":       {"true", "", 0, 0},
		"both streams in order":            {"echo a; echo b >&2; echo c", "a\nb\nc\n", 0, 0},
		"the exit code is reported":        {"exit 7", "", 7, 0},
		"the signal is reported":           {"kill -9 $$", "", -1, syscall.SIGKILL},
		"stdin is closed":                  {"read x; echo \"$?[$x]\"", "1[]\n", 0, 0},
		"what a child left behind is lost": {"(sleep 60; echo late) & echo now", "now\n", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			got, err := Run(t.Context(), None{Dir: t.TempDir()}, shell(row.script), &out, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			if out.String() != row.out || got.Code != row.code || got.Signal != row.signal {
				t.Errorf("got %q %d %v, want %q %d %v", out.String(), got.Code, got.Signal, row.out, row.code, row.signal)
			}
		})
	}
}

func TestRunEndsAProgramThatIgnoresTheSignal(t *testing.T) {
	t.Parallel()
	start := time.Now()
	var out bytes.Buffer
	got, err := Run(t.Context(), None{}, shell("trap '' TERM; echo up; sleep 60 & wait; sleep 60"), &out, 3*time.Second) // it has set its trap by then
	if err != nil || !got.TimedOut || got.Signal != syscall.SIGKILL || out.String() != "up\n" {
		t.Errorf("got %+v %q, %v", got, out.String(), err)
	}
	if took := time.Since(start); took < termGrace || took > termGrace+20*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestRunReturnsSoonAfterCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out := writer(func() { cancel() })
	got, err := Run(ctx, None{}, shell("trap '' TERM; echo up; while :; do sleep 60; done"), out, 0)
	if err != nil || !got.Cancelled || got.Signal != syscall.SIGKILL {
		t.Errorf("got %+v, %v", got, err)
	}
	if got.Duration > 30*time.Second {
		t.Errorf("took %v", got.Duration)
	}
}

// writer calls a function at the first write.
type writer func()

func (w writer) Write(p []byte) (int, error) { w(); return len(p), nil }

func TestPipeHolderCannotHoldTheTurn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	var out bytes.Buffer
	script := "setsid sleep 300 & echo $! > " + file + "; echo done"
	got, err := Run(t.Context(), None{}, shell(script), &out, time.Minute)
	if err != nil || got.Code != 0 || out.String() != "done\n" || got.Duration > 10*time.Second {
		t.Errorf("got %+v %q, %v", got, out.String(), err)
	}
	text, _ := os.ReadFile(file)
	if pid, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

func TestProgramIsFoundInTheChildsPath(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "hello"), []byte("#!/bin/sh\necho hi\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	box := None{Dir: dir, Parent: []string{"PATH=/bin:/usr/bin:."}}
	if _, err := box.Start(t.Context(), Spec{Argv: []string{"hello"}}); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("a program of the workspace was run by its bare name: %v", err)
	}
	var out bytes.Buffer
	if _, err := Run(t.Context(), box, Spec{Argv: []string{"./hello"}}, &out, 0); err != nil || out.String() != "hi\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
	if _, err := box.Start(t.Context(), Spec{}); err == nil {
		t.Error("an empty argv was started")
	}
}

func TestFloodIsCopiedWhole(t *testing.T) {
	for name, box := range someBoxes(t) {
		var n counter
		result, err := Run(t.Context(), box, shell("head -c 50000000 /dev/zero"), &n, 0)
		if err != nil || n != 50_000_000 || result.Code != 0 {
			t.Errorf("%s: got %d bytes, %+v, %v", name, n, result, err)
		}
	}
}

type counter int

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

func BenchmarkTrue(b *testing.B) {
	for b.Loop() {
		if _, err := Run(b.Context(), None{}, shell("true"), io.Discard, 0); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBareTrue(b *testing.B) {
	for b.Loop() {
		if err := exec.Command("bash", "--noprofile", "--norc", "-c", "true").Run(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFlood50MB(b *testing.B) {
	file := filepath.Join(b.TempDir(), "big")
	if err := os.WriteFile(file, make([]byte, 50_000_000), 0o644); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var n counter
		if _, err := Run(b.Context(), None{}, shell("cat "+file), &n, 0); err != nil || n != 50_000_000 {
			b.Fatal(n, err)
		}
	}
}
