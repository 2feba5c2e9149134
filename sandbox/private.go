package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
)

// emptyDir holds the closed file and the closed directory that are laid over what is masked.
func emptyDir(p Policy) string { return filepath.Join(p.Private, "closed") }

// makePrivate makes the directories of ours that programs get to see.
func makePrivate(p Policy) error {
	dirs := []string{"tmp", "vartmp", "closed"}
	for _, name := range privateCaches() {
		dirs = append(dirs, filepath.Join("home", name))
	}
	for _, name := range dirs {
		if err := os.MkdirAll(filepath.Join(p.Private, name), 0o700); err != nil {
			return fmt.Errorf("make the sandbox's own directories: %w", err)
		}
	}
	file, dir := filepath.Join(emptyDir(p), "file"), filepath.Join(emptyDir(p), "dir")
	if _, err := os.Lstat(file); err == nil {
		return nil
	}
	if err := os.WriteFile(file, nil, 0); err != nil {
		return fmt.Errorf("make the sandbox's own directories: %w", err)
	}
	if err := os.Mkdir(dir, 0); err != nil && !os.IsExist(err) {
		return fmt.Errorf("make the sandbox's own directories: %w", err)
	}
	return nil
}
