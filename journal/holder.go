package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// ErrHeld means that another process has the session open. The error is a *HeldError.
var ErrHeld = errors.New("the session is open in another process")

// Holder is the process that has a session open.
type Holder struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host,omitempty"`
	Command string    `json:"command,omitempty"` // the name of the program
	Since   time.Time `json:"since"`
}

// String names the process.
func (h Holder) String() string {
	where := ""
	if host, _ := os.Hostname(); h.Host != host {
		where = " on " + h.Host
	}
	return fmt.Sprintf("%s, process %d%s, since %s", h.Command, h.PID, where, h.Since.Local().Format("2006-01-02 15:04:05"))
}

// HeldError is ErrHeld with the process.
type HeldError struct {
	Holder Holder // zero: not known
}

// Error names the process where it is known.
func (e *HeldError) Error() string {
	if e.Holder.PID == 0 {
		return ErrHeld.Error()
	}
	return fmt.Sprintf("%v (%v)", ErrHeld, e.Holder)
}

// Unwrap gives ErrHeld.
func (e *HeldError) Unwrap() error { return ErrHeld }

const (
	lockName   = "lock"
	holderName = "holder.json"

	// Settled holds the lock for some microseconds, so one failure does not mean that a process has the session open.
	lockTries = 5
	lockPause = 4 * time.Millisecond

	// A process that is killed while it starts another one leaves its lock to that one, until its program begins.
	lockTriesGone = 500
)

// hold takes the lock of a session and notes who has it.
func hold(dir string) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(dir, lockName))
	for try := 1; ; try++ {
		held, err := lock.TryLock()
		switch {
		case err != nil:
			return nil, fmt.Errorf("journal: lock %s: %w", dir, err)
		case held:
			noteHolder(dir)
			return lock, nil
		case try >= lockTries:
			if h := HeldBy(dir); try == lockTriesGone || !h.gone() {
				return nil, &HeldError{h}
			}
		}
		time.Sleep(lockPause)
	}
}

// gone reports whether the process has ended. Where that cannot be found out it has not.
func (h Holder) gone() bool {
	if host, _ := os.Hostname(); h.PID == 0 || h.Host != host {
		return false
	}
	p, err := os.FindProcess(h.PID)
	return err != nil || errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// noteHolder writes down which process has the session. Without the note the session works too.
func noteHolder(dir string) {
	host, _ := os.Hostname()
	h := Holder{PID: os.Getpid(), Host: host, Command: filepath.Base(os.Args[0]), Since: time.Now()}
	if text, err := json.Marshal(h); err == nil {
		_ = os.WriteFile(filepath.Join(dir, holderName), text, 0o600)
	}
}

func release(dir string, lock *flock.Flock) error {
	_ = os.Remove(filepath.Join(dir, holderName))
	return lock.Unlock()
}

// HeldBy returns the process that noted itself as the holder of a session: one that has it open, or that was killed. The
// zero value: none.
func HeldBy(dir string) (h Holder) {
	if text, err := os.ReadFile(filepath.Join(dir, holderName)); err == nil {
		_ = json.Unmarshal(text, &h)
	}
	return h
}

// Settled runs do while no process has the session open, and reports whether it could. do must be short.
func Settled(dir string, do func()) bool {
	lock := flock.New(filepath.Join(dir, lockName))
	if held, err := lock.TryLock(); err != nil || !held {
		return false
	}
	defer lock.Unlock()
	do()
	return true
}
