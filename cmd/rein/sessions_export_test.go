package main

import (
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A file that cannot be written is named as the user wrote it.
func TestAnExportNamesItsFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "none", "out.md")
	err := writeNewFile(file, false, nil)
	if err == nil || !strings.HasPrefix(err.Error(), file+" cannot be written: ") || strings.Contains(err.Error(), ".rein-export") {
		t.Error(err)
	}
	file = filepath.Join(t.TempDir(), "out.md") // on a disk that is full
	err = writeNewFile(file, false, func(io.Writer) error {
		made, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".rein-export-*"))
		return &fs.PathError{Op: "write", Path: made[0], Err: syscall.ENOSPC}
	})
	if err == nil || err.Error() != file+" cannot be written: no space left on device" {
		t.Error(err)
	}
}
