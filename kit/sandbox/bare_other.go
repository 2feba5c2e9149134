//go:build !linux

package sandbox

import (
	"context"
)

// openNone opens the backend without isolation.
func openNone(_ context.Context, p backendPolicy) (programStarter, func() error, error) {
	return bareStarter{Dir: p.Workspace, Parent: p.Parent}, nil, nil
}

func newGroups() *sessionCgroups { return newSessionCgroups(nil) }

func countsProcesses(*sessionCgroups, Backend) bool { return false }
