package plainfile

import (
	"io/fs"
	"os"
	"strings"
)

// In is a directory whose files are read without ever leaving it, also not through links.
type In struct{ root *os.Root }

// OpenIn opens a directory. Close it at the end.
func OpenIn(dir string) (In, error) {
	info, err := os.Stat(dir) // opening a pipe would wait
	if err == nil && !info.IsDir() {
		err = &os.PathError{Op: "open", Path: dir, Err: ErrNotPlain}
	}
	if err != nil {
		return In{}, err
	}
	root, err := os.OpenRoot(dir)
	return In{root}, err
}

// Read reads a regular file of at most Most bytes, by its path in the directory.
func (in In) Read(name string) ([]byte, error) { return in.ReadUpTo(name, Most) }

// ReadUpTo reads a regular file of at most that many bytes, by its path in the directory.
func (in In) ReadUpTo(name string, most int64) ([]byte, error) {
	f, err := in.root.OpenFile(name, os.O_RDONLY|noWait, 0)
	f, err = regular(f, name, err)
	return readAll(f, name, most, err)
}

// FS returns the directory for listing and for patterns.
func (in In) FS() fs.FS { return in.root.FS() }

// Close closes the directory.
func (in In) Close() error { return in.root.Close() }

// Below returns the paths of the files below the directory with an ending, with slashes, in their order; at most most. What
// cannot be read is left out.
func (in In) Below(ending string, most int) (names []string) {
	_ = fs.WalkDir(in.root.FS(), ".", func(name string, e fs.DirEntry, err error) error { // the function gives no other error
		if len(names) == most {
			return fs.SkipAll
		}
		if err == nil && !e.IsDir() && strings.HasSuffix(name, ending) {
			names = append(names, name)
		}
		return nil
	})
	return names
}
