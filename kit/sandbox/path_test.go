//go:build unix

package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestBareNamesAreNotOfTheWorkspace holds the shell inside and our own look-up to one rule: a program of the workspace is
// found by its bare name only where the user's PATH names its directory in full.
func TestBareNamesAreNotOfTheWorkspace(t *testing.T) {
	ws := t.TempDir()
	for _, name := range []string{"true", "ownprogram", "bin/ownprogram"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(ws, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(ws, name), []byte("#!/bin/sh\necho workspace\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, row := range map[string]struct{ plain, own string }{
		".:/usr/bin:/bin":                   {"", ""},
		":/usr/bin:/bin":                    {"", ""},
		"/usr/bin:/bin::.":                  {"", ""},
		"bin:./bin:/usr/bin:/bin":           {"", ""},
		ws + "/bin:/usr/bin:/bin":           {"", "workspace\n"},
		ws + ":/usr/bin:/bin":               {"workspace\n", "workspace\n"},
		"/usr/bin:/bin:" + ws + "/bin":      {"", "workspace\n"},
		"../" + filepath.Base(ws) + ":/bin": {"", ""},
	} {
		box := None{Dir: ws, Parent: []string{"PATH=" + path}}
		for name, want := range map[string]string{"true": row.plain, "ownprogram": row.own} {
			var direct, shelled bytes.Buffer
			_, err := Run(t.Context(), box, Spec{Argv: []string{name}}, &direct, time.Minute)
			if direct.String() != want || (err != nil) != (want == "" && name == "ownprogram") {
				t.Errorf("PATH=%s %s: %q, %v; want %q", path, name, direct.String(), err, want)
			}
			if _, err := Run(t.Context(), box, shell("env "+name+" 2>/dev/null"), &shelled, time.Minute); err != nil || shelled.String() != want {
				t.Errorf("PATH=%s env %s: %q, %v; want %q", path, name, shelled.String(), err, want)
			}
		}
	}
}
