package harness

import (
	"os"
	"path/filepath"
)

// openLog opens a log to append to; only the user may read it. A log above most bytes starts again, and the previous one is kept beside
// it as name.1.
func openLog(name string, most int64) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	if info, err := os.Stat(name); err == nil && info.Size() > most {
		_ = os.Rename(name, name+".1") // when it fails the log only grows
	}
	return os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}
