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
	"regexp"
	"slices"
	"strings"
	"sync"
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
	// SecretNames are patterns for one name of all files and directories that Secret may report.
	SecretNames []string
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
	dir    string // absolute: where git starts
	spec   string // the path from there; "" is everything
	secret bool   // the path itself says that it holds secrets: guards judged it, so nothing is hidden in it
}

// at finds where git starts for a path: in the directory, or in the nearest one above a file. So a repository inside the
// workspace, such as a submodule, is found by a path in it.
func (g Repository) at(path string) at {
	full := path
	if !filepath.IsAbs(full) {
		full = filepath.Join(g.Dir, path)
	}
	if g.secret(full) { // guards judged where a link leads
		if real, err := filepath.EvalSymlinks(full); err == nil && !g.secret(real) {
			full = real
		}
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
	return at{dir: dir, spec: filepath.ToSlash(rel), secret: g.secret(full)}
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
	text := strings.ReplaceAll(strings.TrimSpace(r.Errors), commit, "")
	switch {
	case strings.Contains(text, "not a git repository"):
		return &tool.Error{Kind: tool.NotFound, Text: "No git repository here."}
	case strings.Contains(text, "unknown revision"), strings.Contains(text, "bad revision"), strings.Contains(text, "bad object"), strings.Contains(text, "not a commit"),
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

// checkRevision refuses what git would read as an option, and what is no single revision or range. A colon would name a file.
func checkRevision(names ...string) error {
	for _, n := range names {
		if strings.HasPrefix(n, "-") || strings.ContainsAny(n, "\x00\n") || strings.TrimSpace(n) != n {
			return &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("%q is not a revision", n), Hint: "Send HEAD~3, a branch, a tag, a commit, or A..B, for example."}
		}
		if strings.Contains(braces().ReplaceAllString(n, ""), ":") {
			return &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("%q names a file", n), Hint: "Send the revision as rev, and the file as path."}
		}
	}
	return nil
}

// braces are the parts of a revision in which any letter may be, as in HEAD^{/fix: x}.
var braces = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[^}]*\}`) })

// commit is what makes git read a name as that of a commit: the name of a file's content would show it, whatever the file is called.
const commit = "^{commit}"

// commits returns a revision or a range with its names as those of commits.
func commits(rev string) string {
	for at, depth := 0, 0; at < len(rev); at++ {
		switch {
		case rev[at] == '{':
			depth++
		case rev[at] == '}':
			depth--
		case depth == 0 && strings.HasPrefix(rev[at:], ".."):
			dots := ".." + strings.Repeat(".", min(1, strings.Count(rev[at+2:][:min(1, len(rev)-at-2)], ".")))
			return commits(rev[:at]) + dots + commits(rev[at+len(dots):])
		}
	}
	if rev == "" {
		return ""
	}
	for _, parents := range []string{"^!", "^@"} {
		if name, ok := strings.CutSuffix(rev, parents); ok {
			return name + commit + parents
		}
	}
	return rev + commit
}

// secret reports whether the lines of a file are shown only when a call names it.
func (g Repository) secret(name string) bool {
	if g.Secret == nil {
		return false
	}
	if name = filepath.FromSlash(name); !filepath.IsAbs(name) {
		name = filepath.Join(g.Dir, name)
	}
	return g.Secret(name)
}

// without are pathspecs for all but some files. Their names are those from the top of the repository.
func (a at) without(names []string) []string {
	specs := a.pathspec()
	if len(names) > 0 && len(specs) == 0 {
		specs = []string{":(top)"}
	}
	for _, name := range names {
		specs = append(specs, ":(top,exclude,literal)"+name)
	}
	return specs
}

// mostClosed is how many files that it cannot open git is run again for.
const mostClosed = 100

// closedFile is what git says of one that it cannot open.
var closedFile = regexp.MustCompile(`(?m)^(?:fatal: )?cannot hash (.+)$`)

// opened runs git, and again without the files that it cannot open: in the sandbox those that hold secrets are closed. They are compared
// with nothing. It fails where the user named one.
func opened(a at, run func(specs []string) ([]byte, bool, error)) (out []byte, cut bool, closed []string, err error) {
	for {
		out, cut, err = run(a.without(closed))
		e, failed := errors.AsType[*tool.Error](err)
		if !failed || a.secret || len(closed) == mostClosed {
			return out, cut, closed, err
		}
		found := closedFile.FindStringSubmatch(e.Text)
		if found == nil {
			return out, cut, closed, err
		}
		closed = append(closed, found[1])
	}
}

// mostHidden is how many files of secrets are left out by name.
const mostHidden = 5000

// hide runs git for the names that one run prints, and runs it again without the files that hold secrets: what is in these then
// changes nothing, not even which files count as renamed. names reads the output.
func (g Repository) hide(a at, run func(specs []string) ([]byte, bool, error), names func(out string) []string) ([]byte, bool, []string, error) {
	out, cut, hidden, err := opened(a, run)
	specs := a.without(hidden)
	if err != nil || a.secret || g.Secret == nil {
		return out, cut, specs, err
	}
	known := len(hidden)
	for _, name := range names(string(out)) {
		if g.secret(name) {
			hidden = append(hidden, name)
		}
	}
	if len(hidden) == known {
		return out, cut, specs, nil
	}
	if slices.Sort(hidden); len(hidden) > mostHidden || cut {
		return nil, false, nil, &tool.Error{Kind: tool.TooLarge, Text: "There are too many files, and some may hold secrets.", Hint: "Name a path, or a smaller range of revisions."}
	}
	specs = a.without(slices.Compact(hidden))
	out, cut, err = run(specs)
	return out, cut, specs, err
}
