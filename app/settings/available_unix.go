//go:build unix && !darwin

package settings

import (
	"errors"
	"os"
	"path/filepath"
)

// checkKeyring reports why no keyring can be asked, or nil. Without the bus of a desktop session there is none: the library would start a
// bus of its own, which nobody ends.
func checkKeyring() error {
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return nil
	}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		if _, err := os.Stat(filepath.Join(dir, "bus")); err == nil {
			return nil
		}
	}
	return errors.New("there is no desktop session, so no keyring of the system")
}
