package main

import (
	"rein/guard"
	"rein/guard/shell"
	"rein/tool"
)

// refine knows of a command what its text tells: one that only looks is not ordered as if it wrote everywhere.
func (w *wired) refine(i tool.Intent) tool.Intent {
	if i.Command == "" {
		return i
	}
	r := guard.Programs{Here: w.here()}.Read(guard.Case{Root: w.workspace.Dir(), Intent: i})
	if r.Class() <= shell.Own && len(r.Writes)+len(r.Removes) == 0 {
		i.Unknown = false
	}
	return i
}

// here tells the guards where things are on this machine.
func (w *wired) here() guard.Here {
	return guard.Here{
		Home: homeDir(), User: userName(), Dirs: w.workspace.Dirs()[1:],
		Settings: []string{w.dirs.config, w.dirs.sessions, w.dirs.state, w.dirs.private, w.dirs.output},
	}
}
