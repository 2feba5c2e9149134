//go:build !unix || darwin

package settings

// keyringAvailable reports why no keyring can be asked, or nil.
func keyringAvailable() error { return nil }
