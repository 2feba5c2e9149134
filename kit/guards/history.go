package guards

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync"

	"rein/guard"
	"rein/guard/effect"
	"rein/internal/plaintext"
	"rein/kit/shell"
	"rein/tool"
)

// History is the guard of secrets that programs may show although they are hidden: those in the history of git, in copies of files that
// hold more values than the mask takes, and in files that no sandbox closes. It asks once in a session. History is an Observer, and learns the answers of persons from it.
type History struct {
	Programs Programs
	// Known makes the secrets of the history known to the mask; dirs are where git runs. An error says why some may not be.
	// It is called only for commands that print content. Nil: none is known.
	Known func(ctx context.Context, root string, dirs []string) error
	// Hidden says what commands may show although it is hidden; "" is nothing. Nil: nothing.
	Hidden func(ctx context.Context, root string, dirs []string) string
	// Open lists the files of secrets that no sandbox keeps programs from opening. Nil: there are none.
	Open func(ctx context.Context, root string) []string

	lock    sync.Mutex
	asked   map[[2]string]bool // sessions and calls
	granted map[string]bool    // sessions
}

// Judge asks when a command prints contents of a history whose secrets are not known, or may read what is hidden.
func (h *History) Judge(ctx context.Context, c guard.Case) guard.Verdict {
	if c.Intent.Command == "" {
		return guard.Verdict{}
	}
	report := h.Programs.Read(c)
	prints := slices.ContainsFunc(report.Commands, printsHistory)
	open := h.open(ctx, c, report)
	if !prints && open == "" && (c.Mode == guard.Full || !runsCode(report) && !slices.ContainsFunc(report.Commands, readsAll)) {
		return guard.Verdict{}
	}
	v := guard.Verdict{Decision: guard.Ask, Severity: guard.Low, Guard: "history", Rules: []string{"history.secrets"}}
	if prints {
		v.Hint = "Name the files, or list names only (--stat, --name-only)."
		if why := h.unknown(ctx, c.Root, report.Git); why != "" {
			v.Reason = "may show secrets of files that are gone: " + why
			return v
		}
	}
	h.lock.Lock()
	granted := h.granted[c.Session]
	h.lock.Unlock()
	if granted {
		return guard.Verdict{}
	}
	why := open
	if why != "" {
		v.Hint = "Use grep, glob, list_dir and read_file, or name the files."
	}
	if why == "" && h.Hidden != nil {
		why = h.Hidden(ctx, c.Root, report.Git)
	}
	if why == "" {
		return guard.Verdict{}
	}
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.asked == nil {
		h.asked = map[[2]string]bool{}
	}
	h.asked[[2]string{c.Session, c.Call.ID}] = true
	v.Reason = "may show what is hidden (asked once in a session): " + why
	return v
}

// open says which files of secrets a command may open, measure or order without naming them; "" is none.
func (h *History) open(ctx context.Context, c guard.Case, report *effect.Report) string {
	if h.Open == nil || c.Mode == guard.Full {
		return ""
	}
	files := h.Open(ctx, c.Root)
	if len(files) == 0 || !mayOpen(report, files) {
		return ""
	}
	return "nothing here keeps programs from opening " + plaintext.FirstOf(files, 3)
}

// unknown says why the secrets of a history may not all be known; "": they are.
func (h *History) unknown(ctx context.Context, root string, dirs []string) string {
	if h.Known == nil {
		return "the secrets in the history of git are not known"
	}
	if err := h.Known(ctx, root, dirs); err != nil {
		return err.Error()
	}
	return ""
}

// Granted learns that a person approved a call for which this guard asked: it does not ask again in the session.
func (h *History) Granted(c guard.Case, a guard.Answer) {
	h.lock.Lock()
	defer h.lock.Unlock()
	if key := [2]string{c.Session, c.Call.ID}; h.asked[key] && a.ByPerson() {
		if h.granted == nil {
			h.granted = map[string]bool{}
		}
		h.granted[c.Session] = true
	}
}

// Prompted, Refused and Ran change nothing.
func (h *History) Prompted(string)                           {}
func (h *History) Refused(guard.Case, guard.Answer)          {}
func (h *History) Ran(guard.Case, tool.Result) (note string) { return "" }

// runsCode reports whether a command runs code that may read any file.
func runsCode(r *effect.Report) bool {
	return slices.ContainsFunc(r.Findings, func(f effect.Finding) bool {
		switch f.Class {
		case effect.Build, effect.Install, effect.Unknown, effect.Container, effect.Configured, effect.Unparsed, effect.Dynamic, effect.Exec, effect.RemoteCode, effect.Nested, effect.Obfuscated:
			return true
		}
		return false
	})
}

// readsAll reports whether a program reads or copies a directory with all that is in it, the objects of git too.
func readsAll(words []string) bool {
	if len(words) == 0 {
		return false
	}
	args := words[1:]
	switch path.Base(words[0]) {
	case "tar", "bsdtar", "cpio", "pax", "zip", "7z", "7za", "rsync", "ar", "star", "xargs", "parallel":
		return true
	case "cp", "scp":
		return hasOption(args, "rRa", "--recursive", "--archive")
	case "grep", "egrep", "fgrep":
		return hasOption(args, "rRd", "--recursive", "--dereference-recursive", "--directories") && !slices.Contains(args, "--exclude-dir=.git")
	case "rg", "ag", "ack":
		return hasOption(args, "ua.", "--unrestricted", "--hidden") || slices.ContainsFunc(args, isDotted)
	case "diff":
		return hasOption(args, "r", "--recursive")
	case "find", "fd", "fdfind":
		return hasOption(args, "", "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch")
	}
	return false
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
	case "update-index": // by the name of an object, it gives what that holds any name
		return slices.ContainsFunc(args, func(a string) bool {
			return strings.HasPrefix(a, "--cacheinfo") || strings.HasPrefix(a, "--index-info") || a == "-z" || a == "--stdin"
		})
	case "show", "diff", "diff-tree", "diff-index", "diff-files":
		return patches(args) || searchesContents(args) || !slices.ContainsFunc(args, namesOnly)
	case "log", "reflog", "stash", "whatchanged", "rev-list":
		return patches(args) || searchesContents(args)
	default: // also an alias
		_, quiet := slices.BinarySearch(printsNone, name)
		return !quiet
	}
}

// printsNone are the subcommands that print no contents of another time, in order.
var printsNone = strings.Fields(`add am apply bisect branch check-attr check-ignore checkout cherry cherry-pick clean clone commit config
	count-objects describe fetch for-each-ref fsck gc hash-object help init ls-files ls-remote ls-tree merge merge-base mv name-rev notes prune pull
	push rebase remote reset restore rev-parse revert rm shortlog show-branch show-ref sparse-checkout status submodule switch symbolic-ref tag update-ref var verify-commit version worktree write-tree`)

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
