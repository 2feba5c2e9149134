//go:build !linux && !darwin

package sandbox

// candidates are the backends of this system.
func candidates() []candidate { return []candidate{{BackendNone, openNone}} }
