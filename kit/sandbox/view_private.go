package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// sessionPrefix starts the names of the directories that belong to one session each, in the private directory.
const sessionPrefix = "session-"

// privateDirs are the directories of ours that programs see under other names: caches, which stay with the
// workspace, and the rest, which goes with the session.
type privateDirs struct {
	dir     string // of the workspace
	session string // a directory of this session
	lock    *os.File
	layers  string   // what programs add to caches of the user
	filled  *os.File // the lock of the layers that stay; nil: another session has them, and these go with the session
}

// Tmp is the /tmp of the session's programs.
func (p privateDirs) Tmp() string { return filepath.Join(p.session, "tmp") }

// VarTmp is their /var/tmp.
func (p privateDirs) VarTmp() string { return filepath.Join(p.session, "vartmp") }

// Session is the directory of this session; "" before New.
func (p privateDirs) Session() string { return p.session }

// Closed holds the file and the directory that nobody may open: they are laid over what is masked.
func (p privateDirs) Closed() string { return filepath.Join(p.session, "closed") }

// Cache is what stands for a place of the home directory.
func (p privateDirs) Cache(name string) string { return filepath.Join(p.dir, "home", name) }

// Layer is the directory for what programs add to a place of the home directory; "" where it cannot be made.
func (p privateDirs) Layer(name string) string {
	dir := filepath.Join(p.layers, name)
	if p.layers == "" || errors.Join(os.MkdirAll(filepath.Join(dir, layerUpper), 0o700), os.MkdirAll(filepath.Join(dir, layerWork), 0o700)) != nil {
		return ""
	}
	return dir
}

// A layer has a directory for what was written, and one for the kernel's work.
const layerUpper, layerWork = "upper", "work"

// newPrivate makes the directories. What sessions that died left behind is removed.
func newPrivate(dir string, caches []string) (privateDirs, error) {
	p := privateDirs{dir: dir}
	sweepSessions(dir)
	session, err := os.MkdirTemp(dir, sessionPrefix)
	if err != nil {
		return p, fmt.Errorf("make the sandbox's own directories: %w", err)
	}
	p.session = session
	if p.lock, err = lockDir(session); err != nil {
		return p, fmt.Errorf("make the sandbox's own directories: %w", err)
	}
	p.layers = filepath.Join(dir, "layers") // of one session at a time: two mounts of a layer do not see each other's changes
	if err := os.MkdirAll(p.layers, 0o700); err != nil {
		return p, fmt.Errorf("make the sandbox's own directories: %w", err)
	}
	if p.filled, err = lockDir(p.layers); err != nil {
		p.layers = filepath.Join(session, "layers")
	}
	dirs := []string{p.Tmp(), p.VarTmp(), p.Closed()}
	for _, name := range caches {
		dirs = append(dirs, p.Cache(name))
	}
	for _, name := range dirs {
		if err := os.MkdirAll(name, 0o700); err != nil {
			return p, fmt.Errorf("make the sandbox's own directories: %w", err)
		}
	}
	err = errors.Join(os.WriteFile(filepath.Join(p.Closed(), "file"), nil, 0), os.Mkdir(filepath.Join(p.Closed(), "dir"), 0))
	if err != nil {
		return p, fmt.Errorf("make the sandbox's own directories: %w", err)
	}
	return p, nil
}

// youngest is the age at which a session's directory can be swept: a moment passes before a new one is locked.
const youngest = 10 * time.Second

// sweepSessions removes the directories of sessions that ended without a word: nobody holds their lock.
func sweepSessions(dir string) {
	old, _ := filepath.Glob(filepath.Join(dir, sessionPrefix+"*"))
	for _, session := range old {
		if info, err := os.Lstat(session); err != nil || time.Since(info.ModTime()) < youngest {
			continue
		}
		if lock, err := lockDir(session); err == nil {
			_ = removeAll(session)
			lock.Close()
		}
	}
}

// Close removes what belonged to the session.
func (p privateDirs) Close() error {
	if p.session == "" {
		return nil
	}
	err := removeAll(p.session)
	for _, lock := range []*os.File{p.lock, p.filled} {
		if lock != nil {
			lock.Close()
		}
	}
	return err
}

// removeAll removes a directory with what programs made in it: read-only directories, too, as tools like to make them.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, e os.DirEntry, _ error) error {
		if e != nil && e.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
