package plainfile

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// Replace writes a file of the user's own, readable by nobody else: it has the old text or the new one at any time, also
// after a crash. Directories that are missing are made.
func Replace(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".rein-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// SyncDir brings the names in a directory to the disk, where the system can.
func SyncDir(dir string) error {
	d, err := os.OpenFile(dir, os.O_RDONLY|noWait, 0)
	if err != nil {
		return err
	}
	err = d.Sync()
	if runtime.GOOS == "windows" || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
