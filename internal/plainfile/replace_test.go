package plainfile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestAFileIsReplacedAsAWhole(t *testing.T) {
	name := filepath.Join(t.TempDir(), "new", "file")
	for _, text := range []string{"first", "second, longer", ""} {
		if err := Replace(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != text {
			t.Errorf("%q, %v; want %q", got, err, text)
		}
	}
	if err := Replace(filepath.Dir(name), []byte("x")); err == nil {
		t.Error("a directory was replaced by a file")
	}
	left, err := os.ReadDir(filepath.Dir(name))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	left, err = os.ReadDir(filepath.Dir(filepath.Dir(name)))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind by the failure: %v, %v", left, err)
	}
}
