// Package sandboxtest tests implementations of sandbox.Sandbox: what the interface promises to its callers, whatever the
// implementation isolates programs with. It needs a POSIX shell.
package sandboxtest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"rein/kit/sandbox"
)

// Open makes a sandbox for one test. Programs may write in dir. The test's cleanup closes what Open opens.
type Open func(t *testing.T, dir string) sandbox.Sandbox

// patience is how long something may take on a busy machine.
const patience = 30 * time.Second

// Run tests the sandboxes that open makes. Each promise is a subtest.
func Run(t *testing.T, open Open) {
	for _, promise := range []struct {
		name string
		test func(*suite)
	}{
		{"a program's output and exit code are those it gave", (*suite).outputAndCode},
		{"a signal that ends a program is reported", (*suite).endedBySignal},
		{"nil streams are the null device", (*suite).nullStreams},
		{"the streams stay the caller's", (*suite).streamsStayOpen},
		{"the working directory is that of the spec", (*suite).directory},
		{"the environment has the pairs of the spec, the last of a name", (*suite).environment},
		{"a program that does not exist is an error of Start", (*suite).noSuchProgram},
		{"a spec without a program is an error of Start", (*suite).noProgram},
		{"nothing is started after the context has ended", (*suite).contextOver},
		{"a program outlives the context of its start", (*suite).outlivesContext},
		{"Signal reaches the program", (*suite).signal},
		{"Kill ends the program and its children", (*suite).kill},
		{"Kill and Signal after the end are not errors", (*suite).killAfterEnd},
		{"what a program leaves behind ends with it", (*suite).leftBehind},
		{"many programs run at once", (*suite).atOnce},
		{"output comes while the program runs", (*suite).outputAtOnce},
	} {
		t.Run(promise.name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			promise.test(&suite{T: t, dir: dir, box: open(t, dir)})
		})
	}
}

// suite is one test.
type suite struct {
	*testing.T
	dir string
	box sandbox.Sandbox
}

func script(text string) sandbox.Spec {
	return sandbox.Spec{Argv: []string{"sh", "-c", text}}
}

// start starts a program in the test's directory.
func (s *suite) start(spec sandbox.Spec) sandbox.Process {
	s.Helper()
	if spec.Dir == "" {
		spec.Dir = s.dir
	}
	p, err := s.box.Start(s.Context(), spec)
	if err != nil {
		s.Fatalf("start %q: %v", spec.Argv, err)
	}
	return p
}

// wait waits for a program's end.
func (s *suite) wait(p sandbox.Process) sandbox.Exit {
	s.Helper()
	type ended struct {
		exit sandbox.Exit
		err  error
	}
	done := make(chan ended, 1)
	go func() {
		exit, err := p.Wait()
		done <- ended{exit, err}
	}()
	select {
	case e := <-done:
		if e.err != nil {
			s.Fatalf("wait: %v", e.err)
		}
		return e.exit
	case <-time.After(patience):
		s.Fatal("the program does not end")
	}
	return sandbox.Exit{}
}

// output runs a program to its end and returns its output and errors.
func (s *suite) output(spec sandbox.Spec) (string, sandbox.Exit) {
	s.Helper()
	if spec.Dir == "" {
		spec.Dir = s.dir
	}
	var out bytes.Buffer
	result, err := sandbox.Run(s.Context(), s.box, spec, &out, patience)
	if err != nil || result.TimedOut {
		s.Fatalf("run %q: %+v %v", spec.Argv, result, err)
	}
	return out.String(), result.Exit
}

// appears waits until a program has made a file.
func (s *suite) appears(name string) {
	s.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(s.dir, name)); err == nil {
			return
		}
		if time.Now().After(end) {
			s.Fatalf("the program has not made %s", name)
		}
	}
}

// quiet checks that nothing writes to a file any more.
func (s *suite) quiet(name string) {
	s.Helper()
	size := func() int64 {
		info, err := os.Stat(filepath.Join(s.dir, name))
		if err != nil {
			s.Fatal(err)
		}
		return info.Size()
	}
	before := size()
	time.Sleep(300 * time.Millisecond)
	if now := size(); now != before {
		s.Errorf("a process still runs: %s grew from %d to %d bytes", name, before, now)
	}
}

// ticking is a script that writes to a file forever.
func ticking(name string) string {
	return "while :; do echo x >> " + name + "; sleep 0.02; done"
}

func (s *suite) outputAndCode() {
	if out, exit := s.output(script("echo out; echo err >&2; exit 7")); out != "out\nerr\n" || exit.Code != 7 || exit.Signal != 0 {
		s.Errorf("got %q %+v", out, exit)
	}
}

func (s *suite) endedBySignal() {
	if _, exit := s.output(script("kill -KILL $$")); exit.Signal != syscall.SIGKILL || exit.Code != -1 {
		s.Errorf("got %+v", exit)
	}
}

func (s *suite) nullStreams() {
	p := s.start(script(`test -z "$(cat)" && echo lost && echo lost >&2`))
	if exit := s.wait(p); exit.Code != 0 {
		s.Errorf("got %+v", exit)
	}
}

func (s *suite) streamsStayOpen() {
	f, err := os.Create(filepath.Join(s.TempDir(), "out"))
	if err != nil {
		s.Fatal(err)
	}
	defer f.Close()
	spec := script("echo one")
	spec.Stdout = f
	s.wait(s.start(spec))
	if _, err := f.WriteString("two\n"); err != nil {
		s.Fatal(err)
	}
	if text, _ := os.ReadFile(f.Name()); string(text) != "one\ntwo\n" {
		s.Errorf("got %q", text)
	}
}

func (s *suite) directory() {
	below := filepath.Join(s.dir, "below")
	if err := os.Mkdir(below, 0o755); err != nil {
		s.Fatal(err)
	}
	spec := script("pwd")
	spec.Dir = below
	if out, _ := s.output(spec); out != below+"\n" {
		s.Errorf("got %q, want %s", out, below)
	}
}

func (s *suite) environment() {
	spec := script("echo $SANDBOXTEST")
	spec.Env = []string{"SANDBOXTEST=one", "SANDBOXTEST=two"}
	if out, _ := s.output(spec); out != "two\n" {
		s.Errorf("got %q", out)
	}
}

func (s *suite) noSuchProgram() {
	for _, argv := range [][]string{{"no-such-program-anywhere"}, {filepath.Join(s.dir, "missing")}} {
		if _, err := s.box.Start(s.Context(), sandbox.Spec{Argv: argv, Dir: s.dir}); err == nil {
			s.Errorf("%q was started", argv)
		}
	}
}

func (s *suite) noProgram() {
	if _, err := s.box.Start(s.Context(), sandbox.Spec{Dir: s.dir}); err == nil {
		s.Error("nothing was started without an error")
	}
}

func (s *suite) contextOver() {
	ctx, cancel := context.WithCancel(s.Context())
	cancel()
	spec := script("echo x > started")
	spec.Dir = s.dir
	if p, err := s.box.Start(ctx, spec); err == nil {
		_ = p.Kill()
		s.Error("it was started")
	}
}

func (s *suite) outlivesContext() {
	ctx, cancel := context.WithCancel(s.Context())
	spec := script("while test ! -e go; do sleep 0.02; done; exit 5")
	spec.Dir = s.dir
	p, err := s.box.Start(ctx, spec)
	if err != nil {
		s.Fatal(err)
	}
	cancel()
	time.Sleep(50 * time.Millisecond)
	if err := os.WriteFile(filepath.Join(s.dir, "go"), nil, 0o644); err != nil {
		s.Fatal(err)
	}
	if exit := s.wait(p); exit.Code != 5 {
		s.Errorf("got %+v", exit)
	}
}

func (s *suite) signal() {
	p := s.start(script("trap 'exit 9' TERM; touch ready; while :; do sleep 0.02; done"))
	s.appears("ready")
	if err := p.Signal(syscall.SIGTERM); err != nil {
		s.Error(err)
	}
	if exit := s.wait(p); exit.Code != 9 {
		s.Errorf("got %+v", exit)
	}
}

func (s *suite) kill() {
	p := s.start(script("trap '' TERM; (" + ticking("ticks") + ") & " + ticking("more")))
	s.appears("ticks")
	if err := p.Kill(); err != nil {
		s.Error(err)
	}
	if exit := s.wait(p); exit.Signal != syscall.SIGKILL {
		s.Errorf("got %+v", exit)
	}
	s.quiet("ticks")
}

func (s *suite) killAfterEnd() {
	p := s.start(script("exit 0"))
	s.wait(p)
	for range 2 {
		if err := p.Kill(); err != nil {
			s.Error(err)
		}
		if err := p.Signal(syscall.SIGTERM); err != nil {
			s.Error(err)
		}
	}
}

func (s *suite) leftBehind() {
	p := s.start(script("(" + ticking("ticks") + ") >/dev/null 2>&1 & while test ! -e ticks; do sleep 0.02; done"))
	s.wait(p)
	s.quiet("ticks")
}

func (s *suite) atOnce() {
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			var out bytes.Buffer
			spec := script(fmt.Sprintf("echo %d; exit %d", i, i))
			spec.Dir = s.dir
			result, err := sandbox.Run(s.Context(), s.box, spec, &out, patience)
			if err != nil || out.String() != fmt.Sprintln(i) || result.Code != i {
				s.Errorf("program %d: got %q %+v %v", i, out.String(), result, err)
			}
		})
	}
	all.Wait()
}

func (s *suite) outputAtOnce() {
	r, w, err := os.Pipe()
	if err != nil {
		s.Fatal(err)
	}
	defer r.Close()
	spec := script("echo first; while test ! -e go; do sleep 0.02; done; echo last")
	spec.Stdout = w
	p := s.start(spec)
	w.Close()
	first := make([]byte, len("first\n"))
	if _, err := io.ReadFull(r, first); err != nil || string(first) != "first\n" {
		s.Errorf("got %q %v", first, err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "go"), nil, 0o644); err != nil {
		s.Fatal(err)
	}
	rest, err := io.ReadAll(r) // ends when no process of the program holds the pipe
	if err != nil || strings.TrimSpace(string(rest)) != "last" {
		s.Errorf("got %q %v", rest, err)
	}
	s.wait(p)
}
