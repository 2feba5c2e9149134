// Package compute lists the tools that read repositories, compute and know code.
package compute

import (
	"rein/sandbox"
	"rein/tool"
	"rein/toolkit/code"
	"rein/toolkit/git"
	"rein/toolkit/program"
)

// Options say what the tools work on.
type Options struct {
	Box sandbox.Sandbox // where programs run; nil is sandbox.None
	Dir string          // absolute path of the workspace
	// Secret reports whether the name of a file says that it holds secrets.
	Secret func(path string) bool

	// Scratch makes the sandbox in which code runs: its workspace is a directory that the tools make. It is called when the
	// first piece of code runs.
	Scratch func(dir string) (*sandbox.Box, error)
	// Read reads a file of the workspace.
	Read func(path string) ([]byte, error)

	Program program.Limits
	Code    code.Limits
}

// Open returns the tools whose programs are installed, and a function that ends what they started. It starts nothing.
func Open(o Options) (tools []*tool.Tool, end func() error) {
	if git.Installed() {
		tools = append(tools, git.Repository{Box: o.Box, Dir: o.Dir, Secret: o.Secret}.Tools()...)
	}
	tools = append(tools, program.Program{Box: o.Box, Limits: o.Program}.Tool())
	runner := &code.Runner{Open: func(dir string) (code.Box, error) { return o.Scratch(dir) }, Read: o.Read, Limits: o.Code}
	if t := runner.Tool(); t != nil {
		tools = append(tools, t)
	}
	return tools, runner.Close
}
