package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// confined is the backend of macOS's own sandbox: each program is started by sandbox-exec with a profile of its own.
type confined struct {
	policy backendPolicy
	view   view
}

const sandboxExec = "/usr/bin/sandbox-exec"

func (c *confined) Sees() *view { return &c.view }

// openSeatbelt tries the backend by running the probe.
func openSeatbelt(ctx context.Context, p backendPolicy) (programStarter, func() error, error) {
	v, err := newView(p)
	if err != nil {
		return nil, nil, err
	}
	c := &confined{policy: p, view: onMac(v, p.Home)}
	if err := c.probe(ctx); err != nil {
		return nil, nil, err
	}
	return c, nil, nil
}

// Start starts a program with a profile that knows the files of the workspace that need protection now.
func (c *confined) Start(ctx context.Context, spec Spec) (programProcess, error) {
	wide, err := c.opened(spec)
	if err != nil {
		return nil, err
	}
	c = wide
	own := c.policy.Own
	c.view.Refresh()
	spec.Env = mergeEnv(append(c.view.GitEnv(), "HOME="+c.policy.Home, "TMPDIR="+own.Tmp(), "XDG_CACHE_HOME="+own.Cache(".cache"),
		"GOCACHE="+filepath.Join(own.Cache(".cache"), "go-build"), "npm_config_cache="+own.Cache(".npm")), spec.Env...)
	cmd, err := bareStarter{Dir: c.policy.Workspace, Parent: c.policy.Parent}.Command(ctx, spec)
	if err != nil {
		return nil, err
	}
	rules := seatbeltProfile(c.view.Protect(c.policy.EnvFiles), c.policy.Private, c.policy.HostNetwork)
	cmd.Args = append([]string{sandboxExec, "-p", rules, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = sandboxExec
	return startSession(cmd, spec)
}

// opened returns the backend for a program that may use more than the policy allows.
func (c *confined) opened(spec Spec) (*confined, error) {
	p, other, err := c.policy.For(spec)
	if err != nil || !other {
		return c, err
	}
	v, err := newView(p)
	if err != nil {
		return nil, err
	}
	return &confined{policy: p, view: onMac(v, p.Home)}, nil
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
	canary := filepath.Join(c.policy.Own.Session(), "canary")
	if err := os.WriteFile(canary, []byte("canary\n"), 0o600); err != nil {
		return err
	}
	defer os.Remove(canary)
	out, err := c.output(ctx, Spec{Argv: []string{"/bin/sh", "-c", attempts, "probe", canary, c.policy.Own.Tmp()}})
	if err != nil {
		return err
	}
	switch text := string(bytes.TrimSpace(out)); text {
	case "asked":
		return nil
	case "":
		return errors.New("the probe died")
	default:
		return fmt.Errorf("the probe says: %.200s", text)
	}
}

// output runs a program for as long as the probe may take, and returns what it writes.
func (c *confined) output(ctx context.Context, spec Spec) ([]byte, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	spec.Stdout, spec.Stderr = w, w
	process, err := c.Start(ctx, spec)
	w.Close()
	if err != nil {
		return nil, err
	}
	defer time.AfterFunc(probeTime, func() { _ = process.Kill() }).Stop()
	out, err := io.ReadAll(io.LimitReader(r, 4<<10))
	_, waited := process.Wait()
	return out, errors.Join(err, waited)
}
