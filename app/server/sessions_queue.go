package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"rein/app/server/api"
	"rein/internal/plainfile"
)

// queueStore keeps a list of values for each session. Several goroutines may use it at once.
type queueStore[T any] struct {
	dir string

	mu  sync.Mutex
	all map[string][]T
}

// openQueue reads the lists in a directory. A file that cannot be read is left out, and its name is in faults.
func openQueue[T any](dir string) (s *queueStore[T], faults []string, err error) {
	s = &queueStore[T]{dir: dir, all: map[string][]T{}}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	for _, f := range files {
		text, err := os.ReadFile(f)
		var list []T
		if err == nil {
			err = json.Unmarshal(text, &list)
		}
		if err != nil {
			faults = append(faults, fmt.Sprintf("%s: %v", f, err))
			continue
		}
		s.all[strings.TrimSuffix(filepath.Base(f), ".json")] = list
	}
	return s, faults, err
}

// Get returns the list of a session, which is not changed.
func (s *queueStore[T]) Get(session string) []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all[session])
}

// Sessions returns the ids of the sessions whose lists are not empty, in their order.
func (s *queueStore[T]) Sessions() (ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, list := range s.all {
		if len(list) > 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Put keeps the list of a session in place of the one before.
func (s *queueStore[T]) Put(session string, list []T) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	file := filepath.Join(s.dir, session+".json")
	if len(list) == 0 {
		if _, ok := s.all[session]; !ok {
			return nil
		}
		delete(s.all, session)
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	s.all[session] = slices.Clone(list)
	text, err := json.Marshal(list)
	if err == nil {
		err = os.MkdirAll(s.dir, 0o700)
	}
	if err == nil {
		err = plainfile.Replace(file, append(text, '\n'))
	}
	return err
}

// queued is a message that waits, with the files that go with it.
type queued struct {
	api.Queued `json:"queued"`
	Message    `json:"message"`
}

// shownQueue returns the messages as clients see them.
func shownQueue(list []queued) (all []api.Queued) {
	for _, q := range list {
		all = append(all, q.Queued)
	}
	return all
}

// keepQueueLocked keeps the messages that wait, for a server that is started again; l.mu is held.
func (l *live) keepQueueLocked() {
	if err := l.of.queues.Put(l.id, l.queue); err != nil {
		l.of.log.Error("the queue of a session cannot be kept", "session", l.id, "error", err)
	}
}

// sendKept sends what waited when the server before ended, in sessions with nothing to continue. In the others it waits until a
// person continues them or answers.
func (s *allSessions) sendKept() {
	for _, id := range s.queues.Sessions() {
		r, err := s.past.Root(id)
		w := s.workspaces.of(r.Dir)
		if err != nil || w == nil {
			continue // of another directory: it waits
		}
		l, err := s.resume(s.ctx, w, id)
		if err != nil {
			s.log.Warn("messages that wait for a session are not sent", "session", id, "error", err)
			continue
		}
		l.mu.Lock()
		if !l.closed && l.cancel == nil && !l.s.Waiting() && s.ctx.Err() == nil {
			l.startLocked(nil)
		}
		l.mu.Unlock()
	}
}
