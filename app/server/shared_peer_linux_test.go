package server

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Another user's process gets no answer, even where it can reach the socket.
func TestAnotherUserIsNotAnswered(t *testing.T) {
	if name := os.Getenv("REIN_TEST_SOCKET"); name != "" {
		c, err := net.Dial("unix", name)
		if err != nil {
			os.Exit(3)
		}
		_, _ = c.Write([]byte("hello"))
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
		if _, err := c.Read(make([]byte, 1)); os.IsTimeout(err) {
			os.Exit(4)
		}
		os.Exit(0) // the connection is closed
	}
	if os.Geteuid() != 0 {
		t.Skip("only root may become another user")
	}
	dir, err := os.MkdirTemp("/tmp", "rein-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	program := filepath.Join(dir, "program")
	text, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = os.WriteFile(program, text, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	l, a, err := listenShared(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	came := make(chan net.Conn, 2)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			came <- c
		}
	}()
	for _, path := range []struct {
		name string
		mode os.FileMode
	}{{dir, 0o755}, {a.Socket, 0o666}} { // more open than it ever is
		if err := os.Chmod(path.name, path.mode); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, "-test.run", "^TestAnotherUserIsNotAnswered$")
	cmd.Env, cmd.Dir = append(os.Environ(), "REIN_TEST_SOCKET="+a.Socket), "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	select {
	case <-came:
		t.Error("the connection of another user was taken")
	default:
	}
	if c, err := net.Dial("unix", a.Socket); err != nil {
		t.Fatal(err)
	} else {
		defer c.Close()
	}
	select {
	case <-came:
	case <-time.After(10 * time.Second):
		t.Error("the same user is not answered")
	}
}
