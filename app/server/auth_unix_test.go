//go:build unix

package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Only the owner can read the key. A file that others can read is refused.
func TestTheKeyIsTheOwnersAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	_, made, err := OpenUsers(dir, "")
	if err != nil || !made {
		t.Fatal(made, err)
	}
	for _, name := range []string{dir, KeyFile(dir)} {
		info, err := os.Stat(name)
		if err != nil || tooOpen(info) {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if _, made, err = OpenUsers(dir, ""); err != nil || made {
		t.Error("the key is made again:", made, err)
	}
	if err := os.Chmod(KeyFile(dir), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, _, err = OpenUsers(dir, ""); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Error("a key that others can read is taken:", err)
	}
}
