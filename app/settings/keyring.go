package settings

// The files keyring.go, keys.go and available_*.go keep secrets in the keyring of the user's system: the Secret Service of Linux and BSD desktops, the keychain of
// macOS, the credential manager of Windows.

import (
	"errors"
	"fmt"
	"time"

	"github.com/zalando/go-keyring"
)

// errNone says that the keyring has no such secret.
var errNone = keyring.ErrNotFound

// errSlow says that the keyring did not answer in time: it may wait for its password.
var errSlow = errors.New("the keyring of the system does not answer")

// keyringWait is how long the keyring has: it may ask its user for the password.
const keyringWait = 30 * time.Second

// setKeyring keeps a secret of a service under a name. It replaces the one before.
func setKeyring(service, name, secret string) error {
	_, err := inTime(func() (string, error) { return "", keyring.Set(service, name, secret) })
	return err
}

// getKeyring returns a secret. errNone: there is none.
func getKeyring(service, name string) (string, error) {
	return inTime(func() (string, error) { return keyring.Get(service, name) })
}

// deleteKeyring takes a secret away. errNone: there is none.
func deleteKeyring(service, name string) error {
	_, err := inTime(func() (string, error) { return "", keyring.Delete(service, name) })
	return err
}

// inTime asks the keyring, where there is one. What takes too long is left alone.
func inTime(ask func() (string, error)) (string, error) {
	if err := checkKeyring(); err != nil {
		return "", err
	}
	type answer struct {
		secret string
		err    error
	}
	came := make(chan answer, 1) // so that a late one does not keep its goroutine
	go func() {
		s, err := ask()
		came <- answer{s, err}
	}()
	select {
	case a := <-came:
		if a.err != nil && !errors.Is(a.err, errNone) {
			a.err = fmt.Errorf("the keyring of the system: %w", a.err)
		}
		return a.secret, a.err
	case <-time.After(keyringWait):
		return "", errSlow
	}
}
