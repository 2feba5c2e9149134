package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"
	"time"

	"rein/event"
	"rein/tool"
)

// open opens the database that REIN_TEMPORAL_POSTGRES names. Each test has sessions of its own in it.
func open(t *testing.T) (s *Store, session string) {
	t.Helper()
	address := os.Getenv("REIN_TEMPORAL_POSTGRES")
	if address == "" {
		t.Skip("REIN_TEMPORAL_POSTGRES names no database")
	}
	s, err := Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, fmt.Sprintf("s%d", time.Now().UnixNano())
}

func called(id string) event.Event {
	return event.Event{Kind: event.Called, Call: &tool.Call{ID: id, Name: "read", Args: []byte(`{"path":"a\u0000b"}`)}}
}

func ids(t *testing.T, s *Store, session string, after int64) (all string) {
	t.Helper()
	for e, err := range s.Events(t.Context(), session, after) {
		if err != nil {
			t.Fatal(err)
		}
		all += fmt.Sprint(e.Seq, e.Call.ID, " ")
	}
	return all
}

func TestEvents(t *testing.T) {
	s, id := open(t)
	for _, err := range s.Events(t.Context(), id, 0) {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a session that is not there: %v", err)
		}
	}
	log, err := s.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	given := []event.Event{called("a"), called("b")}
	if err := log.Append(given...); err != nil || given[1].Seq != 2 || given[0].Format != event.Format {
		t.Fatalf("%v, %+v", err, given)
	}
	if got := ids(t, s, id, 1); got != "2b " {
		t.Errorf("got %s", got)
	}
	late, err := s.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for range late.Past() {
		n++
	}
	if err := late.Append(called("c")); err != nil || n != 2 {
		t.Errorf("%v, %d events before", err, n)
	}
	if err := log.Append(called("d")); !errors.Is(err, ErrMoved) {
		t.Errorf("a step that is lost appends: %v", err)
	}
	if err := log.Append(called("e")); !errors.Is(err, ErrMoved) {
		t.Errorf("the error does not stay: %v", err)
	}
	if got := ids(t, s, id, 0); got != "1a 2b 3c " {
		t.Errorf("got %s", got)
	}
	late.Close()
	if err := late.Append(called("f")); err == nil {
		t.Error("a closed journal takes events")
	}
}

func TestFollow(t *testing.T) {
	s, id := open(t)
	log, err := s.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	go func() {
		for _, name := range []string{"a", "b", "c"} {
			_ = log.Append(called(name))
			time.Sleep(20 * time.Millisecond)
		}
	}()
	began, seen := time.Now(), ""
	for e, err := range s.Follow(ctx, id, 1) {
		if err != nil {
			t.Fatal(err)
		}
		if seen += e.Call.ID; seen == "bc" {
			break
		}
	}
	if seen != "bc" || time.Since(began) > longestWait {
		t.Errorf("saw %q in %v", seen, time.Since(began))
	}
}

func TestData(t *testing.T) {
	s, id := open(t)
	if _, err := s.Get(t.Context(), id, "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if err := errors.Join(s.Put(t.Context(), id, "x", []byte("one")), s.Put(t.Context(), id, "x", []byte("two"))); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(t.Context(), id, "x"); string(got) != "one" || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}
