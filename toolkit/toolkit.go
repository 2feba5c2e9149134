// Package toolkit holds the tools in the box, one file each.
package toolkit

import "rein/tool"

// Standard returns the tools in the box: those that work on files, those that run programs, and the plan.
func Standard(f Files, s Shell, p *Plan) []*tool.Tool {
	return append([]*tool.Tool{
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
	}, s.jobTools()...)
}
