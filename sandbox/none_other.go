//go:build !linux

package sandbox

import "context"

// openNone opens the backend without isolation.
func openNone(_ context.Context, p Policy) (Sandbox, func() error, error) {
	return None{Dir: p.Workspace, Parent: p.Parent}, nil, nil
}
