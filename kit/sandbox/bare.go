package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// bareStarter starts programs without isolation. Its fields are those of None.
type bareStarter struct {
	Dir    string
	Parent []string
}

// Start starts a program without isolation.
func (b bareStarter) Start(ctx context.Context, spec Spec) (programProcess, error) {
	cmd, err := b.Command(ctx, spec)
	if err != nil {
		return nil, err
	}
	return startSession(cmd, spec)
}

// Command makes the command of a spec, with the program looked up in the child's PATH.
func (b bareStarter) Command(ctx context.Context, spec Spec) (*exec.Cmd, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	env := childEnv(b.Parent, spec.Env)
	dir := spec.Dir
	if dir == "" {
		dir = b.Dir
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

// childEnv is the environment of a child: the parent's (nil is that of this process) as Env leaves it, and pairs.
func childEnv(parent, pairs []string) []string {
	if parent == nil {
		parent = os.Environ()
	}
	return mergeEnv(Env(parent), pairs...)
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
	folders := filepath.SplitList(lookupEnv(env, "PATH"))
	if runtime.GOOS == "windows" && (name == "bash" || name == "sh") {
		folders = shellFolders(folders)
	}
	for _, folder := range folders {
		if !filepath.IsAbs(folder) {
			continue // "" and "." would run what is in the workspace
		}
		path, err := exec.LookPath(filepath.Join(folder, name))
		if err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, exec.ErrNotFound)
}

// shellFolders are the folders of a PATH of Windows in which a shell may be. Git for Windows brings one and puts only the folder beside it into
// PATH. What is called bash in the folders of the system runs in the Linux subsystem, where the workspace has another path.
func shellFolders(folders []string) (all []string) {
	for _, folder := range folders {
		if base := strings.ToLower(filepath.Base(folder)); base == "system32" || base == "windowsapps" {
			continue
		}
		all = append(all, folder)
		if _, err := os.Stat(filepath.Join(folder, "git.exe")); err == nil {
			all = append(all, filepath.Join(folder, "..", "bin"), filepath.Join(folder, "..", "usr", "bin"))
		}
	}
	return all
}
