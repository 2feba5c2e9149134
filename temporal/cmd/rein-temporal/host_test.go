package main

import (
	"os"
	"path/filepath"
	"testing"

	"rein/guard"
)

// TestAHostWarns: what the user does not trust, and what the settings have that is not known, is said once, whether they name a sandbox or not.
func TestAHostWarns(t *testing.T) {
	for name, text := range map[string]string{"no sandbox is named": `{"unknown": 1}`, "one is": `{"unknown": 1, "sandbox": "auto"}`} {
		t.Run(name, func(t *testing.T) {
			home, dir, store := t.TempDir(), t.TempDir(), t.TempDir()
			t.Setenv("REIN_HOME", home)
			for file, text := range map[string]string{filepath.Join(home, "config", "settings.json"): text, filepath.Join(dir, "AGENTS.md"): "Be brief."} {
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var said []string
			warn := func(line string) { said = append(said, line) }
			h, err := hosting{store: store, loosest: guard.Supervised, metrics: counting(t), warn: warn}.open(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			h.close()
			if len(said) != 2 {
				t.Errorf("said %q", said)
			}
		})
	}
}
