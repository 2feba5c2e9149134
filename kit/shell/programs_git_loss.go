package shell

import (
	"path"
	"strings"

	"rein/guard/effect"
	"rein/kit/places"
)

// What git overwrites, unlinks or moves away from is a loss, whichever of its commands does it.

// discards notes what discards changes that are not committed.
func (r *programs) discards(sc *scope, c *call) {
	switch c.Got.Spec.Name {
	case "reset":
		r.discard(effect.Changes, c.Got.Has("--hard", "--merge", "--keep"))
	case "clean":
		r.discard(effect.Untracked, !c.Got.Has("-n", "--dry-run") && !asksPerson(c))
	case "restore":
		r.discard(effect.Changes, !c.Got.Has("--staged", "-S") || c.Got.Has("-W", "--worktree"))
	case "switch":
		r.discard(effect.Changes, c.Got.Has("-f", "--force", "--discard-changes"))
	case "checkout-index":
		r.discard(effect.Changes, c.Got.Has("-f", "--force"))
	case "read-tree":
		r.discard(effect.Changes, c.Got.Has("-u", "--reset"))
	case "apply":
		r.discard(effect.Changes, c.Got.Has("-R", "--reverse"))
	case "merge", "rebase", "am", "cherry-pick", "revert":
		r.discard(effect.Changes, c.Got.Has("--abort", "--skip"))
	case "mv":
		if ops := c.Got.Operands; c.Got.Has("-f", "--force") && len(ops) > 1 {
			r.Removes(sc, ops[len(ops)-1], false)
		}
	}
	if movesBranch(c) {
		r.Found(effect.Delete, "moves a branch away from its commits")
	}
}

// movesBranch reports whether a branch that may be there gets other commits: nothing names the ones that it had.
func movesBranch(c *call) bool {
	switch c.Got.Spec.Name {
	case "branch":
		return c.Got.Has("-M") && len(c.Got.Operands) > 1
	case "checkout":
		return c.Got.Has("-B")
	case "switch":
		return c.Got.Has("-C", "--force-create")
	case "update-ref":
		return len(c.Got.Operands) > 1
	}
	return false
}

// shownHistory is the file or directory of the workspace that git prints as it was: REV:path, or all below the directory where it runs.
func (r *judging) shownHistory(sc *scope, c *call) string {
	for _, v := range c.Got.Operands {
		if rev, file, ok := v.Cut(":"); ok && file.Text != "" {
			if strings.HasPrefix(file.Text, "./") || strings.HasPrefix(file.Text, "../") || len(r.Ctx.Workspaces) == 0 || rev.Wild() {
				return r.Absolute(sc, file)
			}
			return path.Join(r.Ctx.Workspaces[0], file.Text)
		}
	}
	return sc.Cwd
}

// gitArchive reads git archive: what it prints, unpacked in the same directory, replaces what is there.
func gitArchive(r *programs, sc *scope, c *call) (data, bool) {
	out := r.apply(sc, c)
	if !c.Got.Has("--prefix", "--list", "-l", "-o", "--output") {
		out.History = sc.Cwd
	}
	return out, true
}

// patchProgram reads patch: backwards it takes changes away that may not be committed.
func patchProgram(r *programs, _ *scope, c *call) (data, bool) {
	r.discard(effect.Changes, c.Got.Has("-R", "--reverse"))
	return data{}, false
}

// settingsOfAnotherTime refuses to bring back the harness's own settings as they were in another commit.
func (r *programs) settingsOfAnotherTime(sc *scope, c *call) {
	for _, v := range c.Argv[1:] {
		if !strings.HasPrefix(v.Text, "-") && r.Locate(sc, v).Class == places.Settings {
			r.Writes(sc, v)
		}
	}
}
