//go:build !unix

package plainfile

import "io/fs"

// ID is empty where files have no number.
func ID(fs.FileInfo) string { return "" }

// Owner is -1 where files have no owner by number.
func Owner(fs.FileInfo) int { return -1 }
