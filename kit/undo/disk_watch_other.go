//go:build !linux

package undo

import "errors"

// dirWatch hears what happens in directories. This system has none.
type dirWatch struct{}

// newWatch fails.
func newWatch() (*dirWatch, error) { return nil, errors.ErrUnsupported }

// Add does nothing.
func (*dirWatch) Add(*diskDir, fileStat) {}

// Has reports that nothing is watched.
func (*dirWatch) Has(fileID) bool { return false }

// Heard reports that it does not know.
func (*dirWatch) Heard(func(fileID)) (whole bool) { return false }

// Full reports that nothing can be watched.
func (*dirWatch) Full() bool { return true }

// Close does nothing.
func (*dirWatch) Close() {}
