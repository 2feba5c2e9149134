package sandbox

import (
	"os"
	"path/filepath"
	"testing"
)

// writeFakeBwrap writes a bwrap that does nothing.
func writeFakeBwrap(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "bwrap")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestBwrapIsNotTakenFromWhereProgramsWrite(t *testing.T) {
	ws, private, outside := t.TempDir(), t.TempDir(), linuxHostDir(t)
	p := backendPolicy{Workspace: ws, Private: private}
	writeFakeBwrap(t, filepath.Join(ws, "bin"))
	writeFakeBwrap(t, filepath.Join(private, "bin"))
	good := writeFakeBwrap(t, filepath.Join(outside, "good"))
	if err := os.Mkdir(filepath.Join(outside, "linked"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(ws, "bin", "bwrap"), filepath.Join(outside, "linked", "bwrap")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "bwrap"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(ws, "bin"))
	for name, row := range map[string]struct {
		dirs []string
		want string
	}{
		"the workspace's is passed over":          {[]string{filepath.Join(ws, "bin"), filepath.Dir(good)}, good},
		"the private directory's, too":            {[]string{filepath.Join(private, "bin"), filepath.Dir(good)}, good},
		"a link into the workspace, too":          {[]string{filepath.Join(outside, "linked"), filepath.Dir(good)}, good},
		"a relative directory is none":            {[]string{".", "", filepath.Dir(good)}, good},
		"one that nobody may run is none":         {[]string{outside, filepath.Dir(good)}, good},
		"there is only one in the workspace":      {[]string{filepath.Join(ws, "bin")}, ""},
		"there is none":                           {[]string{filepath.Join(outside, "nothing")}, ""},
		"scratch is everybody's, and passed over": {[]string{"/tmp", "/var/tmp"}, ""},
	} {
		got, err := findBwrap(p, row.dirs)
		if got != row.want || (err == nil) != (row.want != "") {
			t.Errorf("%s: %q, %v; want %q", name, got, err, row.want)
		}
	}
}

// linuxHostDir makes a directory that is not below /tmp, which is the programs' own, wherever the source lies.
func linuxHostDir(t *testing.T) string {
	t.Helper()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip("there is no home directory:", err)
	}
	dir, err := os.MkdirTemp(home, ".rein-test-")
	if err != nil {
		t.Skip("nothing can be made in the home directory:", err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
