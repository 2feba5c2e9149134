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
