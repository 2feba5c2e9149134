//go:build unix

package plainfile

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestANamedFileIsNotWaitedForWithoutEnd(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	err := errors.Join(os.WriteFile(at("file"), []byte("text"), 0o600), os.WriteFile(at("empty"), nil, 0o600), syscall.Mkfifo(at("pipe"), 0o600), os.Symlink("/dev/zero", at("endless")))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"file": "text", "empty": ""} {
		if text, err := ReadNamed(at(name)); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	for name, want := range map[string]string{"pipe": "nothing came from it", "endless": "longer than", ".": "directory", "missing": "no such file"} {
		if text, err := ReadNamed(at(name)); text != nil && name != "pipe" || err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), at(name)) {
			t.Errorf("%s: %d bytes, %v", name, len(text), err)
		}
	}
}

// What a program writes into a pipe, as with the shell's <(...), is read until it ends.
func TestAPipeIsReadToItsEnd(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		defer w.Close()
		_, _ = w.WriteString("{\"a\":")
		time.Sleep(50 * time.Millisecond) // the reader has nothing for a while
		_, _ = w.WriteString("1}")
	}()
	name := "/dev/fd/" + strconv.Itoa(int(r.Fd()))
	if _, err := os.Stat(name); err != nil {
		t.Skip(err)
	}
	if text, err := ReadNamed(name); err != nil || string(text) != `{"a":1}` {
		t.Errorf("%q, %v", text, err)
	}
}
