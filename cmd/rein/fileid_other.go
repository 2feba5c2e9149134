//go:build !unix

package main

import "io/fs"

// fileID is empty where files have no number.
func fileID(fs.FileInfo) string { return "" }
