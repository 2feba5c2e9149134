package main

import (
	"os"
	"path/filepath"
)

// dirs are the places where rein keeps things, outside of the workspace. REIN_HOME puts all of them below one
// directory; else the XDG variables and their defaults hold, on every system.
type dirs struct {
	config   string // settings.json
	sessions string // a directory for each session
	output   string // spilled outputs
	private  string // what programs in the sandbox keep: a directory for each workspace
	state    string // logs, what was remembered
}

func newDirs() dirs {
	if home := os.Getenv("REIN_HOME"); home != "" {
		return dirs{
			config:   filepath.Join(home, "config"),
			sessions: filepath.Join(home, "sessions"),
			output:   filepath.Join(home, "output"),
			private:  filepath.Join(home, "private"),
			state:    filepath.Join(home, "state"),
		}
	}
	return dirs{
		config:   xdg("XDG_CONFIG_HOME", ".config"),
		sessions: filepath.Join(xdg("XDG_DATA_HOME", ".local/share"), "sessions"),
		output:   filepath.Join(xdg("XDG_CACHE_HOME", ".cache"), "output"),
		private:  filepath.Join(xdg("XDG_CACHE_HOME", ".cache"), "private"),
		state:    xdg("XDG_STATE_HOME", ".local/state"),
	}
}

func xdg(variable, below string) string {
	if dir := os.Getenv(variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, "rein")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = os.TempDir()
	}
	return filepath.Join(home, below, "rein")
}
