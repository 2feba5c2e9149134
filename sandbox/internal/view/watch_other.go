//go:build !linux

package view

// newWatcher returns a watcher that reports nothing.
func newWatcher() watcher { return noWatcher{} }
