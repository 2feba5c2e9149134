package sandbox

import (
	"errors"
	"slices"
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

// TestLeftOpen: only backends that close no single file leave files of secrets open, and only those that the policy closes.
func TestLeftOpen(t *testing.T) {
	names := func() []string { return []string{".env", "sub/.netrc", "server.pem", ".env.example"} }
	for _, backend := range backends() {
		closes := backend != BackendNone && backend != BackendLandlock
		for envFiles, want := range map[bool][]string{false: {".env", "sub/.netrc"}, true: {"sub/.netrc"}} {
			if closes {
				want = nil
			}
			box := onBackend(t, Policy{Workspace: t.TempDir(), EnvFiles: envFiles}, backend)
			if got := box.LeftOpen(t.Context(), names); !slices.Equal(got, want) {
				t.Errorf("%v, .env files allowed: %v: left open %q, want %q", backend, envFiles, got, want)
			}
		}
	}
}
