package files

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDamagedContentIsAnError(t *testing.T) {
	h := &History{Dir: t.TempDir()}
	c, err := h.Keep("a.txt", []byte("before"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := h.Content(c.Before); err != nil || string(got) != "before" {
		t.Fatalf("got %q, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(h.Dir, "objects", c.Before[:2], c.Before[2:]), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := h.Content(c.Before); err == nil {
		t.Errorf("a power cut's empty file was given as %q", got)
	}
}
