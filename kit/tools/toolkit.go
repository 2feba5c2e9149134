// Package tools lists rein's own tools, and makes those that share nothing with others: the plan, questions to the user,
// requests for access, notifications, times and sums. The other tools have a package for each kind: files, command, web.
package tools

import (
	"rein/kit/tools/command"
	"rein/kit/tools/files"
	"rein/tool"
)

// Standard returns the tools on files, the tools that run commands, and the plan. The tools for jobs are among them
// where the shell has jobs. The tools that use the network (package web) and RequestAccess need more to be set up: the
// caller adds them.
func Standard(f files.Tools, s command.Shell, p *Plan) []*tool.Tool {
	all := []*tool.Tool{
		f.ReadFile(),
		f.WriteFile(),
		f.EditFile(),
		f.ApplyPatch(),
		f.Insert(),
		f.UndoEdit(),
		f.NotebookEdit(),
		f.ListDir(),
		f.Glob(),
		f.Grep(),
		s.Bash(),
		p.Todo(),
	}
	if f.Copied != nil {
		all = append(all, f.AgentApply(), f.AgentDiff())
	}
	if s.Jobs != nil {
		all = append(all, s.JobOutput(), s.JobInput(), s.JobKill())
	}
	return all
}
