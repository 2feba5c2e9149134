package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// confined is the backend of macOS's own sandbox: each program is started by sandbox-exec with a profile of its own.
type confined struct {
	policy Policy
	view   view
}

const sandboxExec = "/usr/bin/sandbox-exec"

func (c *confined) sees() *view { return &c.view }

// openSeatbelt tries the backend by running the probe.
func openSeatbelt(ctx context.Context, p Policy) (Sandbox, func() error, error) {
	v, err := newView(p)
	if err != nil {
		return nil, nil, err
	}
	c := &confined{policy: p, view: v.onMac(p.Home)}
	if err := c.probe(ctx); err != nil {
		return nil, nil, err
	}
	return c, nil, nil
}

// Start starts a program with a profile that knows the files of the workspace that need protection now.
func (c *confined) Start(ctx context.Context, spec Spec) (Process, error) {
	wide, err := c.opened(spec.Opened)
	if err != nil {
		return nil, err
	}
	c = wide
	own := c.policy.own
	spec.Env = merged([]string{"HOME=" + c.policy.Home, "TMPDIR=" + own.Tmp(), "XDG_CACHE_HOME=" + own.Cache(".cache"),
		"GOCACHE=" + filepath.Join(own.Cache(".cache"), "go-build"), "npm_config_cache=" + own.Cache(".npm")}, spec.Env...)
	cmd, err := None{Dir: c.policy.Workspace, Parent: c.policy.Parent}.command(ctx, spec)
	if err != nil {
		return nil, err
	}
	rules := seatbelt(c.view.protect(c.policy.EnvFiles), c.policy.Private, c.policy.HostNetwork)
	cmd.Args = append([]string{sandboxExec, "-p", rules, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = sandboxExec
	return startSession(cmd, spec)
}

// opened gives the backend for a program that may use more than the policy allows.
func (c *confined) opened(o Opened) (*confined, error) {
	p, more, err := c.policy.opened(o)
	if err != nil || !more {
		return c, err
	}
	v, err := newView(p)
	if err != nil {
		return nil, err
	}
	return &confined{policy: p, view: v.onMac(p.Home)}, nil
}

// probeTime is how long the probe may take.
const probeTime = 5 * time.Second

// attempts are what the probe tries: the first argument is a file outside, the second a directory of the programs'.
const attempts = `cat "$1" 2>/dev/null && echo could read a file outside
(echo x >> "$1") 2>/dev/null && echo could write a file outside
(echo x > "$2/.probe") 2>/dev/null || echo could not write to its own directory
rm -f "$2/.probe"
echo asked`

// probe runs a shell in the sandbox that tries to get out.
func (c *confined) probe(ctx context.Context) error {
	canary := filepath.Join(c.policy.own.Session(), "canary")
	if err := os.WriteFile(canary, []byte("canary\n"), 0o600); err != nil {
		return err
	}
	defer os.Remove(canary)
	var out bytes.Buffer
	spec := Spec{Argv: []string{"/bin/sh", "-c", attempts, "probe", canary, c.policy.own.Tmp()}}
	if _, err := Run(ctx, c, spec, &out, probeTime); err != nil {
		return err
	}
	switch text := string(bytes.TrimSpace(out.Bytes())); text {
	case "asked":
		return nil
	case "":
		return errors.New("the probe died")
	default:
		return fmt.Errorf("the probe says: %.200s", text)
	}
}
