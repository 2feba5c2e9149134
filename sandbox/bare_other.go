//go:build !linux

package sandbox

import (
	"context"

	"rein/sandbox/internal/cgroup"
	"rein/sandbox/internal/program"
	"rein/sandbox/internal/view"
)

// openNone opens the backend without isolation.
func openNone(_ context.Context, p view.Policy) (program.Starter, func() error, error) {
	return program.Bare{Dir: p.Workspace, Parent: p.Parent}, nil, nil
}

func newGroups() *cgroup.Session { return cgroup.New(nil) }

func countsProcesses(*cgroup.Session, Backend) bool { return false }
