// Package keyring keeps secrets in the keyring of the user's system: the Secret Service of Linux and BSD desktops, the keychain of
// macOS, the credential manager of Windows.
package keyring

import (
	"errors"
	"fmt"
	"time"

	"github.com/zalando/go-keyring"
)

// ErrNone says that the keyring has no such secret.
var ErrNone = keyring.ErrNotFound

// errSlow says that the keyring did not answer in time: it may wait for its password.
var errSlow = errors.New("the keyring of the system does not answer")

// Wait is how long the keyring has: it may ask its user for the password.
const Wait = 30 * time.Second

// Set keeps a secret of a service under a name. It replaces the one before.
func Set(service, name, secret string) error {
	_, err := inTime(func() (string, error) { return "", keyring.Set(service, name, secret) })
	return err
}

// Get returns a secret. ErrNone: there is none.
func Get(service, name string) (string, error) {
	return inTime(func() (string, error) { return keyring.Get(service, name) })
}

// Delete takes a secret away. ErrNone: there is none.
func Delete(service, name string) error {
	_, err := inTime(func() (string, error) { return "", keyring.Delete(service, name) })
	return err
}

// inTime asks the keyring, where there is one. What takes too long is left alone.
func inTime(ask func() (string, error)) (string, error) {
	if err := Available(); err != nil {
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
		if a.err != nil && !errors.Is(a.err, ErrNone) {
			a.err = fmt.Errorf("the keyring of the system: %w", a.err)
		}
		return a.secret, a.err
	case <-time.After(Wait):
		return "", errSlow
	}
}
