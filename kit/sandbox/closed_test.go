package sandbox

import (
	"errors"
	"testing"
)

func TestAClosedBoxStartsNothing(t *testing.T) {
	for name, before := range map[string]func(*Box){"new": func(*Box) {}, "prepared": func(b *Box) { b.Prepare(t.Context()) }} {
		b, err := New(Policy{Workspace: t.TempDir(), Mode: Off, Private: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		before(b)
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if _, err := b.Start(t.Context(), Spec{Argv: []string{"true"}}); !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
