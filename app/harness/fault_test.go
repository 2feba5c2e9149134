package harness

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"rein/event"
	"rein/journal"
)

// fullJournal can be written no more.
type fullJournal struct{ Journal }

func (fullJournal) Append(...event.Event) error {
	return fmt.Errorf("%w: no space left on device", journal.ErrFailed)
}

// A session that cannot be recorded any more says so to those who saw its turn fail by an event only.
func TestASessionKnowsThatItCannotBeRecorded(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	h, err := Open(t.Context(), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close(context.Background()) })
	s, err := h.Start(t.Context(), NewSession{Model: scripted(t, "turns: [{text: hello, repeat: 9}]"), Keeps: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range s.Send(t.Context(), Message("go")...) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Fault(); err != nil || Unsent(s) {
		t.Fatal(err, "or the message that was recorded is said to be kept")
	}
	s.record.journal.Journal = fullJournal{s.record.journal.Journal}
	var last error
	for _, err := range s.Send(t.Context(), Message("and now")...) {
		last = err
	}
	if !MustReopen(last) || !errors.Is(s.Fault(), journal.ErrFailed) {
		t.Errorf("the turn ended with %v, the session says %v", last, s.Fault())
	}
	if !Unsent(s) {
		t.Error("who opens the session again sends the message, and it is not said to be kept")
	}
}
