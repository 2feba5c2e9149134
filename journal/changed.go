package journal

import (
	"os"
	"path/filepath"
)

// An index over the journals must not look at each of them to find the few that changed. So Open leaves an empty file
// with the session's id in ChangedDir. The directory is there only where an index was made.

// IndexDir returns the directory of the index below the directory of all sessions. Its name is no id of a session.
func IndexDir(root string) string { return filepath.Join(root, ".index") }

// ChangedDir returns the directory that has a file for each session that was opened since the index has read it.
func ChangedDir(root string) string { return filepath.Join(IndexDir(root), "changed") }

// MarkChanged leaves the mark of the session in dir, for an index to read it again. A session runs without it too: the index is then out of date until it is rebuilt.
func MarkChanged(dir string) {
	root, id := filepath.Split(filepath.Clean(dir))
	if !idPattern().MatchString(id) {
		return
	}
	if f, err := os.OpenFile(filepath.Join(ChangedDir(root), id), os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		f.Close()
	}
}
