package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"

	"rein/event"
)

// FileName is the name of a session's journal in the session's directory.
const FileName = "journal.jsonl"

// File is the journal of one session: DIR/journal.jsonl, mode 0600, one event a line. One process at a time may hold
// it.
type File struct {
	// Mask changes a line before it is written, to hide secrets; it must keep it one line of JSON. It is set before
	// the first Append, and may be nil.
	Mask func(line []byte) []byte

	lock *flock.Flock

	mu      sync.Mutex // guards the fields below, and the order of lines
	seq     int64      // of the last event
	f       *os.File
	line    []byte
	written int64
	err     error

	syncing sync.Mutex // held by the one that syncs for all that wait
	synced  int64
}

// ErrHeld means that another process has the session open.
var ErrHeld = errors.New("the session is open in another process")

// Open opens or makes the journal in dir for appending. A torn last line, left by a crash in the middle of a write, is
// cut off. Damaged lines stay where they are, and Read leaves them out. Damage has a copy of both. A journal of a newer
// format is refused with ErrNewer.
func Open(dir string) (*File, Damage, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, Damage{}, fmt.Errorf("journal: %w", err)
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	held, err := lock.TryLock()
	if err != nil {
		return nil, Damage{}, fmt.Errorf("journal: lock %s: %w", dir, err)
	}
	if !held {
		return nil, Damage{}, ErrHeld
	}
	f := &File{lock: lock}
	damage, err := f.open(filepath.Join(dir, FileName))
	if err != nil {
		return nil, Damage{}, errors.Join(fmt.Errorf("journal: %w", err), lock.Unlock())
	}
	return f, damage, nil
}

func (f *File) open(name string) (Damage, error) {
	var err error
	f.f, err = os.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return Damage{}, err
	}
	found, err := inspect(f.f)
	if err == nil {
		err = found.damage.keep(filepath.Join(filepath.Dir(name), DamagedName))
	}
	if err == nil && found.damage.Torn != "" {
		err = f.f.Truncate(found.size)
	}
	if err != nil {
		return Damage{}, errors.Join(err, f.f.Close())
	}
	f.written, f.synced, f.seq = found.size, found.size, found.seq
	return found.damage, nil
}

// Append numbers the events and writes each as a line, all in one write.
func (f *File) Append(events ...event.Event) error {
	upTo, sync, err := f.write(events)
	if err != nil || !sync {
		return err
	}
	return f.syncTo(upTo)
}

func (f *File) write(events []event.Event) (upTo int64, sync bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return 0, false, f.err
	}
	lines := f.line[:0]
	seq := f.seq
	for i := range events {
		seq++
		events[i].Seq, events[i].Format = seq, 0
		if seq == 1 {
			events[i].Format = event.Format
		}
		if lines, err = events[i].Line(lines); err != nil {
			return 0, false, fmt.Errorf("journal: %w", err)
		}
		sync = sync || events[i].Kind.Synced()
	}
	f.line = lines
	if f.Mask != nil {
		lines = f.Mask(lines)
	}
	if _, err := f.f.Write(lines); err != nil {
		return 0, false, f.fail(err)
	}
	f.written += int64(len(lines))
	f.seq = seq
	if cap(f.line) > 1<<20 {
		f.line = nil
	}
	return f.written, sync, nil
}

// fail ends the journal. It removes what was half written where that is possible. f.mu is held.
func (f *File) fail(err error) error {
	f.err = fmt.Errorf("journal: %w", err)
	if terr := f.f.Truncate(f.written); terr != nil {
		f.err = errors.Join(f.err, terr)
	}
	return f.err
}

// syncTo returns when the first upTo bytes are on disk. Callers that come while another one syncs wait, and the next sync
// is for all of them.
func (f *File) syncTo(upTo int64) error {
	f.syncing.Lock()
	defer f.syncing.Unlock()
	if f.synced >= upTo {
		return nil
	}
	f.mu.Lock()
	written, err := f.written, f.err
	f.mu.Unlock()
	if err != nil {
		return err
	}
	if err := datasync(f.f); err != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.err = fmt.Errorf("journal: %w", err)
		return f.err
	}
	f.synced = written
	return nil
}

// Close syncs and closes the journal; later appends fail.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.f == nil {
		return nil
	}
	err := errors.Join(datasync(f.f), f.f.Close(), f.lock.Unlock())
	f.f = nil
	f.err = errors.New("journal: closed")
	return err
}
