package server

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestListsSurviveARestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "queues")
	open := func() (*queueStore[string], []string) {
		s, faults, err := openQueue[string](dir)
		if err != nil {
			t.Fatal(err)
		}
		return s, faults
	}
	put := func(s *queueStore[string], id string, list ...string) {
		t.Helper()
		if err := s.Put(id, list); err != nil {
			t.Fatal(err)
		}
	}
	s, _ := open()
	put(s, "b", "one", "two")
	put(s, "a", "three")
	put(s, "c", "four")
	put(s, "c")
	put(s, "never")
	if err := os.WriteFile(filepath.Join(dir, "broken.json"), []byte("["), 0o600); err != nil {
		t.Fatal(err)
	}
	s, faults := open()
	if got := s.Sessions(); !slices.Equal(got, []string{"a", "b"}) || !slices.Equal(s.Get("b"), []string{"one", "two"}) || len(faults) != 1 {
		t.Error(got, s.Get("b"), faults)
	}
}
