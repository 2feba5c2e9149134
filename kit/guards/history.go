package guards

import (
	"context"
	"path"
	"slices"
	"strings"

	"rein/guard"
	"rein/kit/shell"
)

// History is the guard of secrets that only the history of git holds. What a command prints of it is masked by value, so it asks
// where these values may not all be known, and where the command prints what files held.
type History struct {
	Programs Programs
	// Known makes the secrets of the history known to the mask; dirs are where git runs. An error says why some may not be.
	// It is called only for commands that print content. Nil: none is known.
	Known func(ctx context.Context, root string, dirs []string) error
}

// Judge asks when a command prints contents of a history whose secrets are not known.
func (h History) Judge(ctx context.Context, c guard.Case) guard.Verdict {
	if c.Intent.Command == "" {
		return guard.Verdict{}
	}
	report := h.Programs.Read(c)
	if !slices.ContainsFunc(report.Commands, printsHistory) {
		return guard.Verdict{}
	}
	why := "the secrets in the history of git are not known"
	if h.Known != nil {
		err := h.Known(ctx, c.Root, report.Git)
		if err == nil {
			return guard.Verdict{}
		}
		why = err.Error()
	}
	return guard.Verdict{Decision: guard.Ask, Severity: guard.Low, Guard: "history", Rules: []string{"history.secrets"},
		Reason: "may show secrets of files that are gone: " + why, Hint: "Name the files, or list names only (--stat, --name-only)."}
}

// printsHistory reports whether git prints what files held at another time.
func printsHistory(words []string) bool {
	if len(words) == 0 || path.Base(words[0]) != "git" {
		return false
	}
	if words = shell.SubCommand(words); len(words) == 0 {
		return false
	}
	switch name, args := words[0], words[1:]; name {
	case "show", "diff", "diff-tree", "diff-index", "diff-files":
		return patches(args) || !slices.ContainsFunc(args, namesOnly)
	case "log", "reflog", "stash", "whatchanged", "rev-list":
		return patches(args)
	default: // also an alias
		_, quiet := slices.BinarySearch(printsNone, name)
		return !quiet
	}
}

// printsNone are the subcommands that print no contents of another time, in order.
var printsNone = strings.Fields(`add am apply bisect branch check-attr check-ignore checkout cherry cherry-pick clean clone commit commit-tree config
	count-objects describe fetch for-each-ref fsck gc hash-object help init ls-files ls-remote ls-tree merge merge-base mktree mv name-rev notes prune pull
	push rebase remote reset restore rev-parse revert rm shortlog show-branch show-ref sparse-checkout status submodule switch symbolic-ref tag update-index
	update-ref var verify-commit version worktree write-tree`)

// patches reports whether an option asks for patches.
func patches(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		for _, long := range []string{"--patch", "--unified", "--cc", "--diff-merges", "--remerge-diff", "--function-context", "--word-diff", "--color-words", "--output-indicator", "--binary", "--full-diff", "--walk-reflogs-patch", "…"} {
			if strings.HasPrefix(a, long) {
				return true
			}
		}
		return len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.ContainsAny(a[1:2], "puUcmLW")
	})
}

// namesOnly reports whether an option lists files in the place of patches.
func namesOnly(a string) bool {
	name, _, _ := strings.Cut(a, "=")
	return slices.Contains([]string{"--stat", "--shortstat", "--numstat", "--dirstat", "--summary", "--name-only", "--name-status", "--no-patch", "-s", "--raw", "--quiet", "--exit-code", "--check"}, name)
}
