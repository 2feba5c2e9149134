package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"rein/kit/script"
	"rein/lab/modelserver"
)

// TestProviders runs one task through each provider's protocol, against a server that is as strict as they are. Every story
// has a server of its own. Where the model changes the server cannot know what it thought.
func TestProviders(t *testing.T) {
	t.Parallel()
	served(t, "testdata/providers")
}

// TestDialects runs one task with a model that calls in text, by each setting of --dialect: what is taught and what is
// sent is what the story expects.
func TestDialects(t *testing.T) {
	t.Parallel()
	served(t, "testdata/dialects")
}

// served runs the stories in a directory, each against a server of its own that replies with story.yaml there. Its
// address is in BASE.
func served(t *testing.T, dir string) {
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Setup: func(e *testscript.Env) error {
			s, err := script.Open(filepath.Join(dir, "story.yaml"))
			if err != nil {
				return err
			}
			srv := httptest.NewServer(&modelserver.Server{Script: s, Models: []string{"scripted", "some-model:latest", "qwen2.5:7b"}, Lax: strings.Contains(filepath.Base(e.WorkDir), "switch")})
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
