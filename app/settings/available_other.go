//go:build !unix || darwin

package settings

// checkKeyring reports why no keyring can be asked, or nil.
func checkKeyring() error { return nil }
