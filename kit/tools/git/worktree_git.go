package git

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"rein/kit/sandbox"
)

// gitDir is a place where git runs.
type gitDir struct {
	box        sandbox.Sandbox
	dir        string
	repository string // with tree; "": git finds it itself
	tree       string
}

// The limits of one run of git.
const (
	gitTime   = 2 * time.Minute
	gitOutput = 256 << 20
)

// quiet keeps git from running anything else, and from the settings of the user and the machine.
var quiet = []string{"--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.untrackedCache=false", "-c", "core.attributesFile=/dev/null",
	"-c", "gc.auto=0", "-c", "core.quotePath=false", "-c", "core.autocrlf=false", "-c", "core.safecrlf=false", "-c", "advice.addEmbeddedRepo=false"}

var gitEnvironment = []string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1",
	"GIT_ALLOW_PROTOCOL=none", "GIT_NO_REPLACE_OBJECTS=1", "LC_ALL=C",
	"GIT_AUTHOR_NAME=rein", "GIT_AUTHOR_EMAIL=rein@localhost", "GIT_COMMITTER_NAME=rein", "GIT_COMMITTER_EMAIL=rein@localhost"}

// gitFailure is a run of git that ended with an error of git's own.
type gitFailure struct{ text string }

func (f *gitFailure) Error() string { return "git: " + f.text }

// run runs git with an input, and returns what it prints.
func (g gitDir) run(ctx context.Context, input []byte, args ...string) ([]byte, error) {
	argv := append([]string{"git"}, quiet...)
	if g.repository != "" {
		argv = append(argv, "--git-dir="+g.repository, "--work-tree="+g.tree)
	}
	out := sandbox.Buffer{Most: gitOutput}
	r, err := sandbox.RunPiped(ctx, g.box, sandbox.Spec{Argv: append(argv, args...), Dir: g.dir, Env: gitEnvironment}, input, &out, gitTime)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, errors.New("git is not installed")
	case err != nil:
		return nil, err
	case r.TimedOut:
		return nil, fmt.Errorf("git %s took longer than %v", args[0], gitTime)
	case r.Over:
		return nil, fmt.Errorf("git %s printed more than %d bytes", args[0], gitOutput)
	case r.Code != 0 || r.Signal != 0:
		return nil, &gitFailure{strings.TrimSpace(r.Errors)}
	}
	return out.Bytes(), nil
}
