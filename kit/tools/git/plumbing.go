package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"rein/kit/sandbox"
)

// Copy runs git in the directory with an input and copies what it prints to out, however much it is. The arguments are those of a
// command that runs nothing else, such as cat-file.
func (g Repository) Copy(ctx context.Context, input []byte, out io.Writer, args ...string) error {
	r, err := sandbox.RunPiped(ctx, g.box(), sandbox.Spec{Argv: append(append([]string{"git"}, fixed...), args...), Dir: g.Dir, Env: environment, ReadOnly: true}, input, out, 0)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return errors.New("git is not installed")
	case err != nil:
		return err
	case r.Code != 0 || r.Signal != 0:
		return failure(r)
	}
	return nil
}

const stateTime = 5 * time.Second // that git has to say what is not committed

// Unsaved returns the files that git could not restore, relative to the directory: the changed ones, and the untracked that are not
// ignored. A directory without git has nothing that could be restored.
func (g Repository) Unsaved(ctx context.Context) (changed, untracked []string, err error) {
	if _, err := os.Stat(filepath.Join(g.Dir, ".git")); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	var out bytes.Buffer
	spec := sandbox.Spec{Dir: g.Dir, Env: []string{"GIT_OPTIONAL_LOCKS=0"},
		Argv: []string{"git", "-c", "core.fsmonitor=false", "status", "--porcelain", "-z", "--no-renames"}}
	result, err := sandbox.Run(ctx, g.box(), spec, &out, stateTime)
	if err == nil && (result.Code != 0 || result.TimedOut) {
		err = errors.New("it did not answer")
	}
	if err != nil {
		return nil, nil, fmt.Errorf("git status: %w", err)
	}
	for _, line := range strings.Split(out.String(), "\x00") {
		name, isUntracked := strings.CutPrefix(line, "?? ")
		switch {
		case isUntracked:
			untracked = append(untracked, name)
		case len(line) > 3:
			changed = append(changed, line[3:])
		}
	}
	return changed, untracked, nil
}

func (g Repository) box() sandbox.Sandbox {
	if g.Box == nil {
		return sandbox.None{}
	}
	return g.Box
}
