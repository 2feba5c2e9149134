package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
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
		if abs, err := filepath.Abs(home); err == nil {
			home = abs
		}
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
	return filepath.Join(homeDir(), below, "rein")
}

// homeDir is the user's home: HOME's, else the one of the system's list of users. Never a directory where others may
// put settings for us, as the one for temporary files is; one that is not there makes the journal say what is missing.
func homeDir() string {
	if home, err := os.UserHomeDir(); err == nil {
		return home
	}
	if u, err := user.Current(); err == nil && filepath.IsAbs(u.HomeDir) {
		return u.HomeDir
	}
	return filepath.FromSlash("/nonexistent")
}

// underHome spells out what begins with "~/".
func underHome(name string) string {
	if name == "~" {
		return homeDir()
	}
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		return filepath.Join(homeDir(), rest)
	}
	return name
}

// unwritable adds what helps to an error of the directories where rein keeps things.
func unwritable(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%w (REIN_HOME can name another directory for what rein keeps)", err)
	}
	return err
}
