package harness

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
)

// maxLog is the size in bytes at which the log starts anew; the previous one is kept beside it.
const maxLog = 8 << 20

// openLog opens the operator's log. When it cannot be written, the program goes on without it and warns.
func (h *Harness) openLog() {
	h.log = slog.New(slog.DiscardHandler)
	f, err := openLogFile(filepath.Join(h.dirs.State, "rein.log"))
	if err != nil {
		h.options.Warn(fmt.Sprintf("no log is written: %v", err))
		return
	}
	h.logFile = f
	h.log = slog.New(slog.NewJSONHandler(h.mask.Each(f), nil))
}

func openLogFile(name string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	if info, err := os.Stat(name); err == nil && info.Size() > maxLog {
		_ = os.Rename(name, name+".1") // when it fails the log only grows
	}
	return os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}
