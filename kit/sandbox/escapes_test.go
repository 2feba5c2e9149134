//go:build linux

package sandbox

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const (
	attackEnv   = "REIN_TEST_ATTACK"
	harmlessEnv = "REIN_TEST_HARMLESS"
)

func TestMain(m *testing.M) {
	asHardenedChild()
	if backend := os.Getenv(hostEnv); backend != "" {
		host(backend)
	}
	if env := os.Getenv(attackEnv); env != "" {
		attackAll(preyOf(env), os.Getenv(harmlessEnv) != "")
	}
	if what := os.Getenv(insideEnv); what != "" {
		inside()[what]()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// hunt makes the targets of the attacks and returns the policy of a box around it.
func hunt(t *testing.T) (prey, Policy) {
	t.Helper()
	home, ws := t.TempDir(), t.TempDir()
	// Not below /tmp, which is hidden as a whole.
	dir, err := os.MkdirTemp(".", ".attacks-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if dir, err = filepath.Abs(dir); err != nil {
		t.Fatal(err)
	}
	p := prey{dir: dir, secret: filepath.Join(home, ".ssh", "id_rsa"), workspace: ws, pid: os.Getpid(), unix: filepath.Join(dir, "s")}
	for name, text := range map[string]string{p.canary(): "canary", filepath.Join(dir, "victim"): "", filepath.Join(dir, "victim2"): "", p.secret: "secret", filepath.Join(dir, "sub", "x"): ""} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p.abstract = fmt.Sprintf("@rein-attacks-%d-%s", os.Getpid(), filepath.Base(dir))
	p.tcp = listen(t, "tcp4", "127.0.0.1:0")
	listen(t, "unix", p.unix)
	listen(t, "unix", p.abstract)
	p.udp = echo(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return p, Policy{Workspace: ws, Home: home, Readable: []string{self}}
}

func listen(t *testing.T, network, address string) string {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

// echo answers every datagram.
func echo(t *testing.T) string {
	t.Helper()
	c, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	go func() {
		b := make([]byte, 16)
		for {
			n, from, err := c.ReadFrom(b)
			if err != nil {
				return
			}
			_, _ = c.WriteTo(b[:n], from)
		}
	}()
	return c.LocalAddr().String()
}

// attackAll tries the attacks one after the other and reports each result. The last one may kill the process.
func attackAll(p prey, harmless bool) {
	for _, a := range attacks() {
		if a.harm && harmless {
			continue
		}
		fmt.Printf("%s\t", a.name)
		if err := a.do(p); err != nil {
			fmt.Println("refused:", err)
			continue
		}
		fmt.Println("worked")
	}
	os.Exit(0)
}

// runAttacks runs all attacks in a box and returns the names of those that worked.
func runAttacks(t *testing.T, box Sandbox, p prey) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	spec := Spec{Argv: []string{self}, Env: []string{attackEnv + "=" + p.String()}}
	if _, bare := box.(None); bare {
		spec.Env = append(spec.Env, harmlessEnv+"=1")
	}
	if _, err := Run(t.Context(), box, spec, &out, time.Minute); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", out.Bytes())
	var worked []string
	tried := 0
	for line := range strings.Lines(out.String()) {
		name, how, _ := strings.Cut(strings.TrimSpace(line), "\t")
		tried++
		if how == "worked" {
			worked = append(worked, name)
		}
	}
	harmful := 0
	for _, a := range attacks() {
		if _, bare := box.(None); bare && a.harm {
			harmful++
		}
	}
	if want := len(attacks()) - harmful - 2; tried < want {
		t.Fatalf("only %d attacks were tried, want at least %d", tried, want)
	}
	return worked
}

func TestAttacksOnNamespaces(t *testing.T) {
	p, policy := hunt(t)
	if got := runAttacks(t, needBox(t, policy), p); !slices.Equal(got, mustWork()) {
		t.Errorf("allowed: %q", got)
	}
}

func TestAttacksOnBubblewrap(t *testing.T) {
	p, policy := hunt(t)
	if got := runAttacks(t, needBubblewrap(t, policy), p); !slices.Equal(got, mustWork()) {
		t.Errorf("allowed: %q", got)
	}
}

// TestAttacksOnDebuggers has boxes whose programs may trace what they start, and nothing else.
func TestAttacksOnDebuggers(t *testing.T) {
	p, policy := hunt(t)
	policy.Debuggers = true
	for _, backend := range []Backend{BackendNamespaces, BackendBubblewrap, BackendLandlock} {
		t.Run(backend.String(), func(t *testing.T) {
			policy.Only = backend.String()
			box := testBox(t, policy)
			if err := box.Prepare(t.Context()); err != nil {
				t.Skip(err)
			}
			traces := strings.TrimSpace(again(t, box, "trace"))
			if backend == BackendLandlock {
				if traces == "traced" {
					t.Error("a program traces another where all see each other")
				}
				return
			}
			if got := runAttacks(t, box, p); !slices.Equal(got, mustWork()) || traces != "traced" {
				t.Errorf("allowed: %q; %s", got, traces)
			}
		})
	}
}

// traceInside traces a program, as a debugger does.
func traceInside() {
	runtime.LockOSThread()
	c := &exec.Cmd{Path: "/bin/true", SysProcAttr: &syscall.SysProcAttr{Ptrace: true}}
	if err := c.Start(); err != nil {
		fmt.Println(err)
		return
	}
	_ = c.Wait() // until it stops
	if err := unix.PtraceCont(c.Process.Pid, 0); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("traced")
}

func TestAttacksOnLandlock(t *testing.T) {
	p, policy := hunt(t)
	got := runAttacks(t, onBackend(t, policy, BackendLandlock), p)
	// Grows only together with Gaps and docs/maintainers/sandbox.md.
	want := append(mustWork(), "stat outside", "chmod outside", "chown outside", "change times outside", "set an attribute outside",
		"connect to a unix socket by path", "see a process outside")
	if !slices.Equal(got, want) {
		t.Errorf("allowed: %q", got)
	}
}

func TestAttacksOnWhatIsShown(t *testing.T) {
	p, policy := hunt(t)
	policy.Readable = append(policy.Readable, p.dir)
	got := runAttacks(t, needBox(t, policy), p)
	if want := append(mustWork(), "read outside"); !slices.Equal(got, want) {
		t.Errorf("allowed: %q", got)
	}
}

// TestAttacksAsUser runs the tests of this file again as a user without rights.
func TestAttacksAsUser(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts many programs one after the other")
	}
	if os.Getuid() != 0 {
		t.Log("not root: the other tests have run as a user")
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "rein-user-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{os.Chmod(dir, 0o755), os.WriteFile(filepath.Join(dir, "a.test"), text, 0o755), os.Mkdir(filepath.Join(dir, "home"), 0o755),
		os.Chown(filepath.Join(dir, "home"), nobody, nobody)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(filepath.Join(dir, "a.test"), "-test.v", "-test.run=^(TestAttacksOn|TestWorkspace|TestNothingSurvives)")
	cmd.Dir = filepath.Join(dir, "home")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + cmd.Dir, "TMPDIR=" + cmd.Dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil || bytes.Count(out, []byte("--- PASS")) < 3 {
		t.Errorf("%v\n%s", err, out)
	}
}

// onBackend makes a box of one backend.
func onBackend(t testing.TB, policy Policy, backend Backend) *Box {
	t.Helper()
	policy.Only = backend.String()
	b := testBox(t, policy)
	if err := b.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAttacksWorkWithoutASandbox(t *testing.T) {
	p, policy := hunt(t)
	got := runAttacks(t, None{Dir: policy.Workspace}, p)
	if want := len(attacks()) - 26; len(got) < want {
		t.Errorf("without a sandbox only %d attacks work, want at least %d", len(got), want)
	}
}
