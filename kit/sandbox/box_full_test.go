package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"
)

// TestAFullDiskIsNoReasonForAWeakerBackend: nothing starts then, and a later try finds the best one again. Where the kernel makes no namespaces it
// calls that so, too, and the next backend is tried.
func TestAFullDiskIsNoReasonForAWeakerBackend(t *testing.T) {
	opens := func(err error) opener {
		return func(context.Context, backendPolicy) (programStarter, func() error, error) {
			return bareStarter{}, nil, err
		}
	}
	full := &fs.PathError{Op: "mkdir", Path: "/x", Err: syscall.ENOSPC}
	for _, row := range []struct {
		err  error
		full bool
	}{{errors.Join(errors.New("x"), full), true}, {&fs.PathError{Op: "fork/exec", Path: "/proc/self/exe", Err: syscall.ENOSPC}, false}, {os.ErrPermission, false}} {
		b, err := New(Policy{Workspace: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		b.choose(t.Context(), []candidate{{BackendNamespaces, opens(row.err)}, {BackendNone, opens(nil)}})
		if (b.err != nil) != row.full || (b.place == nil) != row.full {
			t.Errorf("%v: %v, %v", row.err, b.backend, b.err)
		}
		if !row.full {
			continue
		}
		if backend, err := b.Backend(t.Context()); err != nil || backend == BackendNone {
			t.Skipf("no sandbox works here: %v, %v", backend, err)
		}
	}
}
