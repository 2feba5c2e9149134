// Package code makes the tools that run code of the model: a piece of code in a scratch directory, in a sandbox without
// network and without the workspace, and a Starlark program in which every tool of the session is a function.
package code

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"rein/kit/sandbox"
	"rein/tool"
)

// Limits bound one run. A zero field means its default.
type Limits struct {
	Time   time.Duration // that a call may ask for; 300 s
	Memory int64         // bytes; 1 GiB
	Idle   time.Duration // after which a kept process ends; 30 min
}

func (l Limits) withDefaults() Limits {
	if l.Time <= 0 {
		l.Time = 300 * time.Second
	}
	if l.Memory <= 0 {
		l.Memory = 1 << 30
	}
	if l.Idle <= 0 {
		l.Idle = 30 * time.Minute
	}
	return l
}

// Box is a sandbox that is closed at the end.
type Box interface {
	sandbox.Sandbox
	Close() error
}

// Runner runs code for one session. It opens nothing before the first call. Close it at the end.
type Runner struct {
	// Open opens the sandbox whose workspace is the scratch directory.
	Open func(scratch string) (Box, error)
	// Read reads a file of the workspace that a call gives to its code.
	Read   func(path string) ([]byte, error)
	Limits Limits

	mu      sync.Mutex
	box     Box
	scratch *os.Root // nil: nothing was opened
	runs    int
	kept    *kept // the Python process that is kept; nil: none
	closed  bool
}

const (
	defaultTime = 60 * time.Second
	mostCode    = 1 << 20  // bytes
	mostFiles   = 50       // that a call gives
	mostInput   = 64 << 20 // bytes of these files
	mostOutput  = 64 << 20 // bytes of standard output
)

type args struct {
	Language string   `json:"language" jsonschema:"the language of the code"`
	Code     string   `json:"code" jsonschema:"the whole program" minLength:"1" maxLength:"1000000"`
	Stdin    string   `json:"stdin,omitempty" jsonschema:"standard input"`
	Files    []string `json:"files,omitempty" jsonschema:"files of the workspace that are copied into the directory where the code runs, with the same relative paths" maxItems:"50"`
	Keep     bool     `json:"keep,omitempty" jsonschema:"Python only: run it in a process that keeps its variables until the next call with keep"`
	Timeout  int      `json:"timeout,omitempty" jsonschema:"seconds" minimum:"1" maximum:"300" default:"60"`
}

const description = `Run a piece of code (%s) in an empty directory, without network and without the workspace: for calculations, data and plots. Give it files of the workspace with files. The result has what it prints, its errors and its exit code; images that it writes to the directory are shown, and other new files are listed with the text of the small ones. To work on the project use bash.`

// Tool returns the tool with the languages that are installed; nil where there are none.
func (c *Runner) Tool() *tool.Tool {
	names := offered()
	if len(names) == 0 {
		return nil
	}
	t := tool.New("run_code", fmt.Sprintf(description, strings.Join(names, ", ")), tool.Reads|tool.Writes|tool.Runs, c.run)
	t.Input = t.Input.WithAliases(map[string]string{"lang": "language", "source": "code", "script": "code", "input": "stdin", "timeout_seconds": "timeout"})
	t.Intent = tool.IntentBy(intent)
	t.Timeout = c.Limits.withDefaults().Time + 20*time.Second
	return t
}

// missing is the error for a language that does not run here.
func (a args) missing() error {
	return &tool.Error{Kind: tool.Unsupported, Text: fmt.Sprintf("%q is not installed or not supported.", a.Language), Hint: "Supported here: " + strings.Join(offered(), ", ") + "."}
}

// intent is the code as a command with the code as its input, so that guards judge it as they judge any other way to run it.
func intent(a args) (tool.Intent, error) {
	l, ok := languageOf(a.Language)
	if !ok {
		return tool.Intent{}, a.missing()
	}
	i := tool.Intent{Reads: a.Files}
	if l.name == "bash" {
		i.Command = a.Code
	} else {
		end := "CODE"
		for strings.Contains(a.Code, end) {
			end += "_"
		}
		i.Command = l.judged + " <<'" + end + "'\n" + strings.TrimSuffix(a.Code, "\n") + "\n" + end
	}
	return i, nil
}

func (c *Runner) run(ctx context.Context, in args, r *tool.Reply) error {
	l, ok := languageOf(in.Language)
	switch {
	case !ok || !l.installed():
		return in.missing()
	case in.Keep && l.name != "python":
		return &tool.Error{Kind: tool.BadArguments, Text: "keep works only with python"}
	}
	limit := defaultTime
	if in.Timeout > 0 {
		limit = time.Duration(in.Timeout) * time.Second
	}
	limit = min(limit, c.Limits.withDefaults().Time)
	if in.Keep {
		return c.runKept(ctx, in, limit, r)
	}
	box, dir, err := c.directory()
	if err != nil {
		return err
	}
	defer dir.remove()
	if err := c.give(in.Files, dir); err != nil {
		return err
	}
	spec, err := l.prepare(dir, in.Code)
	if err != nil {
		return err
	}
	spec.Limits = sandbox.Limits{Memory: c.Limits.withDefaults().Memory * l.memory(), FileSize: 1 << 30}
	before := listing(dir)
	result, err := sandbox.RunPiped(ctx, box, spec, []byte(in.Stdin), &most{w: r, left: mostOutput}, limit)
	if err != nil {
		return notStarted(ctx, err)
	}
	report(r, result)
	bring(r, dir, before)
	return ended(result, limit, l)
}

// directory is where one piece of code runs. rein reads and writes it through the root only: the code may have put links
// there that lead out of it.
type directory struct {
	*os.Root
	path   string // absolute
	parent *os.Root
}

func (d *directory) remove() {
	d.Close()
	_ = d.parent.RemoveAll(filepath.Base(d.path))
}

// directory makes a new directory in the sandbox.
func (c *Runner) directory() (Box, *directory, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, nil, errors.New("the session has ended")
	}
	if c.box == nil {
		if err := c.open(); err != nil {
			return nil, nil, fmt.Errorf("make a scratch directory: %w", err)
		}
	}
	c.runs++
	name := fmt.Sprintf("run%d", c.runs)
	if err := c.scratch.Mkdir(name, 0o700); err != nil {
		return nil, nil, err
	}
	root, err := c.scratch.OpenRoot(name)
	if err != nil {
		return nil, nil, err
	}
	return c.box, &directory{root, filepath.Join(c.scratch.Name(), name), c.scratch}, nil
}

// open makes the scratch directory and the sandbox around it.
func (c *Runner) open() error {
	scratch, err := os.MkdirTemp("", "rein-code-")
	if err == nil {
		scratch, err = filepath.EvalSymlinks(scratch)
	}
	if err != nil {
		return err
	}
	box, err := c.Open(scratch)
	if err != nil {
		return errors.Join(err, os.RemoveAll(scratch))
	}
	root, err := os.OpenRoot(scratch)
	if err != nil {
		return errors.Join(err, box.Close(), os.RemoveAll(scratch))
	}
	c.box, c.scratch = box, root
	return nil
}

// give copies files of the workspace into the directory.
func (c *Runner) give(names []string, dir *directory) error {
	if len(names) > mostFiles {
		return &tool.Error{Kind: tool.TooLarge, Text: fmt.Sprintf("%d files, at most %d", len(names), mostFiles)}
	}
	total := 0
	for _, name := range names {
		text, err := c.Read(name)
		if err != nil {
			return err
		}
		if total += len(text); total > mostInput {
			return &tool.Error{Kind: tool.TooLarge, Text: fmt.Sprintf("The files have more than %d MiB together.", mostInput>>20)}
		}
		rel := filepath.FromSlash(name)
		if !filepath.IsLocal(rel) {
			rel = filepath.Base(rel)
		}
		if err := dir.MkdirAll(filepath.Dir(rel), 0o700); err != nil {
			return err
		}
		if err := dir.WriteFile(rel, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Close ends what is kept and removes the scratch directory.
func (c *Runner) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.kept != nil {
		c.kept.end()
		c.kept = nil
	}
	if c.box == nil {
		return nil
	}
	err := errors.Join(c.box.Close(), c.scratch.Close(), os.RemoveAll(c.scratch.Name()))
	c.box, c.scratch = nil, nil
	return err
}

func notStarted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &tool.Error{Text: "The code was not started: " + err.Error()}
}

// languageOf finds a language by its name or another one that models use.
func languageOf(name string) (language, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	i := slices.IndexFunc(languages, func(l language) bool { return l.name == name || slices.Contains(l.also, name) })
	if i < 0 {
		return language{}, false
	}
	return languages[i], true
}
