//go:build !unix

package settings

import "io/fs"

// FileID is empty where files have no number.
func FileID(fs.FileInfo) string { return "" }

// ownerOf is -1 where files have no owner by number.
func ownerOf(fs.FileInfo) int { return -1 }
