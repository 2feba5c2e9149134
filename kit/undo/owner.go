package undo

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// owner is a file that a process holds a lock on for as long as it lives. It names the process in the log: when another
// one can lock the file, the process is gone. The file's time is when the process was last known to live, while it has calls.
type owner struct {
	name string
	lock *flock.Flock
}

// sweep removes what processes that were killed have left: files that name them, and files that were not finished.
func (s *Store) sweep() {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".new-") {
			_ = os.Remove(filepath.Join(s.dir, e.Name()))
		}
		if strings.HasPrefix(e.Name(), "live-") && s.gone(e.Name()) {
			_ = os.Remove(filepath.Join(s.dir, e.Name()))
		}
	}
}

// newOwner makes the file of this process.
func newOwner(dir string) (*owner, error) {
	name := fmt.Sprintf("live-%d-%s", os.Getpid(), strings.ToLower(rand.Text()[:8]))
	lock := flock.New(filepath.Join(dir, name))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	return &owner{name, lock}, nil
}

func (o *owner) close() {
	if o == nil {
		return
	}
	_ = o.lock.Unlock()
	_ = os.Remove(o.lock.Path())
}

// ownerName returns the name of this process in the log.
func (s *Store) ownerName() (string, error) {
	if s.owner == nil {
		s.sweep()
		o, err := newOwner(s.dir)
		if err != nil {
			return "", err
		}
		s.owner = o
	}
	return s.owner.name, nil
}

// beat is how often a process that has a call shows that it lives.
const beat = 2 * time.Second

// beats shows that the process lives, until stop.
func (o *owner) beats() (stop func()) {
	show := func(now time.Time) { _ = os.Chtimes(o.lock.Path(), now, now) }
	show(time.Now())
	done := make(chan struct{})
	go func() {
		ticks := time.NewTicker(beat)
		defer ticks.Stop()
		for {
			select {
			case <-done:
				return
			case now := <-ticks.C:
				show(now)
			}
		}
	}()
	return sync.OnceFunc(func() { close(done) })
}

// lastWrite is the latest time at which an owner that has gone can have written: what changed later was changed by others. It is zero
// while the owner lives, and where that is not known.
func lastWrite(s *Store, name string) time.Time {
	if !s.gone(name) {
		return time.Time{}
	}
	info, err := os.Stat(filepath.Join(s.dir, filepath.Base(name)))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime().Add(beat + time.Second)
}

// gone reports whether an owner has ended.
func (s *Store) gone(name string) bool {
	if s.owner != nil && s.owner.name == name {
		return false
	}
	path := filepath.Join(s.dir, filepath.Base(name))
	if _, err := os.Stat(path); err != nil {
		return os.IsNotExist(err)
	}
	lock := flock.New(path)
	ok, err := lock.TryLock()
	if err != nil || !ok {
		return false
	}
	_ = lock.Unlock()
	return true
}
