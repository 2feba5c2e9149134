package programs

import (
	"strings"

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
	if len(c.Got.Path) == 0 || onlyNames(c.Got.Path[0]) {
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

// onlyNames are sub-commands that look at no file of the work tree and show none.
func onlyNames(sub string) bool {
	switch sub {
	case "branch", "rev-parse", "remote", "config", "tag", "help", "version", "reflog", "rev-list", "merge-base", "symbolic-ref", "for-each-ref", "show-ref", "worktree":
		return true
	}
	return false
}

// GitRuns reports whether a setting of a repository, by its name in lower case, makes git run a program that is not known to
// be harmless while it looks at or changes files. What the harness disarms in the environment of its programs is not
// among them: pagers, editors, prompts.
func GitRuns(key, value string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(value), " ")
	switch {
	case value == "", first == "git-lfs", strings.HasPrefix(value, "git lfs "):
		return false
	case key == "core.fsmonitor":
		return value != "true" && value != "false"
	case key == "diff.external", key == "include.path", strings.HasPrefix(key, "includeif."):
		return true
	}
	for _, kind := range []struct{ section, end string }{
		{"filter.", ".clean"}, {"filter.", ".smudge"}, {"filter.", ".process"}, {"diff.", ".command"}, {"diff.", ".textconv"}, {"merge.", ".driver"},
	} {
		if strings.HasPrefix(key, kind.section) && strings.HasSuffix(key, kind.end) {
			return true
		}
	}
	return false
}
