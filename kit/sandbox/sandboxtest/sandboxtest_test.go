//go:build unix

package sandboxtest_test

import (
	"errors"
	"testing"

	"rein/kit/sandbox"
	"rein/kit/sandbox/sandboxtest"
)

func TestOurBackends(t *testing.T) {
	for _, name := range sandbox.BackendNames() {
		t.Run(name, func(t *testing.T) {
			sandboxtest.Run(t, func(t *testing.T, dir string) sandbox.Sandbox {
				box, err := sandbox.New(sandbox.Policy{Workspace: dir, Only: name})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if err := box.Close(); err != nil {
						t.Error(err)
					}
				})
				if err := box.Prepare(t.Context()); err != nil {
					t.Skip(err)
				}
				return box
			})
		})
	}
}

func TestNone(t *testing.T) {
	sandboxtest.Run(t, func(*testing.T, string) sandbox.Sandbox { return sandbox.None{} })
}

// TestErrorsCanBeRecognised holds the error for a sandbox that is required and cannot be had to its sentinel.
func TestErrorsCanBeRecognised(t *testing.T) {
	box, err := sandbox.New(sandbox.Policy{Workspace: t.TempDir(), Mode: sandbox.Required, Only: "none"})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	if err := box.Prepare(t.Context()); !errors.Is(err, sandbox.ErrNoSandbox) {
		t.Errorf("got %v", err)
	}
}
