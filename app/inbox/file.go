package inbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"rein/internal/plainfile"
)

// createWhole makes a file with its content in one step; it fails with fs.ErrExist where there is one. The file is on disk when it
// returns, also after a loss of power.
func createWhole(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".answer-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	err = os.Link(f.Name(), path)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = createAndWrite(path, text) // a file system without links
	}
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	return errors.Join(plainfile.SyncDir(dir), plainfile.SyncDir(filepath.Dir(dir)))
}

func createAndWrite(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}
