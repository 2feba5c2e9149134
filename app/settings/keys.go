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

// keysFile is the file with keys that the user entered: an object from the name of an environment variable to its value, or to
// inKeyring. Only the user may read it.
func (d Dirs) keysFile() string { return filepath.Join(d.Config, "keys.json") }

// inKeyring is in the file where the key is in the keyring of the system.
const inKeyring = "(in the keyring of the system)"

// keyService is the service under which the keyring has the keys. Those of another directory of settings are others.
func (d Dirs) keyService() string { return "rein " + d.Config }

// UseKeys sets the environment variables that the file of keys has and that are not set. After it keys are found, masked and kept
// from programs as those of the environment are. Without the file it does nothing. The keyring is asked only for keys that it has;
// it has keyringWait for each.
func (d Dirs) UseKeys() error {
	keys, err := d.keys()
	for name, value := range keys {
		if os.Getenv(name) != "" {
			continue
		}
		if value == inKeyring {
			var problem error
			if value, problem = getKeyring(d.keyService(), name); problem != nil {
				err = errors.Join(err, fmt.Errorf("%s cannot be read: %w", name, problem))
				continue
			}
		}
		err = errors.Join(err, os.Setenv(name, value))
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

// HasKeyring reports why the keyring of the system cannot be asked, or nil.
func HasKeyring() error { return checkKeyring() }

// KeepKeyInKeyring puts a key into the keyring of the system. On an error it is kept nowhere.
func (d Dirs) KeepKeyInKeyring(name, value string) error {
	if err := setKeyring(d.keyService(), name, value); err != nil {
		return err
	}
	_, err := d.keepKey(name, inKeyring)
	return err
}

// KeepKey puts a key into the file and returns the file's name; with "" it takes the key away, also from the keyring.
func (d Dirs) KeepKey(name, value string) (file string, err error) {
	if keys, err := d.keys(); err == nil && keys[name] == inKeyring {
		if err := deleteKeyring(d.keyService(), name); err != nil && !errors.Is(err, errNone) {
			return "", err
		}
	}
	return d.keepKey(name, value)
}

func (d Dirs) keepKey(name, value string) (file string, err error) {
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
