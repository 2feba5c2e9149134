package temporal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"rein/event"
	"rein/journal"
	"rein/redact"
)

// Store keeps the transcripts of sessions for all workers. It may be used from many goroutines and processes at once.
type Store interface {
	// Open opens the journal of a session for a step; a session that is not there is made. Where another process has appended to the
	// journal since it was opened, or still has it open, Open or Append fails: of two steps of a session one at most appends.
	Open(ctx context.Context, session string) (Log, error)
	// Events are those of a session whose numbers are greater; the error is fs.ErrNotExist where there is no such session.
	Events(ctx context.Context, session string, after int64) iter.Seq2[event.Event, error]
	// Follow gives the same, and then the events that come, until the context ends. It waits for a session that is not there.
	Follow(ctx context.Context, session string, after int64) iter.Seq2[event.Event, error]
	// Put keeps data of a session under a name, of letters, digits and '-', that it has not been kept under before. Get gives it back;
	// fs.ErrNotExist means that there is none.
	Put(ctx context.Context, session, name string, data []byte) error
	Get(ctx context.Context, session, name string) ([]byte, error)
	// Sessions are those of which it has events, those of sub-agents too. An error with an ID is that of one session; another one is the last.
	Sessions(ctx context.Context) iter.Seq2[Stored, error]
	// Remove removes the events and the data of a session. The error is ErrUsed where a step has it open or has added to it; then all of it stays.
	// What is not there is no error, and a removal that was cut off can be repeated.
	Remove(ctx context.Context, r Removal) error
}

// Stored is a session of which a store has events.
type Stored struct {
	ID   string
	Seq  int64     // of its last event
	Last time.Time // when that was recorded
}

// Removal is a session that is to be removed.
type Removal struct {
	Session string
	Seq     int64 // of its last event, as far as is known
	// First is called before anything is removed, while no step can add to the session. Its error ends the removal. Nil: nothing is to be done.
	First func(context.Context) error
}

// ErrUsed means that a session is not removed, as it is used.
var ErrUsed = errors.New("it is used")

// Log is the journal of a session while a step has it open.
type Log interface {
	event.Journal
	Past() iter.Seq2[event.Event, error] // the events that it had when it was opened
	Close() error
}

// Files is a Store in a directory, for workers on one machine: the journals are those of the program itself. Mask hides secrets in what
// is written; nil hides the well-known shapes of keys.
type Files struct {
	Dir  string
	Mask *redact.Filter
}

// Open opens the journal: see journal.Resume. It fails with journal.ErrHeld while another process has it open.
func (f Files) Open(_ context.Context, session string) (Log, error) {
	dir, err := journal.Dir(f.Dir, session)
	if err != nil {
		return nil, err
	}
	log, err := journal.Resume(dir)
	if err != nil {
		return nil, err
	}
	log.Mask = f.Mask.Bytes
	return toldLog{log, func() { f.recorded(session) }}, nil
}

// Events reads the journal.
func (f Files) Events(_ context.Context, session string, after int64) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		dir, err := journal.Dir(f.Dir, session)
		if err != nil {
			yield(event.Event{}, err)
			return
		}
		for e, err := range journal.Read(filepath.Join(dir, journal.FileName)) {
			if errors.Is(err, journal.ErrTorn) { // it is being written
				return
			}
			if (err != nil || e.Seq > after) && (!yield(e, err) || err != nil) {
				return
			}
		}
	}
}

// Follow reads the journal as it grows.
func (f Files) Follow(ctx context.Context, session string, after int64) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		dir, err := journal.Dir(f.Dir, session)
		if err != nil {
			yield(event.Event{}, err)
			return
		}
		name := filepath.Join(dir, journal.FileName)
		for _, err := os.Stat(name); err != nil; _, err = os.Stat(name) {
			select {
			case <-ctx.Done():
				return
			case <-time.After(journal.FollowInterval):
			}
		}
		for e, err := range journal.Follow(ctx, name) {
			if (err != nil || e.Seq > after) && (!yield(e, err) || err != nil) {
				return
			}
		}
	}
}

// dataNames are the names of data.
var dataNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9-]{1,100}$`) })

func (f Files) data(session, name string) (string, error) {
	dir, err := journal.Dir(f.Dir, session)
	if err == nil && !dataNames().MatchString(name) {
		err = fmt.Errorf("%q is no name of data", name)
	}
	return filepath.Join(dir, "data", name), err
}

// Put writes a file.
func (f Files) Put(_ context.Context, session, name string, data []byte) error {
	file, err := f.data(session, name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	part := file + ".part"
	if err := os.WriteFile(part, data, 0o600); err != nil {
		return err
	}
	return os.Rename(part, file)
}

// Get reads a file.
func (f Files) Get(_ context.Context, session, name string) ([]byte, error) {
	file, err := f.data(session, name)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// removedPrefix begins the names of directories of sessions that are being removed. It is in no id.
const removedPrefix = ".removed-"

// Sessions reads the ends of the journals.
func (f Files) Sessions(context.Context) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		all, err := os.ReadDir(f.Dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			yield(Stored{}, err)
			return
		}
		for _, one := range all {
			if _, err := journal.Dir(f.Dir, one.Name()); err != nil || !one.IsDir() {
				continue
			}
			s, err := f.stored(one.Name())
			if errors.Is(err, fs.ErrNotExist) || err == nil && s.Seq == 0 {
				continue
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// stored is the end of a journal. A last line that cannot be read is as old as the file.
func (f Files) stored(id string) (s Stored, err error) {
	name := filepath.Join(f.Dir, id, journal.FileName)
	s.ID = id
	last := int64(0)
	for h, err := range journal.Heads(name) {
		if err != nil {
			return s, fmt.Errorf("session %s: %w", id, err)
		}
		s.Seq, last = max(s.Seq, h.Seq), h.Offset
	}
	for e, err := range journal.Rest(name, last) {
		if err == nil {
			s.Last = e.Time
		}
	}
	if s.Last.IsZero() {
		info, err := os.Stat(name)
		if err != nil {
			return s, err
		}
		s.Last = info.ModTime()
	}
	return s, nil
}

// Remove removes the directory of a session. Its journal is the last that goes, so that one that is cut off can be repeated.
func (f Files) Remove(ctx context.Context, r Removal) error {
	dir, err := journal.Dir(f.Dir, r.Session)
	if err != nil {
		return err
	}
	left, _ := filepath.Glob(filepath.Join(f.Dir, removedPrefix+"*")) // the pattern is right
	for _, name := range left {
		err = errors.Join(err, os.RemoveAll(name))
	}
	if _, none := os.Stat(dir); err != nil || errors.Is(none, fs.ErrNotExist) {
		return err
	}
	held, _, err := journal.Open(dir)
	if errors.Is(err, journal.ErrHeld) {
		return fmt.Errorf("%w: %w", ErrUsed, err)
	}
	if err != nil {
		return err
	}
	defer held.Close()
	if s, err := f.stored(r.Session); err != nil || s.Seq != r.Seq {
		return cmp.Or(err, fmt.Errorf("%w: its last event is %d, and was %d", ErrUsed, s.Seq, r.Seq))
	}
	if r.First != nil {
		if err := r.First(ctx); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, "data")); err != nil {
		return err
	}
	gone := filepath.Join(f.Dir, removedPrefix+r.Session)
	if err := os.Rename(dir, gone); err != nil { // nobody opens what is half removed
		return err
	}
	return os.RemoveAll(gone)
}
