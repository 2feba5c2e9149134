package harness

import (
	"testing"

	"rein/event"
)

// TestWhoSeesAChangeMayAskForTheMode: a front end that is told of a new mode reads the session at the same time.
func TestWhoSeesAChangeMayAskForTheMode(t *testing.T) {
	h, err := Open(t.Context(), Options{Dir: t.TempDir(), Terms: event.Terms{Sandbox: "off", Mode: "supervised"}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(t.Context())
	var s *Session
	saw := ""
	s, err = h.Start(t.Context(), NewSession{Model: scripted(t, hello), Recorded: func(e event.Event) {
		if e.Kind == event.Changed {
			saw = s.Terms().Mode // with a lock that is held while it is recorded, this waits forever
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetMode("auto"); err != nil || saw == "" || s.Terms().Mode != "auto" {
		t.Errorf("saw %q, then %q: %v", saw, s.Terms().Mode, err)
	}
}
