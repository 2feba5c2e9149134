//go:build !unix

package sandbox

import (
	"os"
	"path/filepath"
)

// lockDir makes the lock of a session's directory. Here an open file cannot be removed, which is lock enough.
func lockDir(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
}
