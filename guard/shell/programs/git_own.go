package programs

import (
	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
	"rein/guard/shell/table"
)

// ownSettings judges the programs that the repository's own settings name. Hooks run with what changes the history. The
// harness switches core.fsmonitor off in the environment of every program, so that it counts only where a line takes that away.
func (r *Programs) ownSettings(sc *judge.Scope, c *table.Call) {
	dir := sc.Cwd
	if v, ok := c.Got.Value("--git-dir"); ok {
		dir = r.Absolute(sc, v)
	}
	if dir != "" {
		fact.Note(&r.Report.Git, dir)
	}
	if len(c.Got.Path) == 0 || table.OnlyNames(c.Got.Path[0]) {
		return
	}
	for _, key := range r.Ctx.Git {
		switch {
		case key == "hooks":
			if c.Got.Spec.Class >= fact.Commit {
				r.Found(fact.Build, "git runs the hooks of this repository")
			}
		case key == "core.fsmonitor" && !sc.Bared:
		default:
			r.Found(fact.Configured, "git runs the program that %s of this repository names", key)
		}
	}
}
