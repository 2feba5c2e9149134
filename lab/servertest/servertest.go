// Package servertest starts servers for the tests of their clients.
package servertest

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/app/harness"
	"rein/app/server"
	"rein/app/settings"
)

// Server is a server that listens on a loopback address until the test ends.
type Server struct {
	URL     string
	Key     string // the owner's
	KeyFile string // with the key
	Dir     string // the workspace
}

// Start starts a server over a new home, without a sandbox, with a model that answers from a script. change may be nil; it
// changes the options, and gets the directory of the server's state.
func Start(t *testing.T, script string, change func(o *server.Options, state string)) Server {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file, dir := filepath.Join(root, "script.yaml"), filepath.Join(root, "ws")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(file, []byte(script), 0o600)); err != nil {
		t.Fatal(err)
	}
	dirs := settings.Dirs{Config: filepath.Join(root, "config"), Sessions: filepath.Join(root, "sessions"), Output: filepath.Join(root, "output"),
		Private: filepath.Join(root, "private"), State: filepath.Join(root, "state")}
	o := server.Options{KeyFile: filepath.Join(root, "key"), Harness: harness.Options{Dir: dir, Dirs: dirs, Terms: harness.Terms{Model: "script/" + file, Sandbox: "off"}}}
	if change != nil {
		change(&o, dirs.State)
	}
	s, err := server.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	key, err := os.ReadFile(o.KeyFile)
	if err != nil {
		t.Fatal(err)
	}
	return Server{URL: h.URL, Key: strings.TrimSpace(string(key)), KeyFile: o.KeyFile, Dir: dir}
}
