// Package git makes the tools that read a git repository, and the copies of a workspace in which sub-agents work. The tools
// run git with fixed arguments in the sandbox, and run no code
// of the repository: hooks, filters, external diffs, text conversions, the file system monitor, pagers, signature checks and
// fetches of missing objects are off.
package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"rein/kit/sandbox"
	"rein/tool"
)

// Repository is what the tools on git share.
type Repository struct {
	Box sandbox.Sandbox // where git runs; nil is sandbox.None
	Dir string          // absolute path of the workspace; relative paths start here
	// Secret reports whether the name of a file says that it holds secrets. Nil: none does.
	Secret func(path string) bool
}

// Installed reports whether git is installed.
func Installed() bool {
	_, err := exec.LookPath("git")
	return err == nil
}

// Tools returns the tools that read a repository.
func (g Repository) Tools() []*tool.Tool {
	return []*tool.Tool{g.status(), g.diff(), g.log(), g.show(), g.blame()}
}

// The limits of one call.
const (
	timeout     = 30 * time.Second
	mostOutput  = 16 << 20 // bytes that are read of git's output
	answerBytes = 28 << 10 // of the answer
	lineBytes   = 400      // of a line
)

// at is a path of a call, as git takes it.
type at struct {
	dir  string // absolute: where git starts
	spec string // the path from there; "" is everything
}

// at finds where git starts for a path: in the directory, or in the nearest one above a file. So a repository inside the
// workspace, such as a submodule, is found by a path in it.
func (g Repository) at(path string) at {
	full := path
	if !filepath.IsAbs(full) {
		full = filepath.Join(g.Dir, path)
	}
	dir := filepath.Clean(full)
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	rel, err := filepath.Rel(dir, full)
	switch {
	case err != nil:
		rel = ""
	case rel == "." && filepath.Clean(full) == filepath.Clean(g.Dir):
		rel = ""
	}
	return at{dir: dir, spec: filepath.ToSlash(rel)}
}

// pathspec is the path as git takes it, without wildcards.
func (a at) pathspec() []string {
	if a.spec == "" {
		return nil
	}
	return []string{":(literal)" + a.spec}
}

// here is the intent of a path: reading it.
func here(path string) tool.Intent {
	if path == "" {
		path = "."
	}
	return tool.Intent{Reads: []string{path}}
}

// run runs git and returns what it prints. cut is true when it printed more than is read.
func (g Repository) run(ctx context.Context, a at, args ...string) (out []byte, cut bool, err error) {
	quiet, err := g.quiet(ctx, a)
	if err != nil {
		return nil, false, err
	}
	return g.start(ctx, a, append(quiet, args...))
}

// start runs git with arguments that are complete.
func (g Repository) start(ctx context.Context, a at, args []string) (out []byte, cut bool, err error) {
	b := sandbox.Buffer{Most: mostOutput}
	r, err := sandbox.RunPiped(ctx, g.box(), sandbox.Spec{Argv: append([]string{"git"}, args...), Dir: a.dir, Env: environment, ReadOnly: true}, nil, &b, timeout)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, false, &tool.Error{Kind: tool.Unsupported, Text: "git is not installed."}
	case err != nil:
		return nil, false, err
	case r.TimedOut:
		return nil, false, &tool.Error{Kind: tool.TimedOut, Text: fmt.Sprintf("git took longer than %v.", timeout), Hint: "Name a path, or a smaller range of revisions."}
	case r.Over:
		return b.Bytes(), true, nil
	case r.Code != 0 || r.Signal != 0:
		return nil, false, failure(r)
	}
	return b.Bytes(), false, nil
}

// failure is git's own error for the model.
func failure(r sandbox.PipedResult) error {
	text := strings.TrimSpace(r.Errors)
	switch {
	case strings.Contains(text, "not a git repository"):
		return &tool.Error{Kind: tool.NotFound, Text: "No git repository here."}
	case strings.Contains(text, "unknown revision"), strings.Contains(text, "bad revision"), strings.Contains(text, "bad object"),
		strings.Contains(text, "Invalid object name"), strings.Contains(text, "invalid object name"):
		first, _, _ := strings.Cut(text, "\n")
		return &tool.Error{Kind: tool.NotFound, Text: strings.TrimPrefix(first, "fatal: "), Hint: "git_log lists revisions."}
	case strings.Contains(text, "does not have any commits yet"):
		return &tool.Error{Kind: tool.NotFound, Text: "The branch has no commits yet."}
	case text == "":
		text = fmt.Sprintf("git ended with the exit code %d", r.Code)
		if r.Limit != "" {
			text = "git reached the limit: " + r.Limit
		}
	}
	return &tool.Error{Text: strings.TrimPrefix(text, "fatal: ")}
}

// checkRevision refuses what git would read as an option, and what is no single revision or range.
func checkRevision(names ...string) error {
	for _, n := range names {
		if strings.HasPrefix(n, "-") || strings.ContainsAny(n, "\x00\n") || strings.TrimSpace(n) != n {
			return &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("%q is not a revision", n), Hint: "Send HEAD~3, a branch, a tag, a commit, or A..B, for example."}
		}
	}
	return nil
}

// secret reports whether the lines of a file are shown only when a call names it.
func (g Repository) secret(name string) bool {
	return g.Secret != nil && g.Secret(filepath.Join(g.Dir, filepath.FromSlash(name)))
}
