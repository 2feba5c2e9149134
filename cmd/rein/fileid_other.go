//go:build !unix

package main

import "io/fs"

// fileID is empty where files have no number.
func fileID(fs.FileInfo) string { return "" }

// ownerOf is -1 where files have no owner by number.
func ownerOf(fs.FileInfo) int { return -1 }
