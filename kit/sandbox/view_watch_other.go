//go:build !linux

package sandbox

// newWatcher returns a watcher that reports nothing.
func newWatcher() watcher { return noWatcher{} }
