package main

import (
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"rein/model/modelserver"
	"rein/model/script"
)

// TestDialects runs one task with a model that calls in text, by each setting of --dialect: what is taught and what is
// sent is what the story expects.
func TestDialects(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/dialects",
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Setup: func(e *testscript.Env) error {
			s, err := script.Open(filepath.Join("testdata", "dialects", "story.yaml"))
			if err != nil {
				return err
			}
			srv := httptest.NewServer(&modelserver.Server{Script: s})
			e.Defer(srv.Close)
			for name, value := range map[string]string{"BASE": srv.URL, "GORACE": quickEnd, "HOME": e.WorkDir, "REIN_HOME": e.WorkDir} {
				e.Setenv(name, value)
			}
			return nil
		},
	})
}
