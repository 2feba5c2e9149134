package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"rein/app/settings"
	"rein/app/tui/full"
	"rein/app/tui/text"
)

// Esc at the last step goes back, as the screen says: neither the model nor the key is written down.
func TestBackFromTheLastStepWritesNothing(t *testing.T) {
	out, err := os.Create(filepath.Join(t.TempDir(), "screen"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	in, keys := io.Pipe()
	defer keys.Close()
	go func() { _, _ = keys.Write([]byte("\x1b")) }()
	dir := t.TempDir()
	s := setup{Asker: full.Asker{In: in, Out: out, Theme: text.UnknownTheme(text.NoColour)}, dirs: settings.Dirs{Config: dir}}
	s.key.name, s.key.value = "ANTHROPIC_API_KEY", "sk-test"
	if err := s.finish(t.Context(), "anthropic/x"); !errors.Is(err, full.ErrBack) {
		t.Error(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("%v, %v", files, err)
	}
}
