package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestKeysAreListedWithTheSettings(t *testing.T) {
	home := t.TempDir()
	t.Setenv("REIN_HOME", home)
	t.Chdir(t.TempDir())
	if err := os.MkdirAll(filepath.Join(home, "config"), 0o700); err != nil {
		t.Fatal(err)
	}
	runs := func(settings string, args ...string) (string, error) {
		if err := os.WriteFile(filepath.Join(home, "config", "settings.json"), []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		cmd := newKeys()
		cmd.SetOut(&out)
		cmd.SetErr(&out)
		cmd.SetArgs(args)
		err := cmd.Execute()
		return out.String(), err
	}
	own := `{"terminal": {"keys": {"open": "ctrl+k o", "redraw": ""}}}`
	if out, err := runs(own); err != nil || !strings.Contains(out, "open              Ctrl+K O ") || !strings.Contains(out, "redraw            - ") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := runs(own, "--json"); err != nil || !strings.Contains(out, `{"action":"open","keys":["ctrl+k o"],"help":`) {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := runs(`{"terminal": {"keys": {"fly": "f1"}}}`); err == nil || !strings.Contains(err.Error(), "fly") {
		t.Errorf("an action that does not exist: %v", err)
	}
	if _, err := runs(`{}`, "--press"); err == nil {
		t.Error("--press works without a terminal")
	}
}
