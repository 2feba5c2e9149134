package harness

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/agent"
	"rein/event"
)

// The user may change the mode at any time; a session that is resumed keeps it, and only the user's change loosens it.
func TestTheUserChangesTheMode(t *testing.T) {
	h, err := openWith(t, `{"mode":"read-only"}`)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.Background())
	s, err := h.Start(t.Context(), NewSession{Model: scripted(t, `turns:
  - calls: [{name: write_file, args: {path: a.txt, content: x}}]
  - expect: {contains: the mode is read-only}
    text: no
  - expect: {contains: The user changed the mode to full}
    calls: [{name: write_file, args: {path: a.txt, content: x}}]
  - text: yes
`)})
	if err != nil {
		t.Fatal(err)
	}
	say(t, s, "write")
	if err := s.SetMode("wild"); err == nil {
		t.Error("a mode that does not exist was taken")
	}
	if err := s.SetMode("full"); err != nil {
		t.Fatal(err)
	}
	if last := say(t, s, "now"); last.Stop != event.Done || last.Text != "yes" {
		t.Fatal(last)
	}
	if _, err := os.Stat(filepath.Join(h.Root(), "a.txt")); err != nil {
		t.Error(err)
	}
	if err := s.SetMode("plan"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, err := h.Resume(t.Context(), s.ID(), NewSession{Model: scripted(t, hello)})
	if err != nil {
		t.Fatal(err)
	}
	if mode := again.How().Mode; mode != "plan" {
		t.Errorf("resumed in the mode %s", mode)
	}
}

func TestTheUserChangesTheModel(t *testing.T) {
	h, err := openWith(t, `{}`)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(context.Background())
	s, err := h.Start(t.Context(), NewSession{Model: scripted(t, hello)})
	if err != nil {
		t.Fatal(err)
	}
	say(t, s, "hi")
	other := filepath.Join(t.TempDir(), "other.yaml")
	if err := os.WriteFile(other, []byte("turns: [{text: never}, {text: I am another.}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.SetModel(t.Context(), "nobody/nothing"); err == nil {
		t.Error("a model that does not exist was taken")
	}
	if err := s.SetModel(t.Context(), "script/"+other); err != nil {
		t.Fatal(err)
	}
	if last := say(t, s, "who?"); last.Text != "I am another." {
		t.Error(last)
	}
	if got := s.How().Model; !strings.HasPrefix(got, "script/") {
		t.Errorf("the session says that its model is %q", got)
	}
	if err := s.Steer(Message("late")...); !errors.Is(err, agent.ErrIdle) {
		t.Error(err)
	}
}
