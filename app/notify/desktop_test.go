package notify

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// program writes a shell script as a program of the system.
func program(t *testing.T, dir, name, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestProgramsOfTheScreen(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"grim", "scrot", "import", "screencapture"} {
		program(t, dir, name, "true")
	}
	for _, c := range []struct{ system, name, want, why string }{
		{"linux", "WAYLAND_DISPLAY", "grim", ""}, {"linux", "DISPLAY", "scrot", ""}, {"linux", "", "", "no desktop"}, {"darwin", "", "screencapture", ""}, {"windows", "", "", "Windows"},
	} {
		s, why := findScreen(c.system, func(name string) string { return map[string]string{c.name: ":0"}[name] }, []string{"/nonexistent", dir})
		switch {
		case s == nil:
			if c.want != "" || !strings.Contains(why, c.why) {
				t.Errorf("%+v: %s", c, why)
			}
		case filepath.Base(s.program.Path) != c.want:
			t.Errorf("%+v: %s", c, s.program.Path)
		}
	}
	if s, why := findScreen("linux", func(string) string { return ":0" }, nil); s != nil || !strings.Contains(why, "grim is not installed") {
		t.Error(why)
	}
}

func TestAPictureOfTheScreen(t *testing.T) {
	dir := t.TempDir()
	program(t, dir, "scrot", `test "$1" = --overwrite && test -z "$SECRET" && printf picture > "$2"`)
	env := func(name string) string {
		return map[string]string{"DISPLAY": ":0", "SECRET": "x", "PATH": os.Getenv("PATH"), "TMPDIR": dir}[name]
	}
	s, why := findScreen("linux", env, []string{dir})
	if s == nil {
		t.Fatal(why)
	}
	if data, err := s.Take(t.Context()); err != nil || string(data) != "picture" {
		t.Errorf("%q, %v", data, err)
	}
	program(t, dir, "scrot", "echo cannot open display >&2; exit 1")
	if _, err := s.Take(t.Context()); err == nil || !strings.Contains(err.Error(), "cannot open display") {
		t.Error(err)
	}
}
