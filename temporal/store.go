package temporal

import (
	"context"
	"errors"
	"fmt"
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
}

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
