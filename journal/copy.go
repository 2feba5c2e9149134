package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"rein/event"
)

// Copying says what Copy does.
type Copying struct {
	From string // the journal file
	Root string // the directory of all sessions
	ID   string // of the new session
	At   int64  // the number of the last event to copy; 0: all

	// Change may alter an event, and reports whether it is kept. Nil keeps all.
	Change func(*event.Event) bool
	// Last are the events that follow the copied ones.
	Last []event.Event
}

// Copy makes a new session with the events of a journal. They keep their numbers and have the id of the new session. What
// a crash cut off is left out. The new session is there as a whole or not at all.
func Copy(c Copying) (err error) {
	return Make(c.Root, c.ID, c.write)
}

// Make makes a new session whose journal fill writes. It is there as a whole or not at all.
func Make(root, id string, fill func(*File) error) error {
	dir, err := Dir(root, id)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(dir); err == nil {
		return fmt.Errorf("%w: %s", ErrExists, id)
	}
	next := filepath.Join(root, ".new-"+id)
	if err := os.RemoveAll(next); err != nil {
		return err
	}
	f, _, err := Open(next)
	if err == nil {
		err = errors.Join(fill(f), f.Close())
	}
	if err == nil {
		err = os.Rename(next, dir)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(next))
	}
	return nil
}

// ErrExists means that there is a session with that id already.
var ErrExists = errors.New("there is a session with this id already")

func (c *Copying) write(f *File) (err error) {
	found := c.At == 0
	for e, err := range Read(c.From) {
		if errors.Is(err, ErrTorn) {
			break
		}
		if err != nil {
			return err
		}
		if c.At != 0 && e.Seq > c.At {
			break
		}
		found = found || e.Seq == c.At
		if e.Session = c.ID; c.Change != nil && !c.Change(&e) {
			continue
		}
		f.seq = max(f.seq, e.Seq-1) // nobody else has the file yet
		if _, _, err := f.write([]event.Event{e}); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("the session has no event %d", c.At)
	}
	for i := range c.Last {
		c.Last[i].Session = c.ID
	}
	_, _, err = f.write(c.Last)
	return err
}
