//go:build !linux

package workspace

import (
	"io/fs"
	"os"
)

// keepAttributes does nothing: extended attributes are kept on Linux only.
func keepAttributes(*os.File, *os.Root, string, fs.FileInfo) {}
