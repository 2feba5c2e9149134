package settings

import (
	"fmt"
	"io/fs"
	"os"

	"rein/internal/plainfile"
)

// CheckOwner refuses a settings file that somebody else than the user or the system may have written: rules in it could
// allow what they like.
func CheckOwner(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil // reading the file reports this error
	}
	if err := ownedBy(info.Mode(), plainfile.Owner(info), os.Geteuid()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// ownedBy checks the mode and the owner of a file for the one who is to believe it. An owner below 0 is not known.
func ownedBy(mode fs.FileMode, owner, me int) error {
	switch {
	case mode.Perm()&0o002 != 0:
		return fmt.Errorf("anybody may write it, so its rules are not believed; take that away with chmod o-w")
	case owner > 0 && me >= 0 && owner != me:
		return fmt.Errorf("it belongs to user %d, so its rules are not believed; make it your own with chown", owner)
	}
	return nil
}
