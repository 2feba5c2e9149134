// Package plainfile reads small files that may have come with a cloned repository: settings, git's links. A pipe or a
// device in such a place must not hold the reader up, nor an endless one fill its memory.
package plainfile

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// Most is how many bytes a file may have that Read reads.
const Most = 1 << 20

// ErrNotPlain means that there is something else than a regular file: a directory, a pipe, a device.
var ErrNotPlain = errors.New("not a regular file")

// Open opens a regular file for reading; links are followed. It never waits.
func Open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|noWait, 0)
	return regular(f, path, err)
}

// Append opens a regular file for appending, and makes it, for the user alone, where there is none. It never waits.
func Append(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|noWait, 0o600)
	return regular(f, path, err)
}

// Read reads a regular file of at most Most bytes. The error names the file.
func Read(path string) ([]byte, error) { return ReadUpTo(path, Most) }

// ReadUpTo is Read with another limit.
func ReadUpTo(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	return readAll(f, path, most, err)
}

// regular closes what was opened and is no regular file.
func regular(f *os.File, path string, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "read", Path: path, Err: ErrNotPlain}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// readAll reads an open file and closes it.
func readAll(f *os.File, path string, most int64, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = &os.PathError{Op: "read", Path: path, Err: fmt.Errorf("longer than %d bytes", most)}
	}
	if err != nil {
		return nil, err
	}
	return text, nil
}
