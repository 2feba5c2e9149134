package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"rein/internal/plainfile"
)

// keysFile is the file with keys that the user entered: an object from the name of an environment variable to its value. Only the
// user may read it.
func (d Dirs) keysFile() string { return filepath.Join(d.Config, "keys.json") }

// UseKeys sets the environment variables that the file of keys has and that are not set. After it keys are found, masked and kept
// from programs as those of the environment are. Without the file it does nothing.
func (d Dirs) UseKeys() error {
	keys, err := d.keys()
	for name, value := range keys {
		if os.Getenv(name) == "" {
			err = errors.Join(err, os.Setenv(name, value))
		}
	}
	return err
}

func (d Dirs) keys() (keys map[string]string, err error) {
	file := d.keysFile()
	raw, err := plainfile.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}, nil
	}
	if err == nil {
		err = CheckOwner(file)
	}
	if err == nil {
		err = json.Unmarshal(raw, &keys)
	}
	if err != nil {
		return nil, Error{fmt.Errorf("the keys cannot be read: %s: %w", file, err)}
	}
	return keys, nil
}

// KeepKey puts a key into the file and gives the file's name; with "" it takes the key away.
func (d Dirs) KeepKey(name, value string) (file string, err error) {
	keys, err := d.keys()
	if err != nil {
		return "", err
	}
	if keys[name] = value; value == "" {
		delete(keys, name)
	}
	raw, err := json.MarshalIndent(keys, "", "  ")
	if err != nil {
		return "", err
	}
	return d.keysFile(), plainfile.Replace(d.keysFile(), append(raw, '\n'))
}
