package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"rein/app/harness"
)

// Who leaves without a message leaves no session behind; one with a message or a name stays.
func TestAChatWithoutAMessageLeavesNoSession(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	file := filepath.Join(t.TempDir(), "script.yaml")
	if err := os.WriteFile(file, []byte("turns: [{text: hello}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := harness.Open(t.Context(), harness.Options{Dir: t.TempDir(), Terms: harness.Terms{Model: "script/" + file}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close(context.Background()) })
	for _, row := range []struct {
		message, name string
		open, stays   bool
	}{{}, {message: "hello", stays: true}, {name: "mine", stays: true}, {open: true, stays: true}} {
		s, err := h.Start(t.Context(), harness.NewSession{})
		if err != nil {
			t.Fatal(err)
		}
		if row.message != "" {
			for _, err := range s.Send(t.Context(), harness.Message(row.message)...) {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		if row.name != "" {
			if err := h.Store().SetName(s.ID(), row.name); err != nil {
				t.Fatal(err)
			}
		}
		if !row.open {
			if err := s.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		deleteEmpty(h.Store(), s.ID())
		if _, err := h.Store().Get(s.ID()); (err == nil) != row.stays {
			t.Errorf("%+v: %v", row, err)
		}
		if row.open {
			_ = s.Close(context.Background())
		}
	}
}
