package plainfile

import (
	"errors"
	"io/fs"
	"os"
)

// MostNamed is how many bytes a file may have that ReadNamed reads.
const MostNamed = 64 << 20

// ReadNamed reads a file that the user names on the command line, at most MostNamed bytes: a regular file, or a pipe, such as that of
// the shell's <(...). It never waits for a program that opens the other end. The error names the file.
func ReadNamed(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, err
	}
	text, err := readAll(f, path, MostNamed, nil)
	if info, statErr := os.Stat(path); err == nil && len(text) == 0 && statErr == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		err = &os.PathError{Op: "read", Path: path, Err: errors.New("it is a pipe, and nothing came from it")}
	}
	return text, err
}
