package workspace

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestNoOpenWaits swaps a directory for a pipe, again and again, while the workspace uses the paths through it. Opening the
// pipe would wait for a writer that never comes.
func TestNoOpenWaits(t *testing.T) {
	dir := t.TempDir()
	d, pipe := filepath.Join(dir, "d"), filepath.Join(dir, "pipe")
	if err := os.MkdirAll(filepath.Join(d, "e"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d, "e", "f"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	stop, swapped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(swapped)
		for {
			select {
			case <-stop:
				return
			default:
				_ = unix.Renameat2(unix.AT_FDCWD, d, unix.AT_FDCWD, pipe, unix.RENAME_EXCHANGE)
			}
		}
	}()
	used := make(chan struct{})
	go func() {
		defer close(used)
		for end := time.Now().Add(time.Second); time.Now().Before(end); {
			_, _ = w.ReadFile("d/e/f")
			_, _ = w.ReadDir("d", 0)
			_, _ = w.ReadDir("d/e", 0)
			if other, err := Open(d); err == nil {
				other.Close()
			}
		}
	}()
	select {
	case <-used:
	case <-time.After(30 * time.Second):
		t.Error("an access waits for a pipe")
	}
	close(stop)
	<-swapped
}
