package settings

import (
	"fmt"

	"rein/internal/plainfile"
	"rein/kit/jsonc"
)

// ReadFile reads a regular file of at most plainfile.Most bytes. It waits for no FIFO and no device.
func ReadFile(path string) ([]byte, error) { return plainfile.Read(path) }

// ReadNamed reads a file that the user names on the command line, a pipe too; it does not wait without end: see plainfile.ReadNamed.
func ReadNamed(path string) ([]byte, error) { return plainfile.ReadNamed(path) }

// PlainJSON reads a settings file. Its comments are blanked, so that lines stay where they are.
func PlainJSON(path string) ([]byte, error) {
	text, err := plainfile.Read(path)
	if err != nil {
		return nil, err
	}
	plain, err := jsonc.Standard(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return plain, nil
}
