// Package compute lists the tools that read repositories, compute and know code.
package compute

import (
	"rein/sandbox"
	"rein/tool"
	"rein/toolkit/git"
)

// Options say what the tools work on.
type Options struct {
	Box sandbox.Sandbox // where programs run; nil is sandbox.None
	Dir string          // absolute path of the workspace
}

// Tools returns the tools whose programs are installed.
func Tools(o Options) []*tool.Tool {
	var all []*tool.Tool
	if git.Installed() {
		all = append(all, git.Repository{Box: o.Box, Dir: o.Dir}.Tools()...)
	}
	return all
}
