package tools

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ZoneFile is the path of a file that keeps the user's time zone, by its name. It is a Zone.
type ZoneFile string

// Get returns the time zone; the system's where none is set.
func (f ZoneFile) Get() *time.Location {
	text, err := os.ReadFile(string(f))
	if name := strings.TrimSpace(string(text)); err == nil && name != "" {
		if at, err := loadZone(name); err == nil {
			return at
		}
	}
	return time.Local
}

// Set stores the name of a time zone; "" is the system's.
func (f ZoneFile) Set(name string) error {
	if err := os.MkdirAll(filepath.Dir(string(f)), 0o700); err != nil {
		return err
	}
	return os.WriteFile(string(f), []byte(name+"\n"), 0o600)
}
