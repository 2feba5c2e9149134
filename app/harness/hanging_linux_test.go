package harness

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rein/event"
	"rein/tool"
)

// hangingMount mounts a file system that never answers.
func hangingMount(t *testing.T, dir string) {
	t.Helper()
	f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		t.Skip("SKIPPED: no FUSE here:", err)
	}
	t.Cleanup(func() {
		_ = unix.Unmount(dir, unix.MNT_DETACH)
		f.Close() // ends what waits for it
	})
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=%d,group_id=%d", f.Fd(), os.Getuid(), os.Getgid())
	if err := unix.Mount("rein-test", dir, "fuse", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		t.Skip("SKIPPED: FUSE cannot be mounted here:", err)
	}
}

// A mount in the workspace that never answers ends the calls that look at it, and no other; the session continues, and ends.
func TestAMountThatNeverAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for deadlines")
	}
	const attack = "path-22 a directory of a file system that never answers"
	t.Setenv("REIN_HOME", t.TempDir())
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("here\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	hangingMount(t, filepath.Join(dir, "hang"))
	s := startCalls(t, Options{Dir: dir, Terms: event.Terms{Sandbox: "off"}, Timeout: Duration(time.Second)})
	call := func(name, args string) tool.Result {
		t.Helper()
		results, err := s.Call(t.Context(), []tool.Call{{ID: name + args, Name: name, Args: []byte(args)}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return results[0]
	}
	for _, c := range [][2]string{{"read_file", `{"path":"hang/x"}`}, {"grep", `{"pattern":"here"}`}} {
		if r := call(c[0], c[1]); r.Kind != tool.TimedOut {
			t.Errorf("%s: %s: %+v", attack, c[0], r)
		}
	}
	if r := call("read_file", `{"path":"a.txt"}`); r.Failed {
		t.Errorf("the file beside it: %+v", r)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Close(context.Background()) }()
	select {
	case <-ended:
	case <-time.After(2 * time.Minute):
		t.Error("the session does not end")
	}
}
