//go:build !linux && !darwin

package sandbox

// candidates are the backends of this system.
func candidates(Policy) []candidate { return []candidate{{BackendNone, openNone}} }
