// Package sessions keeps the recorded sessions of all directories: it lists, finds, searches, names, forks, rewinds, follows,
// checks, repairs and deletes them. It writes them as documents and imports the session files of other programs. Every front end
// does this through a Store and knows nothing of files. What a session does while it runs is the harness's.
//
// The journals are what counts. An index over them makes lists and searches fast; it is made again from them whenever that is
// needed.
package sessions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"rein/app/stats"
	"rein/event"
	"rein/journal"
)

// Store is the sessions that are recorded below one directory. It may be used by several goroutines at once; the sessions
// may be in use by other processes. The index over them is opened when it is needed first.
type Store struct {
	dirs Dirs
	warn func(string)

	mu    sync.Mutex // one use of the index at a time
	index *index
}

// Dirs are the directories that hold what belongs to sessions.
type Dirs struct {
	Sessions  string // a directory for each session
	Output    string // spilled outputs
	Worktrees string // copies of workspaces, for sub-agents; "": there are none
}

// New returns the store of the sessions in dirs. It opens nothing. warn gets lines for the user; it may be nil.
func New(dirs Dirs, warn func(string)) *Store {
	return &Store{dirs: dirs, warn: warn}
}

// Close closes the index.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index == nil {
		return nil
	}
	err := s.index.Close()
	s.index = nil
	return err
}

// indexed runs do with the index.
func (s *Store) indexed(do func(*index) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index == nil {
		x, err := openIndex(s.dirs.Sessions, s.warn)
		if err != nil {
			return err
		}
		s.index = x
	}
	return do(s.index)
}

// List returns sessions, the newest first, and how many there are without the filter's limit.
func (s *Store) List(ctx context.Context, f Filter) (all []Session, total int, err error) {
	err = s.indexed(func(x *index) error {
		all, total, err = x.List(ctx, f)
		return err
	})
	return all, total, err
}

// Search finds the sessions in which a text has all words of the query: those of Filter.First first, then the newest.
// Words in quotes must follow each other. The last word may be the beginning of one.
func (s *Store) Search(ctx context.Context, query string, f Filter) (hits []Hit, err error) {
	err = s.indexed(func(x *index) error {
		hits, err = x.Search(ctx, query, f)
		return err
	})
	return hits, err
}

// Rebuild builds the index again.
func (s *Store) Rebuild(ctx context.Context) error {
	return s.indexed(func(x *index) error { return x.Rebuild(ctx) })
}

// Children returns the sessions of the sub-agents of a session, the oldest first.
func (s *Store) Children(ctx context.Context, id string) (all []Session, err error) {
	err = s.indexed(func(x *index) error {
		all, err = x.Children(ctx, id)
		return err
	})
	return all, err
}

// Newest returns the session of a directory that was used last, without those of sub-agents.
func (s *Store) Newest(ctx context.Context, dir string) (Session, error) {
	all, _, err := s.List(ctx, Filter{Dir: dir, Limit: 1})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%w: none was started in %s", journal.ErrNoSession, dir)
	}
	if err != nil {
		return Session{}, err
	}
	return all[0], nil
}

// ErrAmbiguous means that a text names several sessions.
var ErrAmbiguous = errors.New("names several sessions")

// Find returns the id of the session that a text names: its id, its name, or the beginning of the id, of the id's last part or
// of the name. It fails with journal.ErrNoSession or ErrAmbiguous.
func (s *Store) Find(ctx context.Context, text string) (string, error) {
	if _, err := s.journal(text); err == nil {
		return text, nil
	}
	var found []Session
	err := s.indexed(func(x *index) (err error) {
		found, err = x.Named(ctx, text)
		return err
	})
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", fmt.Errorf("%w: %q (rein sessions list shows them)", journal.ErrNoSession, text)
	case len(found) == 1:
		return found[0].ID, nil
	}
	var ids []string
	for _, f := range found[:min(len(found), 8)] {
		ids = append(ids, f.ID)
	}
	return "", fmt.Errorf("%q %w: %s", text, ErrAmbiguous, strings.Join(ids, ", "))
}

// Use returns what a session used: for each message, model and tool. With an error it is what was used until there.
func (s *Store) Use(id string) (u stats.Use, err error) {
	for e, err := range s.Events(id, 0) {
		if err != nil {
			return u, err
		}
		u.See(e)
	}
	return u, nil
}

// Get returns one session. It reads the session's journal.
func (s *Store) Get(id string) (Session, error) {
	if _, err := s.journal(id); err != nil {
		return Session{}, err
	}
	return Summary(s.dirs.Sessions, id)
}

// Settled runs do while no process has the session open, and reports whether it did.
func (s *Store) Settled(id string, do func()) bool {
	dir, err := journal.Dir(s.dirs.Sessions, id)
	return err == nil && journal.Settled(dir, do)
}

// Holder returns the process that has a session open, as far as it noted itself; the zero value: none.
func (s *Store) Holder(id string) (h journal.Holder) {
	dir, err := journal.Dir(s.dirs.Sessions, id)
	if err != nil || journal.Settled(dir, func() {}) {
		return h
	}
	return journal.HeldBy(dir)
}

// Events returns the recorded events of a session whose number is higher than after, with those that the user went back from.
// What a crash cut off at the end is left out.
func (s *Store) Events(id string, after int64) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		name, err := s.journal(id)
		if err != nil {
			yield(event.Event{}, err)
			return
		}
		for e, err := range journal.Read(name) {
			if errors.Is(err, journal.ErrTorn) {
				return
			}
			if err == nil && e.Seq <= after && e.Seq != 0 {
				continue
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Follow returns the events of a session as Events does, and then those that its process records, until ctx is done. It only
// reads.
func (s *Store) Follow(ctx context.Context, id string, after int64) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		name, err := s.journal(id)
		if err != nil {
			yield(event.Event{}, err)
			return
		}
		for e, err := range journal.Follow(ctx, name) {
			if err == nil && e.Seq <= after && e.Seq != 0 {
				continue
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// journal returns the journal file of a session that exists.
func (s *Store) journal(id string) (string, error) {
	dir, err := journal.Dir(s.dirs.Sessions, id)
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, journal.FileName)
	if _, err := os.Stat(name); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: %q", journal.ErrNoSession, id)
		}
		return "", err
	}
	return name, nil
}
