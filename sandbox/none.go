package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
	cmd, err := n.command(ctx, spec)
	if err != nil {
		return nil, err
	}
	return startSession(cmd, spec)
}

// command makes the command of a spec, with the program looked up in the child's PATH.
func (n None) command(ctx context.Context, spec Spec) (*exec.Cmd, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	env := childEnv(n.Parent, spec.Env)
	dir := spec.Dir
	if dir == "" {
		dir = n.Dir
	}
	path, err := lookPath(spec.Argv, env, dir)
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{Path: path, Args: spec.Argv, Dir: dir, Env: env}
	// A nil *os.File in an interface is not nil.
	if spec.Stdin != nil {
		cmd.Stdin = spec.Stdin
	}
	if spec.Stdout != nil {
		cmd.Stdout = spec.Stdout
	}
	if spec.Stderr != nil {
		cmd.Stderr = spec.Stderr
	}
	return cmd, nil
}

func childEnv(parent, pairs []string) []string {
	if parent == nil {
		parent = os.Environ()
	}
	return merged(Env(parent), pairs...)
}

// lookPath finds the program of an argv in the PATH of env: exec.LookPath would look in ours.
func lookPath(argv, env []string, dir string) (string, error) {
	if len(argv) == 0 || argv[0] == "" {
		return "", errors.New("no program to start")
	}
	name := argv[0]
	if strings.ContainsRune(name, filepath.Separator) {
		if !filepath.IsAbs(name) {
			return filepath.Join(dir, name), nil
		}
		return name, nil
	}
	for _, folder := range filepath.SplitList(lookEnv(env, "PATH")) {
		if !filepath.IsAbs(folder) {
			continue // "" and "." would run what lies in the workspace
		}
		path, err := exec.LookPath(filepath.Join(folder, name))
		if err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, exec.ErrNotFound)
}
