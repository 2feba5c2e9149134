//go:build !linux

package undo

import "errors"

// diskWatch hears what happens in directories. This system has none.
type diskWatch struct{}

// newWatch fails.
func newWatch() (*diskWatch, error) { return nil, errors.ErrUnsupported }

// Add does nothing.
func (*diskWatch) Add(*Dir, Stat) {}

// Has reports that nothing is watched.
func (*diskWatch) Has(ID) bool { return false }

// Heard reports that it does not know.
func (*diskWatch) Heard(func(ID)) (whole bool) { return false }

// Full reports that nothing can be watched.
func (*diskWatch) Full() bool { return true }

// Close does nothing.
func (*diskWatch) Close() {}
