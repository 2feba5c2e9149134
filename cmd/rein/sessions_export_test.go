package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// A file that cannot be written is named as the user wrote it.
func TestAnExportNamesItsFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "none", "out.md")
	err := writeNewFile(file, false, nil)
	if err == nil || !strings.HasPrefix(err.Error(), file+" cannot be written: ") || strings.Contains(err.Error(), ".rein-export") {
		t.Error(err)
	}
}
