//go:build !linux

package harness

const ownsLoopback = false

// isListening is only asked where programs have a network of their own.
func isListening(uint16) bool { return false }
