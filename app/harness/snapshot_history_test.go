package harness

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"rein/event"
	"rein/kit/undo"
)

// TestSelect reads what a person names, in the history of one session.
func TestSelect(t *testing.T) {
	dir := t.TempDir()
	store, err := undo.Open(filepath.Join(t.TempDir(), "s"), undo.Options{Roots: []string{dir}, MinFree: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	f := &UndoHistory{Store: store, Session: "a", Done: func(event.Event) error { return nil }}
	if _, err := f.Select(t.Context(), "turn"); !errors.Is(err, undo.ErrNothing) {
		t.Errorf("turn, when nothing was done: %v", err)
	}
	for i, c := range []undo.Call{
		{ID: "c1", Session: "a", Message: 10}, {ID: "c2", Session: "a", SubAgent: "20260101-sub", Message: 10}, {ID: "c3", Session: "a", SubAgent: "20260101-sub", Message: 20},
		{ID: "c4", Session: "a", Message: 20}, {ID: "c5", Session: "b", Message: 5},
	} {
		r, err := store.Begin(t.Context(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, c.ID), fmt.Append(nil, i), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := r.End(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{"": "[c4]", "2": "[c3 c4]", "turn": "[c3 c4]", "--turn": "[c3 c4]", "c1": "[c1]", "sub": "[c2 c3]", "20260101-sub": "[c2 c3]"} {
		sel, err := f.Select(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.Plan(t.Context(), sel)
		if err != nil {
			t.Fatal(text, err)
		}
		var got []string
		for _, st := range p.Steps {
			got = append(got, st.Call.ID)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%q selects %v, want %s", text, got, want)
		}
	}
	sel, err := f.Select(t.Context(), "c9")
	if err == nil {
		_, err = f.Plan(t.Context(), sel)
	}
	if !errors.Is(err, undo.ErrNoStep) {
		t.Errorf("a call that is not there: %v", err)
	}
}
