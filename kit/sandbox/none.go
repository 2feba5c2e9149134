package sandbox

import (
	"context"
)

// None is the backend without isolation: programs run as the user who runs rein, in a session of their own. It protects
// the parent's environment and nothing else.
type None struct {
	// Dir is where a program starts whose spec names no directory; "" is the current one.
	Dir string
	// Parent is the environment that children's are made from; nil is that of this process.
	Parent []string
}

var _ Sandbox = None{}

// Start starts a program without isolation.
func (n None) Start(ctx context.Context, spec Spec) (Process, error) {
	running, err := bareStarter(n).Start(ctx, spec)
	return started(running, err, nil)
}
