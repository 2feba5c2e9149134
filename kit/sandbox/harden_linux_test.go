package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// inChild names what the test binary does when it is started again as a child.
const inChild = "REIN_HARDEN_TEST"

// asHardenedChild does what this process was started again for, if it was.
func asHardenedChild() {
	switch os.Getenv(inChild) {
	case "report":
		hardenReport()
	case "namespace":
		hardenNamespaces()
	case "crash":
		if err := HardenProcess(); err != nil {
			panic(err)
		}
		syscall.Kill(os.Getpid(), syscall.SIGSEGV)
		select {}
	default:
		return
	}
	os.Exit(0)
}

// hardenReport prints what a hardened process looks like to itself and to its child.
func hardenReport() {
	if err := HardenProcess(); err != nil {
		panic(err)
	}
	var core syscall.Rlimit
	syscall.Getrlimit(syscall.RLIMIT_CORE, &core)
	child, err := exec.Command("sh", "-c", "ulimit -c; echo still runs").CombinedOutput()
	fmt.Println("dumpable", dumpable(), "core", core.Cur, core.Max, "child", strings.Fields(string(child)), err)
}

// hardenNamespaces starts a child in a user namespace, out of a hardened process, without and within Starting.
func hardenNamespaces() {
	if err := HardenProcess(); err != nil {
		panic(err)
	}
	start := func() error {
		cmd := exec.Command("true")
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}},
		}
		return cmd.Run()
	}
	without := start()
	fmt.Println(without == nil, startHardened(start) == nil, dumpable())
}

// The trap that Starting is for, as an ordinary user; root may write the maps anyway.
func TestStarting(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "child")
	copyFile(t, os.Args[0], bin)
	for parent := dir; parent != os.TempDir() && parent != "/"; parent = filepath.Dir(parent) {
		if err := os.Chmod(parent, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(bin)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), inChild+"=namespace")
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	switch string(out) {
	case "false true false\n":
	case "false false false\n":
		t.Log("this machine gives an ordinary user no user namespaces: only the closing is tested")
	default:
		t.Errorf("without Starting, within it, dumpable afterwards: %s", out)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, content, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// env-05: no core file, no reading of the memory.
func TestProcess(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), inChild+"=report")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if want := "dumpable false core 0 0 child [0 still runs] <nil>\n"; string(out) != want {
		t.Errorf("got %q, want %q", out, want)
	}
}

func TestCrashLeavesNoCore(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), inChild+"=crash", "GOTRACEBACK=crash")
	err := cmd.Run()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if err == nil || !ok || status.CoreDump() {
		t.Errorf("err %v, core dumped: %v", err, status.CoreDump())
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}
