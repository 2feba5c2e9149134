//go:build !linux

package sandbox

import (
	"context"
)

// openNone opens the backend without isolation.
func openNone(_ context.Context, p viewPolicy) (programStarter, func() error, error) {
	return programBare{Dir: p.Workspace, Parent: p.Parent}, nil, nil
}

func newGroups() *cgroupSession { return newCgroup(nil) }

func countsProcesses(*cgroupSession, Backend) bool { return false }
