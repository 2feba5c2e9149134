//go:build !linux

package disk

import "errors"

// Watch hears what happens in directories. This system has none.
type Watch struct{}

// NewWatch fails.
func NewWatch() (*Watch, error) { return nil, errors.ErrUnsupported }

// Add does nothing.
func (*Watch) Add(*Dir, Stat) {}

// Quiet reports that it does not know.
func (*Watch) Quiet() (quiet, whole bool) { return false, false }

// Full reports that nothing can be watched.
func (*Watch) Full() bool { return true }

// Close does nothing.
func (*Watch) Close() {}
