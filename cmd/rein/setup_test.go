package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/app/settings"
	"rein/app/tui/full"
	"rein/app/tui/text"
)

// What is chosen could not be written into a settings file that is broken: that is said before the first question.
func TestNothingIsAskedWhereSettingsAreBroken(t *testing.T) {
	for text, want := range map[string]string{"{\"model\"": "this is not JSON", `{"limits": {"message": {"calls": "x"}}}`: "limits.message.calls: expected a whole number"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s := setup{dirs: settings.Dirs{Config: dir}} // it cannot ask: a question would panic
		if err := s.run(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

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
