package tools

import (
	"context"
	"errors"
	"time"

	"rein/kit/sandbox"
	"rein/kit/tools/code"
	"rein/kit/tools/git"
	"rein/kit/tools/lsp"
	"rein/tool"
)

// ComputeOptions say what the tools work on.
type ComputeOptions struct {
	Box sandbox.Sandbox // where programs run; nil is sandbox.None
	Dir string          // absolute path of the workspace
	// Secret reports whether the name of a file says that it holds secrets.
	Secret func(path string) bool
	// SecretNames are patterns for the names that Secret may report.
	SecretNames []string

	// Scratch makes the sandbox in which code runs: its workspace is a directory that the tools make. It is called when the
	// first piece of code runs.
	Scratch func(dir string) (*sandbox.Box, error)
	// Read reads a file of the workspace.
	Read func(path string) ([]byte, error)
	// Isolated reports whether there is a sandbox: language servers run code of the project.
	Isolated func() bool

	Limits ComputeLimits
}

// ComputeLimits bound the tools. A zero field means its default: see code.ProgramLimits, code.Limits and lsp.Servers.
type ComputeLimits struct {
	ProgramSteps  int64
	ProgramCalls  int
	ProgramMemory int64
	ProgramTime   time.Duration
	CodeTime      time.Duration
	CodeMemory    int64
	CodeIdle      time.Duration
	Diagnostics   time.Duration
}

// Tools are the tools of one session.
type Tools struct {
	All []*tool.Tool // those whose programs are installed
	// Diagnose returns the diagnostics that are new since an edit: see files.Tools.
	Diagnose func(ctx context.Context, before, after map[string]string) string
	Close    func() error // ends what they started
}

// OpenCompute makes the tools. It starts nothing.
func OpenCompute(o ComputeOptions) Tools {
	l := o.Limits
	runner := &code.Runner{Open: func(dir string) (code.Box, error) { return o.Scratch(dir) }, Read: o.Read, Limits: code.Limits{Time: l.CodeTime, Memory: l.CodeMemory, Idle: l.CodeIdle}}
	servers := &lsp.Servers{Box: o.Box, Dir: o.Dir, Read: o.Read, Secret: o.Secret, Usable: o.Isolated, Wait: l.Diagnostics}
	all := append(servers.Tools(), code.Program{Box: o.Box, Limits: code.ProgramLimits{Steps: l.ProgramSteps, Calls: l.ProgramCalls, Memory: l.ProgramMemory, Time: l.ProgramTime}}.Tool())
	if git.Installed() {
		all = append(all, git.Repository{Box: o.Box, Dir: o.Dir, Secret: o.Secret, SecretNames: o.SecretNames}.Tools()...)
	}
	if t := runner.Tool(); t != nil {
		all = append(all, t)
	}
	return Tools{All: all, Diagnose: servers.Changed, Close: func() error { return errors.Join(runner.Close(), servers.Close()) }}
}
