//go:build !linux

package disk

import "errors"

// Watch hears what happens in directories. This system has none.
type Watch struct{}

// NewWatch fails.
func NewWatch() (*Watch, error) { return nil, errors.ErrUnsupported }

// Add does nothing.
func (*Watch) Add(*Dir, Stat) {}

// Has reports that nothing is watched.
func (*Watch) Has(ID) bool { return false }

// Heard reports that it does not know.
func (*Watch) Heard(func(ID)) (whole bool) { return false }

// Full reports that nothing can be watched.
func (*Watch) Full() bool { return true }

// Close does nothing.
func (*Watch) Close() {}
