package extend

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"

	"rein/internal/plainfile"
)

// Sums returns files with the hash of their content: one line each, as a journal records them and Unchanged checks them. A file that cannot be read is left out: to read it fails later.
func Sums(files []string) (all []string) {
	for _, file := range files {
		text, err := plainfile.Read(file)
		if full, wrong := filepath.Abs(file); err == nil && wrong == nil {
			all = append(all, fmt.Sprintf("%x %s", sha256.Sum256(text), full))
		}
	}
	return all
}

// Unchanged returns the files of lines of Sums that still have the same content, and those that were changed or are gone: what is in them
// now was not named by the user.
func Unchanged(recorded []string) (same, changed []string) {
	for _, line := range recorded {
		_, file, _ := strings.Cut(line, " ")
		if now := Sums([]string{file}); len(now) == 1 && now[0] == line {
			same = append(same, file)
		} else {
			changed = append(changed, file)
		}
	}
	return same, changed
}
