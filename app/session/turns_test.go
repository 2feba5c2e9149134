package session

import (
	"errors"
	"testing"

	"rein/event"
)

// A turn that failed because nothing can be recorded says so by its error, whose kind decides what the user is told.
func TestTheErrorOfATurnKeepsItsKind(t *testing.T) {
	full := errors.New("no space left on device")
	for name, fault := range map[string]error{"the model": nil, "the journal": full} {
		turns := NewTurns(&Turns{ID: "s", Happened: func(event.Event) {}, Joined: func() {}, Fault: func() error { return fault }}, true)
		turns.Came(event.Event{Kind: event.Prompted, Session: "s"})
		turns.Came(event.Event{Kind: event.Stopped, Session: "s", Stop: event.Failed, Text: "it failed"})
		var last error
		for _, err := range turns.Show(t.Context(), nil) {
			last = err
		}
		if last == nil || errors.Is(last, full) != (fault != nil) || fault == nil && last.Error() != "it failed" {
			t.Errorf("%s: %v", name, last)
		}
	}
}
