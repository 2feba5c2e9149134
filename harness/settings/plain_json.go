package settings

import (
	"bytes"
	"fmt"

	"rein/internal/plainfile"

	"github.com/tailscale/hujson"
)

// PlainJSON reads a settings file. Its comments are blanked, so that lines stay where they are.
func PlainJSON(path string) ([]byte, error) {
	text, err := plainfile.Read(path)
	if err != nil {
		return nil, err
	}
	plain, err := hujson.Standardize(bytes.Clone(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, noJSON(err))
	}
	return plain, nil
}
