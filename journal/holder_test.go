package journal

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

func TestTheErrorNamesTheProcessThatHoldsASession(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	_, _, err := Open(dir)
	held, ok := errors.AsType[*HeldError](err)
	if !ok || !errors.Is(err, ErrHeld) || held.Holder.PID != os.Getpid() || !strings.Contains(err.Error(), "process ") {
		t.Fatalf("opened twice: %v", err)
	}
	if Settled(dir, func() { t.Error("it is open") }) {
		t.Error("it counts as settled while it is open")
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if HeldBy(dir).PID != 0 {
		t.Error("the note stays after the end")
	}
	ran := false
	if !Settled(dir, func() { ran = true }) || !ran {
		t.Error("it does not count as settled")
	}
}

// TestTheLockOfAKilledProcessIsWaitedFor: a process that was killed while it started another one leaves the lock to that one for
// a moment.
func TestTheLockOfAKilledProcessIsWaitedFor(t *testing.T) {
	dir := t.TempDir()
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	other := flock.New(filepath.Join(dir, lockName))
	if held, err := other.TryLock(); err != nil || !held {
		t.Fatal(held, err)
	}
	host, _ := os.Hostname()
	note, _ := json.Marshal(Holder{PID: ended.Process.Pid, Host: host})
	if err := os.WriteFile(filepath.Join(dir, holderName), note, 0o600); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(100*time.Millisecond, func() { _ = other.Unlock() })
	f, _, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

func TestOpenLeavesAMarkWhereThereIsAnIndex(t *testing.T) {
	root := t.TempDir()
	mark := filepath.Join(ChangedDir(root), "a-session")
	for _, indexed := range []bool{false, true} {
		if indexed {
			if err := os.MkdirAll(ChangedDir(root), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		f, _, err := Open(filepath.Join(root, "a-session"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(mark); (err == nil) != indexed {
			t.Errorf("there is an index: %v, and the mark gives %v", indexed, err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
