// Package compute lists the tools that read repositories, compute and know code.
package compute

import (
	"rein/sandbox"
	"rein/tool"
	"rein/toolkit/git"
	"rein/toolkit/program"
)

// Options say what the tools work on.
type Options struct {
	Box sandbox.Sandbox // where programs run; nil is sandbox.None
	Dir string          // absolute path of the workspace

	Program program.Limits // of the tool program
}

// Tools returns the tools whose programs are installed.
func Tools(o Options) []*tool.Tool {
	var all []*tool.Tool
	if git.Installed() {
		all = append(all, git.Repository{Box: o.Box, Dir: o.Dir}.Tools()...)
	}
	return append(all, program.Program{Box: o.Box, Limits: o.Program}.Tool())
}
