//go:build linux

package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// TestAttacks are the known attacks on the sandbox, one row each, on the best backend there is. The rows stay for
// ever; docs/maintainers/attacks.md lists them with those of other packages.
func TestAttacks(t *testing.T) {
	p, policy := hunt(t)
	worked := runAttacks(t, needBox(t, policy), p)
	for _, row := range []struct {
		name  string
		check func(*testing.T)
	}{
		{"sandbox-01 all attacks", func(t *testing.T) {
			if !slices.Equal(worked, mustWork()) {
				t.Errorf("allowed: %q", worked)
			}
		}},
		{"sandbox-02 the root is mounted writable again", remounted},
		{"sandbox-03 a kernel without namespaces", lesserKernel},
		{"sandbox-04 the helper is killed before the program starts", helperKilled},
		{"sandbox-05 nothing arrives at servers outside", serversOutside},
		{"sandbox-06 sockets of daemons", daemonSockets},
		{"sandbox-07 the harness itself", kept(worked, "read another's environment", "open another's memory", "trace another process", "read another's memory", "take another's open file",
			"see a process outside", "signal a process outside")},
		{"sandbox-08 corners of the kernel", kept(worked, "make a namespace", "make a user namespace with clone", "set up io_uring", "use the kernel's keys", "load a BPF map",
			"watch performance events", "handle page faults", "use the old interface of 32 bits", "load a kernel", "load a module", "change the personality", "make a user namespace with clone3")},
		{"sandbox-09 words put into the terminal", terminalInput},
		{"sandbox-10 open files of the harness", inheritedFiles},
		{"sandbox-11 daemons", daemons},
		{"sandbox-12 too much of everything", func(t *testing.T) {
			t.Run("limits", TestLimitThatWasHitIsNamed)
			t.Run("fork bomb", TestForkBombEndsInItsBox)
			t.Run("flood", flood)
		}},
		{"sandbox-13 a program that will not end", unwilling},
		{"sandbox-14 writes that vanish", vanishing},
		{"sandbox-16 settings of the kernel", kernelSettings},
		{"sandbox-17 one session and another", otherSession},
		{"sandbox-18 what Landlock leaves open", TestAttacksOnLandlock},
		{"sandbox-20 files that run as their owner, and leases", kept(worked, "make a file run as its owner", "make a file run as its owner, by its descriptor", "create a file that runs as its owner",
			"create a file that runs as its owner, with openat2", "make a device file's name that runs as its owner", "keep others from opening a file")},
		{"path-18 archives that climb", archives},
	} {
		t.Run(row.name, row.check)
	}
}

// kept checks that none of these attacks worked, and that they were tried.
func kept(worked []string, names ...string) func(*testing.T) {
	return func(t *testing.T) {
		for _, name := range names {
			if slices.Contains(worked, name) {
				t.Errorf("worked: %s", name)
			}
			if !slices.ContainsFunc(attacks(), func(a attack) bool { return a.name == name }) {
				t.Errorf("there is no such item: %s", name)
			}
		}
	}
}

const insideEnv = "REIN_TEST_INSIDE"

// inside are what the test binary does when it is started in a box.
func inside() map[string]func() {
	return map[string]func(){"fall": fallInside, "dial": dialInside, "terminal": terminalInside, "trace": traceInside}
}

// again is this binary started in a box to do one thing.
func again(t *testing.T, box Sandbox, what string, env ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	spec := Spec{Argv: []string{self}, Env: append(env, insideEnv+"="+what)}
	if _, err := Run(t.Context(), box, spec, &out, time.Minute); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// self lets a policy show this binary.
func self(t *testing.T, p Policy) Policy {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.Readable = append(p.Readable, path)
	return p
}

func remounted(t *testing.T) {
	p, policy := hunt(t)
	box := needBox(t, policy)
	out, _ := try(t, box, "mount -o remount,rw,bind / ; mount -o remount,rw / ; mount -o remount,rw,bind /etc; umount -l "+filepath.Dir(p.dir)+"; echo x > "+p.canary()+"; echo x > /etc/rein-canary && echo wrote")
	if text, err := os.ReadFile(p.canary()); string(text) != "canary" || err != nil || strings.Contains(out, "wrote") {
		t.Errorf("the canary is %q, %v: %s", text, err, out)
	}
}

// fallInside is a machine where namespaces are refused: the inside of a box.
func fallInside() {
	dir, err := os.MkdirTemp("", "fall-")
	if err != nil {
		fmt.Println(err)
		return
	}
	var warned []string
	b, err := New(Policy{Workspace: dir, Warn: func(line string) { warned = append(warned, line) }})
	if err == nil {
		_, err = b.Backend(context.Background())
	}
	fmt.Println("auto:", b.backend, err, "warned:", len(warned) == 1 && strings.Contains(warned[0], "not enforced"))
	b.Close()
	if b, err = New(Policy{Workspace: dir, Mode: Required}); err == nil {
		_, err = b.Start(context.Background(), shell("touch started"))
	}
	fmt.Println("required:", errors.Is(err, ErrNoSandbox))
	b.Close()
	if _, err := os.Stat(filepath.Join(dir, "started")); err == nil {
		fmt.Println("it was started")
	}
}

func lesserKernel(t *testing.T) {
	out := again(t, needBox(t, self(t, Policy{})), "fall")
	if !strings.Contains(out, "auto: landlock <nil> warned: true") && !strings.Contains(out, "auto: none <nil> warned: true") || !strings.Contains(out, "required: true") || strings.Contains(out, "started") {
		t.Errorf("got %s", out)
	}
}

func helperKilled(t *testing.T) {
	outside := hostDir(t)
	box := needBox(t, Policy{})
	try(t, box, "true")
	killed := descendants(os.Getpid())
	for _, pid := range killed {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	if len(killed) == 0 {
		t.Fatal("there was no helper")
	}
	for range 3 {
		p, err := box.Start(t.Context(), shell("echo x > "+outside+"/canary; cat "+outside+"/.."))
		if err != nil {
			continue // as it should be
		}
		if exit, err := p.Wait(); err == nil && exit.Code == 0 {
			t.Errorf("a program did its work: %+v", exit)
		}
	}
	if _, err := os.Stat(filepath.Join(outside, "canary")); err == nil {
		t.Error("it ran outside")
	}
}

// descendants are all processes below one.
func descendants(of int) []int {
	parents := map[int]int{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range files {
		text, _ := os.ReadFile(name)
		_, rest, _ := strings.Cut(string(text), ") ")
		var state string
		var parent, pid int
		if _, err := fmt.Sscan(rest, &state, &parent); err == nil {
			_, _ = fmt.Sscan(filepath.Base(filepath.Dir(name)), &pid)
			parents[pid] = parent
		}
	}
	var found []int
	for pid := range parents {
		for up := parents[pid]; up > 1; up = parents[up] {
			if up == of {
				found = append(found, pid)
				break
			}
		}
	}
	return found
}

// waiting is a server that counts those who came.
type waiting struct {
	tcp *net.TCPListener
	udp net.PacketConn
}

func waits(t *testing.T, address string) waiting {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Skipf("no %s here: %v", address, err)
	}
	u, err := net.ListenPacket("udp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close(); u.Close() })
	return waiting{l.(*net.TCPListener), u}
}

func (w waiting) nobodyCame(t *testing.T) {
	t.Helper()
	soon := time.Now().Add(50 * time.Millisecond)
	_ = w.tcp.SetDeadline(soon)
	if c, err := w.tcp.Accept(); err == nil {
		t.Errorf("%v connected to %v", c.RemoteAddr(), w.tcp.Addr())
		c.Close()
	}
	_ = w.udp.SetReadDeadline(soon)
	if n, from, err := w.udp.ReadFrom(make([]byte, 16)); err == nil {
		t.Errorf("%d bytes from %v", n, from)
	}
}

// dialInside tries to reach what its environment names.
func dialInside() {
	for _, target := range strings.Fields(os.Getenv("REIN_TEST_TARGETS")) {
		network, address, _ := strings.Cut(target, "=")
		c, err := net.DialTimeout(network, address, 300*time.Millisecond)
		if err == nil {
			_, err = c.Write([]byte("x"))
			c.Close()
		}
		if err == nil && !strings.HasPrefix(network, "udp") { // a datagram is gone when it is written
			fmt.Println("reached", target)
		}
	}
	fmt.Println("tried")
}

func serversOutside(t *testing.T) {
	four, six := waits(t, "127.0.0.1:0"), waits(t, "[::1]:0")
	for _, backend := range backends() {
		name := backend.String()
		if name == "none" {
			continue
		}
		box := onBackend(t, self(t, Policy{}), backend)
		a, b := four.tcp.Addr(), six.tcp.Addr()
		out := again(t, box, "dial", fmt.Sprintf("REIN_TEST_TARGETS=tcp=%v udp=%v tcp=%v udp=%v udp=127.0.0.53:53", a, a, b, b))
		if strings.TrimSpace(out) != "tried" {
			t.Errorf("on %s: %s", name, out)
		}
		four.nobodyCame(t)
		six.nobodyCame(t)
	}
}

func daemonSockets(t *testing.T) {
	home := homeForTests(t)
	var targets, paths []string
	for _, name := range []string{home + "/.gnupg/S.gpg-agent", home + "/agent/ssh.sock", "docker.sock", "bus", "X0"} {
		if !filepath.IsAbs(name) {
			name = filepath.Join(hostDir(t), name)
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("unix", name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		targets, paths = append(targets, "unix="+name), append(paths, name)
	}
	policy := self(t, Policy{Home: home, Parent: append(os.Environ(), "SSH_AUTH_SOCK="+paths[1], "DBUS_SESSION_BUS_ADDRESS=unix:path="+paths[3], "DISPLAY=:0", "DOCKER_HOST=unix://"+paths[2])})
	box := needBox(t, policy)
	if out := again(t, box, "dial", "REIN_TEST_TARGETS="+strings.Join(targets, " ")); strings.TrimSpace(out) != "tried" {
		t.Error(out)
	}
	if out, _ := try(t, box, "env"); strings.Contains(out, "SSH_AUTH_SOCK") || strings.Contains(out, "DBUS_SESSION") || strings.Contains(out, "DOCKER_HOST") {
		t.Errorf("the environment names them: %s", out)
	}
	// One that lies where programs may read is closed, too.
	policy.Readable = append(policy.Readable, filepath.Dir(paths[2]))
	if out := again(t, needBox(t, policy), "dial", "REIN_TEST_TARGETS="+targets[2]); strings.TrimSpace(out) != "tried" {
		t.Error(out)
	}
}

// terminalInside types into its own terminal.
func terminalInside() {
	for _, c := range []byte("echo owned\n") {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&c)))
		if errno == 0 {
			fmt.Println("typed")
		}
	}
	paste := [2]byte{3} // TIOCLINUX, TIOCL_PASTESEL
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, 0, unix.TIOCLINUX, uintptr(unsafe.Pointer(&paste[0]))); errno == 0 {
		fmt.Println("pasted")
	}
	fmt.Println("tried")
}

func terminalInput(t *testing.T) {
	for _, own := range []bool{true, false} { // as its controlling terminal, and only as its input
		tty, slave, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		path, _ := os.Executable()
		p, err := needBox(t, self(t, Policy{})).Start(t.Context(), Spec{Argv: []string{path}, Env: []string{insideEnv + "=terminal"}, Stdin: slave, Stdout: slave, Stderr: slave, Terminal: own})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Wait()
		slave.Close()
		said, _ := io.ReadAll(tty)
		tty.Close()
		if err != nil || strings.TrimSpace(string(said)) != "tried" {
			t.Errorf("%q %v", said, err)
		}
	}
}

func inheritedFiles(t *testing.T) {
	dir := hostDir(t)
	fd, err := syscall.Open(dir, syscall.O_RDONLY, 0) // without CLOEXEC
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	for _, backend := range backends() {
		name := backend.String()
		out, _ := try(t, onBackend(t, Policy{}, backend), "ls /proc/self/fd | tr '\\n' ' '") // 3 is that directory
		if strings.TrimSpace(out) != "0 1 2 3" {
			t.Errorf("on %s: %s", name, out)
		}
	}
}

func daemons(t *testing.T) {
	mark := fmt.Sprintf("77%d", os.Getpid())
	box := needBox(t, Policy{})
	try(t, box, escapees(mark)+"(echo sleep "+mark+".9 | at now; systemd-run --user sleep "+mark+".10; crontab -l) >/dev/null 2>&1; sleep 0.1")
	settles(t, mark, 0)
}

func flood(t *testing.T) {
	n := counted(0)
	result, err := Run(t.Context(), needBox(t, Policy{}), shell("head -c 200000000 /dev/zero"), &n, time.Minute)
	if err != nil || n > 200_000_000 || result.Code != 0 && result.Limit == "" {
		t.Errorf("%d bytes, %+v %v", n, result, err)
	}
}

type counted int

func (c *counted) Write(p []byte) (int, error) { *c += counted(len(p)); return len(p), nil }

func unwilling(t *testing.T) {
	var out bytes.Buffer
	start := time.Now()
	result, err := Run(t.Context(), needBox(t, Policy{}), shell("trap '' TERM INT HUP; (trap '' TERM; sleep 600) & echo up; while :; do sleep 600; done"), &out, 3*time.Second) // it has set its traps by then
	if err != nil || !result.TimedOut || out.String() != "up\n" || time.Since(start) > 20*time.Second {
		t.Errorf("%+v %v after %v: %q", result, err, time.Since(start), out.String())
	}
}

func vanishing(t *testing.T) {
	home := homeForTests(t)
	for _, dir := range []string{"proj2", ".config"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	box := needBox(t, Policy{Home: home})
	for _, script := range []string{"echo x > ~/proj2/x", "echo x > ~/new", "mkdir ~/.config/app", "git init -q ~/proj2/repo", "install -D /etc/os-release ~/proj3/a", "echo x > /srv/x", "mkdir -p /opt/a/b", "touch /run/x"} {
		if out, result := try(t, box, script); result.Code == 0 {
			t.Errorf("%s worked, by its own output: %s", script, out)
		}
	}
	try(t, box, "echo kept > ~/.cache/x && echo kept > /tmp/x")
	if out, _ := try(t, box, "cat ~/.cache/x /tmp/x"); out != "kept\nkept\n" {
		t.Errorf("what may be written is %q later", out)
	}
}

func kernelSettings(t *testing.T) {
	box := needBox(t, Policy{})
	for _, name := range []string{"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/hostname", "/proc/sys/vm/drop_caches", "/proc/sys/net/ipv4/ip_forward",
		"/proc/sysrq-trigger", "/sys/kernel/uevent_helper", "/sys/kernel/mm/transparent_hugepage/enabled", "/sys/fs/cgroup/rein-test", "/proc/self/oom_score_adj_", "/proc/irq/default_smp_affinity"} {
		script := fmt.Sprintf("v=$(cat %[1]s 2>/dev/null) || v=0; { echo \"$v\" > %[1]s; } 2>/dev/null && echo wrote %[1]s", name)
		if out, _ := try(t, box, script); strings.Contains(out, "wrote") {
			t.Error(out)
		}
	}
}

func otherSession(t *testing.T) {
	policy := Policy{Workspace: t.TempDir(), Private: t.TempDir()}
	one, two := needBox(t, policy), needBox(t, policy)
	running, err := Launch(t.Context(), one, shell("echo s > /tmp/canary; echo s > /var/tmp/canary; echo s > /dev/shm/canary; exec -a canary-process sleep 60"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer running.Stop(0)
	for range 200 {
		if out, _ := try(t, one, "cat /var/tmp/canary 2>/dev/null"); out != "" {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	out, _ := try(t, two, "cat /tmp/canary /var/tmp/canary /dev/shm/canary; ls /dev/shm; ps -ef 2>/dev/null; cat /proc/[0-9]*/cmdline | tr '\\0' ' '; cat /proc/net/unix | grep @")
	if strings.Contains(out, "canary-process") || strings.Contains(out, "s\n") && !strings.Contains(out, "No such file") {
		t.Errorf("the other session sees %s", out)
	}
	for _, place := range []string{"/tmp/canary", "/var/tmp/canary", "/dev/shm/canary"} {
		if _, result := try(t, two, "test -e "+place); result.Code == 0 {
			t.Errorf("the other session sees %s", place)
		}
	}
}

// archives are unpacked by what is installed; none of it may put a file outside.
func archives(t *testing.T) {
	p, policy := hunt(t)
	const make = `
import io, os, sys, tarfile, zipfile
target = sys.argv[1]
names = ["../../climb", target + "/sub/absolute", "link/through"]
with tarfile.open("bad.tar", "w") as t:
    link = tarfile.TarInfo("link"); link.type = tarfile.SYMTYPE; link.linkname = target + "/sub"; t.addfile(link)
    for n in names:
        i = tarfile.TarInfo(n); i.size = 1; t.addfile(i, io.BytesIO(b"x"))
with zipfile.ZipFile("bad.zip", "w") as z:
    for n in names[:2]: z.writestr(n, "x")
`
	made := exec.Command("python3", "-c", make, p.dir)
	if made.Dir = p.workspace; made.Run() != nil {
		t.Skip("python3 is needed to make the archives")
	}
	box := needBox(t, policy)
	for _, script := range []string{"tar xf bad.tar", "tar xPf bad.tar", "tar xf bad.tar -C / ", "unzip -o bad.zip", "unzip -o -: bad.zip", "bsdtar xPf bad.tar", "cpio -idmu < bad.tar"} {
		out, _ := try(t, box, "mkdir -p a/b/c && cp bad.* a/b/c && cd a/b/c && "+script)
		if left, _ := filepath.Glob(filepath.Join(p.dir, "sub", "*")); len(left) != 1 {
			t.Fatalf("%s: outside there is %q: %s", script, left, out)
		}
	}
	for _, name := range []string{filepath.Join(filepath.Dir(filepath.Dir(p.workspace)), "climb"), filepath.Join(filepath.Dir(p.workspace), "climb")} {
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("%s was made", name)
		}
	}
}
