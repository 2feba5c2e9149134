//go:build unix

package server

import "io/fs"

// tooOpen reports whether others than the owner can read the file.
func tooOpen(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }
