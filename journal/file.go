package journal

import (
	"errors"
	"fmt"
	"iter"
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

	dir  string
	lock *flock.Flock

	mu      sync.Mutex // guards the fields below, and the order of lines
	unread  bool       // nobody knows yet what it has: see Past
	seq     int64      // of the last event
	format  int        // the highest in the journal
	f       *os.File
	line    []byte
	written int64
	err     error

	syncing sync.Mutex // held by the one that syncs for all that wait
	synced  int64
}

// Open opens or makes the journal in dir for appending. A torn last line, left by a crash in the middle of a write, is
// cut off. Damaged lines stay where they are, and Read leaves them out. Damage has a copy of both. A journal of a newer
// format is refused with ErrNewer, one that another process has open with ErrHeld.
func Open(dir string) (*File, Damage, error) {
	f, err := Resume(dir)
	if err != nil {
		return nil, Damage{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	damage, err := f.inspect()
	if err != nil {
		return nil, Damage{}, errors.Join(fmt.Errorf("journal: %w", err), f.f.Close(), release(dir, f.lock))
	}
	return f, damage, nil
}

// Resume opens the journal in dir as Open does, and does not read it yet. Past reads it, or the first Append does: so a
// long journal is read once when its session continues.
func Resume(dir string) (*File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	lock, err := hold(dir)
	if err != nil {
		return nil, err
	}
	MarkChanged(dir)
	opened, err := os.OpenFile(filepath.Join(dir, FileName), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("journal: %w", err), release(dir, lock))
	}
	return &File{dir: dir, lock: lock, f: opened, unread: true}, nil
}

// Past returns the events that the journal has, as Read does, but not the end that a crash cut off. After the last event it has found
// the damage that Open finds.
func (f *File) Past() iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		var found inspected
		for l, err := range lines(f.f, 0) {
			var missing []event.Event
			if found.torn(l, err) {
				break
			}
			if err == nil {
				l.decode()
				err = found.take(l, head{seq: l.Event.Seq, format: l.Event.Format})
			}
			if err == nil {
				missing, err = l.complete(f.dir)
			}
			if !yield(l.Event, err) || err != nil {
				return
			}
			for _, e := range missing {
				if !yield(e, nil) {
					return
				}
			}
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.unread && f.f != nil {
			if err := f.adopt(found); err != nil {
				yield(event.Event{}, fmt.Errorf("journal: %w", err))
			}
		}
	}
}

// inspect finds out what the journal has. f.mu is held.
func (f *File) inspect() (Damage, error) {
	found, err := inspect(f.f)
	if err == nil {
		err = f.adopt(found)
	}
	return found.damage, err
}

// adopt continues after what was found. A copy of what is damaged is kept, and a torn last line is cut off. f.mu is held.
func (f *File) adopt(found inspected) error {
	err := found.damage.keep(filepath.Join(f.dir, DamagedName))
	if err == nil && found.damage.Torn != "" {
		err = f.f.Truncate(found.size)
	}
	if err == nil {
		f.written, f.synced, f.seq, f.format, f.unread = found.size, found.size, found.seq, found.format, false
	}
	return err
}

// ErrFailed means that a journal could not be written, such as on a full disk: it takes nothing more until it is opened again.
var ErrFailed = errors.New("journal")

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
	if f.unread && f.f != nil {
		if _, err := f.inspect(); err != nil {
			f.err = fmt.Errorf("%w: %w", ErrFailed, err)
			return 0, false, f.err
		}
	}
	lines, format := f.line[:0], f.format
	for i := range events {
		e := &events[i]
		e.Seq, e.Format = f.seq+int64(i)+1, 0
		if format < event.Format {
			e.Format, format = event.Format, event.Format
		}
		if lines, err = f.encode(lines, e); err != nil {
			return 0, false, fmt.Errorf("journal: %w", err)
		}
		sync = sync || e.Synced()
	}
	f.line = lines
	if _, err := f.f.Write(lines); err != nil {
		return 0, false, f.fail(err)
	}
	f.written += int64(len(lines))
	f.seq, f.format = f.seq+int64(len(events)), format
	if cap(f.line) > 1<<20 {
		f.line = nil
	}
	return f.written, sync, nil
}

// encode appends the line of an event: its secrets are hidden first, then large data goes into blobs.
func (f *File) encode(lines []byte, e *event.Event) ([]byte, error) {
	start := len(lines)
	lines, err := e.Line(lines)
	if err != nil {
		return lines, err
	}
	line := lines[start:]
	if f.Mask != nil {
		line = f.Mask(line)
	}
	if line, err = store(f.dir, line); err != nil {
		return lines[:start], err
	}
	return append(lines[:start], line...), nil
}

// fail ends the journal. It removes what was half written where that is possible. f.mu is held.
func (f *File) fail(err error) error {
	f.err = fmt.Errorf("%w: %w", ErrFailed, err)
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
		f.err = fmt.Errorf("%w: %w", ErrFailed, err)
		return f.err
	}
	f.synced = written
	return nil
}

// Close syncs and closes the journal; later appends fail. What was written before is on disk when those that wait for it continue.
func (f *File) Close() error {
	f.syncing.Lock()
	defer f.syncing.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.f == nil {
		return nil
	}
	synced := datasync(f.f)
	if synced == nil {
		f.synced = f.written
	}
	err := errors.Join(synced, f.f.Close(), release(f.dir, f.lock))
	f.f = nil
	f.err = errors.New("journal: closed")
	return err
}
