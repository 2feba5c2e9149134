//go:build unix

package plainfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestOnlyAShortRegularFileIsRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	err := errors.Join(os.WriteFile(at("file"), []byte("text"), 0o600), os.WriteFile(at("most"), make([]byte, Most), 0o600), os.WriteFile(at("long"), make([]byte, Most+1), 0o600),
		os.Symlink("file", at("link")), os.Symlink("/dev/zero", at("endless")), syscall.Mkfifo(at("pipe"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	for name, size := range map[string]int{"file": 4, "link": 4, "most": Most} {
		if text, err := Read(at(name)); err != nil || len(text) != size {
			t.Errorf("%s: %d bytes, %v", name, len(text), err)
		}
	}
	for _, name := range []string{"endless", "pipe", "."} {
		if text, err := Read(at(name)); text != nil || !errors.Is(err, ErrNotPlain) || !strings.Contains(err.Error(), at(name)) {
			t.Errorf("%s: %d bytes, %v", name, len(text), err)
		}
	}
	if text, err := Read(at("long")); text != nil || err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if _, err := Read(at("missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
