package endtoend_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// programs are rein and rein-temporal as a user has them, with a home of their own, and a server.
type programs struct {
	*world
	dir string // of the programs
	env []string
}

func newPrograms(t *testing.T) *programs {
	t.Helper()
	p := &programs{world: newWorld(t, 0)}
	p.client() // the server listens
	p.dir = p.root
	for from, name := range map[string]string{"../..": "rein", "..": "rein-temporal"} {
		if out, err := exec.Command("go", "build", "-C", from, "-trimpath", "-o", filepath.Join(p.dir, name), "./cmd/"+name).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for _, dir := range []string{"home", "work"} {
		if err := os.MkdirAll(filepath.Join(p.root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.env = []string{"HOME=" + filepath.Join(p.root, "home"), "PATH=" + os.Getenv("PATH"), "TEMPORAL_ADDRESS=" + p.address, "REIN_TEMPORAL_STORE=" + os.Getenv("REIN_TEMPORAL_POSTGRES")}
	return p
}

// file writes a file below the root.
func (p *programs) file(name, text string) string {
	p.t.Helper()
	name = filepath.Join(p.root, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o700)); err != nil {
		p.t.Fatal(err)
	}
	return name
}

// seen is what a program wrote so far.
type seen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *seen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *seen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// started is a program that runs.
type started struct {
	t   testing.TB
	cmd *exec.Cmd
	in  io.WriteCloser
	out *seen
}

// run starts a program, in a process group as a terminal has it.
func (p *programs) run(name string, args ...string) *started {
	p.t.Helper()
	s := &started{t: p.t, cmd: exec.Command(filepath.Join(p.dir, name), args...), out: &seen{}}
	s.cmd.Env, s.cmd.Dir, s.cmd.Stdout, s.cmd.Stderr = p.env, p.root, s.out, s.out
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	var err error
	if s.in, err = s.cmd.StdinPipe(); err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL) })
	return s
}

// says waits for a text, the nth time.
func (s *started) says(text string, n int) {
	s.t.Helper()
	for begun := time.Now(); strings.Count(s.out.String(), text) < n; time.Sleep(20 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			s.t.Fatalf("%v does not say %q:\n%s", s.cmd.Args, text, s.out)
		}
	}
}

// ends waits for the end, and checks the exit code and the last words.
func (s *started) ends(code int, says string) {
	s.t.Helper()
	done := make(chan error, 1)
	go func() { done <- s.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		s.t.Fatalf("%v does not end:\n%s", s.cmd.Args, s.out)
	}
	if got := s.cmd.ProcessState.ExitCode(); got != code || !strings.Contains(s.out.String(), says) {
		s.t.Errorf("%v: code %d, and it should be %d and say %q:\n%s", s.cmd.Args, got, code, says, s.out)
	}
}

func (s *started) answer(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Error(err)
	}
}

const userScript = `
turns:
- calls: [{name: write_file, args: {path: a.txt, content: hello}}, {name: read_file, args: {path: hidden.txt}}, {name: bash, args: {command: printenv GREETING}}]
- calls: [{name: bash, args: {command: "echo risky"}}]
- text: Done.
`

// rein run --engine temporal as its user has it: wrong input, approvals, Ctrl+C. The worker obeys the settings, rules and hooks of the user.
func TestThePrograms(t *testing.T) {
	p := newPrograms(t)
	settings := p.file("home/.config/rein/settings.json", `{"permissions": {"deny": ["read_file(hidden.txt)"], "ask": ["bash(echo risky)"]},
"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "cat > hooked.json"}]}]}}`)
	p.file("work/hidden.txt", "swordfish")
	p.file("work/.rein/settings.json", `{"permissions": {"deny": ["bash(printenv *)"]}}`)
	script := p.file("script.yaml", userScript)
	run := func(more ...string) *started {
		return p.run("rein", append([]string{"run", "--engine", "temporal", "--host", "web", "--model", "script/" + script, "go"}, more...)...)
	}
	run("--address", "127.0.0.1:1").ends(1, "no Temporal server answers at 127.0.0.1:1: rein-temporal dev starts one")
	run("--namespace", "nope").ends(1, `has no namespace "nope": it has default`)

	nobody := run()
	nobody.says("no worker looks at the queue rein-sessions (rein-temporal worker --models)", 1)
	if err := syscall.Kill(-nobody.cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	nobody.ends(130, "the session goes on without you: rein-temporal attach ")

	for _, worker := range [][]string{{"--models"}, {"--host", "web", "--dir", filepath.Join(p.root, "work")}} {
		p.run("rein-temporal", append([]string{"worker"}, worker...)...).says("working on", 1)
	}
	asked := run("--id", "asked")
	asked.says("run it?", 1)
	if err := syscall.Kill(-asked.cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	asked.ends(130, "rein-temporal attach asked comes back")
	back := p.run("rein-temporal", "attach", "asked")
	back.says("run it?", 1)
	back.answer("no not now")
	back.ends(0, "denied by user")
	for _, text := range []string{"the rule read_file(hidden.txt) (" + settings, "the rule bash(printenv *) (" + filepath.Join(p.root, "work/.rein/settings.json")} {
		if !strings.Contains(back.out.String(), text) {
			t.Errorf("it does not say %q:\n%s", text, back.out)
		}
	}
	if strings.Contains(back.out.String(), "swordfish") {
		t.Errorf("the rule of the user does not hold:\n%s", back.out)
	}
	if text, err := os.ReadFile(filepath.Join(p.root, "work/hooked.json")); err != nil || !strings.Contains(string(text), `"PreToolUse"`) {
		t.Errorf("the hook did not run: %s, %v", text, err)
	}
	agreed := run("--id", "agreed")
	agreed.says("run it?", 1)
	agreed.answer("yes")
	agreed.ends(0, "= risky")
}

const drainScript = `
turns:
- calls: [{name: bash, args: {command: "touch begun; sleep 3; echo slept"}}]
- text: Done.
`

// A host that is stopped lets the call end that is at work, and takes no other step. The next worker goes on, and its hooks hear of the end.
func TestAHostDrains(t *testing.T) {
	p := newPrograms(t)
	p.file("home/.config/rein/settings.json", `{"permissions": {"allow": ["bash"]}, "hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "cat > ended.json"}]}]}}`)
	script := p.file("script.yaml", drainScript)
	host := []string{"worker", "--models", "--host", "web", "--dir", filepath.Join(p.root, "work")}
	first := p.run("rein-temporal", host...)
	first.says("working on", 1)
	run := p.run("rein-temporal", "start", "--id", "s1", "--host", "web", "--model", "script/"+script, "go")
	p.soon(func() bool {
		_, err := os.Stat(filepath.Join(p.root, "work/begun"))
		return err == nil
	})
	if err := syscall.Kill(first.cmd.Process.Pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	first.ends(0, "steps that are at work end first")
	second := p.run("rein-temporal", host...)
	second.says("working on", 1)
	run.ends(0, "= slept")
	p.run("rein-temporal", "close", "s1").ends(0, "")
	p.soon(func() bool {
		text, _ := os.ReadFile(filepath.Join(p.root, "work/ended.json")) // not yet
		return strings.Contains(string(text), `"SessionEnd"`)
	})
}
