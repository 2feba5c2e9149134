//go:build !unix || darwin

package keyring

// Available reports why no keyring can be asked, or nil.
func Available() error { return nil }
