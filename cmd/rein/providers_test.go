package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"rein/model/modelserver"
	"rein/model/script"
)

// TestProviders runs one task through each provider's protocol, against a server that is as strict as they are. Every story
// has a server of its own. Where the model changes the server cannot know what it thought.
func TestProviders(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/providers",
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Setup: func(e *testscript.Env) error {
			s, err := script.Open(filepath.Join("testdata", "providers", "story.yaml"))
			if err != nil {
				return err
			}
			srv := httptest.NewServer(&modelserver.Server{Script: s, Lax: strings.Contains(filepath.Base(e.WorkDir), "switch")})
			e.Defer(srv.Close)
			e.Setenv("BASE", srv.URL)
			e.Setenv("GORACE", quickEnd)
			for _, name := range []string{"HOME", "REIN_HOME"} {
				dir := filepath.Join(e.WorkDir, "."+name)
				if err := os.MkdirAll(dir, 0o700); err != nil {
					return err
				}
				e.Setenv(name, dir)
			}
			return nil
		},
	})
}
