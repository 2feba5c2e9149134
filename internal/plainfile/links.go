package plainfile

import (
	"os"
	"path/filepath"
)

// IsWithin reports whether a path is a directory or below it, by their names.
func IsWithin(dir, path string) bool {
	rest, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rest)
}

// WithoutLinks follows the links of a path. What does not exist yet is looked up by what is above it.
func WithoutLinks(name string) string {
	rest := ""
	for dir, links := name, 0; ; {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		if target, err := os.Readlink(dir); err == nil && links < 40 { // to what does not exist
			links++
			if !filepath.IsAbs(target) {
				target = filepath.Join(filepath.Dir(dir), target)
			}
			dir = filepath.Clean(target)
			continue
		}
		if dir == filepath.Dir(dir) {
			return name
		}
		dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest)
	}
}
