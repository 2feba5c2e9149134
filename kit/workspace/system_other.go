//go:build !unix

package workspace

import (
	"io/fs"
	"os"
)

// noWait is not needed where a pipe cannot have a name among files.
const noWait = 0

func linkedSecret(fs.FileInfo) bool { return false }

func keepOwner(*os.File, fs.FileInfo) {}
