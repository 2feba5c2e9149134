package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"

	"rein/internal/plainfile"
)

// Dirs are the places where rein keeps things, outside of the workspace. REIN_HOME puts all of them below one
// directory; else the XDG variables and their defaults hold, on every system.
type Dirs struct {
	Config   string // settings.json
	Sessions string // a directory for each session
	Output   string // spilled outputs
	Private  string // what programs in the sandbox keep: a directory for each workspace
	State    string // logs, what was remembered

	Worktrees string // copies of workspaces, for sub-agents
}

// DefaultDirs returns the directories of this user: those below REIN_HOME where it is set, else the usual ones of the system.
func DefaultDirs() Dirs {
	if home := os.Getenv("REIN_HOME"); home != "" {
		if abs, err := filepath.Abs(home); err == nil {
			home = abs
		}
		return Dirs{
			Config:   filepath.Join(home, "config"),
			Sessions: filepath.Join(home, "sessions"),
			Output:   filepath.Join(home, "output"),
			Private:  filepath.Join(home, "private"),
			State:    filepath.Join(home, "state"),

			Worktrees: filepath.Join(home, "worktrees"),
		}
	}
	return Dirs{
		Config:   xdg("XDG_CONFIG_HOME", ".config"),
		Sessions: filepath.Join(xdg("XDG_DATA_HOME", ".local/share"), "sessions"),
		Output:   filepath.Join(xdg("XDG_CACHE_HOME", ".cache"), "output"),
		Private:  filepath.Join(xdg("XDG_CACHE_HOME", ".cache"), "private"),
		State:    xdg("XDG_STATE_HOME", ".local/state"),

		Worktrees: filepath.Join(xdg("XDG_CACHE_HOME", ".cache"), "worktrees"),
	}
}

func xdg(variable, below string) string {
	if dir := os.Getenv(variable); filepath.IsAbs(dir) {
		return filepath.Join(dir, "rein")
	}
	return filepath.Join(HomeDir(), below, "rein")
}

// HomeDir is the user's home: HOME's, else the one of the system's list of users. Never a directory where others may
// put settings for us, as the one for temporary files is; one that is not there makes the journal say what is missing.
func HomeDir() string {
	if home, err := os.UserHomeDir(); err == nil {
		return home
	}
	if u, err := user.Current(); err == nil && filepath.IsAbs(u.HomeDir) {
		return u.HomeDir
	}
	return filepath.FromSlash("/nonexistent")
}

// UnderHome spells out what begins with "~/".
func UnderHome(name string) string {
	if name == "~" {
		return HomeDir()
	}
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		return filepath.Join(HomeDir(), rest)
	}
	return name
}

// Unwritable adds what helps to an error of the directories where rein keeps things.
func Unwritable(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%w (REIN_HOME can name another directory for what rein keeps)", err)
	}
	return err
}

// CheckWorkspace refuses a workspace that is the whole machine, and one that holds a directory of rein's own (own), such as a REIN_HOME
// inside a project. In a home directory they have their usual places, and the sandbox keeps programs from them.
func CheckWorkspace(root string, own []string) error {
	if filepath.Dir(root) == root {
		return fmt.Errorf("the workspace would be the whole machine, %s: go into a directory, or name one with --cwd", root)
	}
	top := root
	if real, err := filepath.EvalSymlinks(root); err == nil {
		top = real
	}
	if lies(HomeDir(), top) {
		return nil
	}
	for _, dir := range own {
		if lies(dir, top) {
			return fmt.Errorf("%s, where rein keeps its own files, lies in the workspace %s: set REIN_HOME to a directory outside it", dir, root)
		}
	}
	return nil
}

// lies reports whether a path is a directory without links or is below it. Links of the path are resolved as far as it is there.
func lies(path, dir string) bool {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return plainfile.IsWithin(dir, path)
}

// IsHome reports whether the workspace is the user's home directory.
func IsHome(root string) bool {
	home, err := os.UserHomeDir()
	if err != nil {
		return false
	}
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real
	}
	return root == home
}
