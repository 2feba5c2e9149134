package sandbox

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestSocketsAreHiddenByTheirRealNames: a server names its socket as it likes, and a mask lies where the socket is.
func TestSocketsAreHiddenByTheirRealNames(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "real"), 0o700)
	}
	if err == nil {
		err = os.Symlink("real", filepath.Join(dir, "link"))
	}
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "link", "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, row := range []struct {
		view view
		want bool
	}{{view{}, true}, {view{Covers: []string{filepath.Join(dir, "real")}}, false}} {
		row.view.HideSockets()
		masked := func(name string) bool {
			return slices.Contains(row.view.Masked, viewBind{Target: filepath.Join(dir, name, "s")})
		}
		if masked("real") != row.want || masked("link") {
			t.Errorf("with %v covered: %v", row.view.Covers, row.view.Masked)
		}
	}
}
