package harness

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rein/guard"
	"rein/guard/effect"
	"rein/internal/plainfile"
	"rein/kit/guards"
	"rein/kit/places"
)

// defaultDeletions is how many files a command may remove without a question where the settings do not say.
const defaultDeletions = 200

// mostLooked is how many entries of the workspace are looked at to find what a removal with unknown parts would take.
const mostLooked = 50_000

// keepsDeletions reports whether an undo brings back all that a command would remove or discard: then nobody need be asked. It is false where that
// is not known.
func (c *equipped) keepsDeletions(ctx context.Context, p guards.Programs, a guard.Case) bool {
	most := c.h.settings.Undo.Deletions
	if most == 0 {
		most = defaultDeletions
	}
	if c.keeper == nil || most < 0 || a.Intent.Command == "" || a.Mode < guard.Supervised || a.Isolation == guard.NoIsolation {
		return false
	}
	return c.keeper.decided(a.Call.ID+"\x00"+a.Intent.Command, func() bool {
		report := p.Read(a)
		paths, ok := c.discarded(ctx, a, report)
		removed, known := removedPaths(report, p.Here.Places(a), a.Isolation == guard.FullIsolation, most-len(paths))
		return ok && known && len(paths) <= most && c.keeper.keeps(ctx, append(paths, removed...))
	})
}

// discarded are the files whose changes git would throw away; false: what they are is not known.
func (c *equipped) discarded(ctx context.Context, a guard.Case, report *effect.Report) (files []string, known bool) {
	if report.Discards&effect.Untracked != 0 {
		return nil, false // it may take ignored files, too
	}
	if report.Discards&effect.Changes != 0 {
		changed, _, err := c.copies.unsaved(ctx, a.Root)
		return changed, err == nil
	}
	return nil, true
}

// removedPaths are the files and directories that a command removes by their names, as far as they are there; false: they are not known, they are the
// whole workspace, or they are more files than most. What is in a /tmp of the session alone is nobody else's.
func removedPaths(report *effect.Report, at places.Context, ownTmp bool, most int) (paths []string, known bool) {
	for _, path := range report.Removes {
		switch class := places.Classify(path, at); {
		case class == places.Temp && ownTmp && !strings.ContainsAny(path, "…"):
		case class != places.Workspace || places.IsRoot(path, at):
			return nil, false
		default:
			paths = append(paths, path)
		}
	}
	if slices.ContainsFunc(paths, func(p string) bool { return strings.ContainsAny(p, "…*?[") }) {
		if paths, known = spelledOut(paths, at.Workspaces); !known {
			return nil, false
		}
	}
	files := 0
	for _, path := range paths {
		_ = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				files++
			}
			if files > most {
				return fs.SkipAll
			}
			return nil
		})
	}
	return paths, files <= most
}

// spelledOut finds the files that patterns name: "…" stands for any text. Where they take all that a workspace holds, or that cannot be known, it
// returns false.
func spelledOut(patterns, workspaces []string) (paths []string, known bool) {
	looked := 0
	for _, dir := range workspaces {
		kept := false // something at the top of the workspace stays
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if looked++; looked > mostLooked || err != nil {
				return fs.ErrInvalid
			}
			fits := path != dir && slices.ContainsFunc(patterns, func(p string) bool { return places.Match(strings.ReplaceAll(p, "…", "**"), path) })
			if fits {
				paths = append(paths, path)
				if e.IsDir() {
					return fs.SkipDir
				}
			} else if filepath.Dir(path) == dir && e.Name() != ".git" {
				kept = true
			}
			if e.Name() == ".git" && e.IsDir() {
				return fs.SkipDir
			}
			return nil
		})
		if err != nil || !kept {
			return nil, false
		}
	}
	return paths, true
}

// keeps reports whether the store has, or takes before the call, all that is at some paths.
func (k *fileKeeper) keeps(ctx context.Context, paths []string) bool {
	err := k.Store.Check()
	if err == nil {
		err = k.Store.Snapshot(ctx)
		k.note(err)
	}
	if err != nil || len(k.Store.Foresee(nil, paths, 1)) > 0 {
		return false
	}
	return !slices.ContainsFunc(paths, func(path string) bool { // a link leads elsewhere, and so does a mount; a socket is not kept
		info, err := os.Lstat(path)
		return err == nil && !info.Mode().IsRegular() && !info.IsDir() && info.Mode()&fs.ModeSymlink == 0
	})
}

// decided returns what was decided about a call, so that it is the same for all who ask while it is judged.
func (k *fileKeeper) decided(call string, decide func() bool) bool {
	k.mu.Lock()
	known, ok := k.deletions[call]
	k.mu.Unlock()
	if ok {
		return known
	}
	known = decide()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.deletions == nil || len(k.deletions) > 1000 {
		k.deletions = map[string]bool{}
	}
	k.deletions[call] = known
	return known
}

// cleaners are programs that run the project's own code: a target of theirs that only cleans does what their other targets may do, too.
var cleaners = []string{"make", "gmake", "just", "task", "ninja", "cmake", "mvn", "mvnw", "gradle", "gradlew", "npm", "pnpm", "yarn", "bun", "cargo", "dotnet", "flutter", "rake", "mix", "sbt", "lein", "dune", "swift", "tox", "nox", "invoke"}

// byUndo approves what only deletes files that an undo brings back, and what only reads the way to the workspace.
func (a *approvals) byUndo(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
	none := guard.Answer{Choice: guard.Abstain}
	if c.Intent.Command == "" || v.PersonOnly || v.Severity > guard.Low || slices.ContainsFunc(v.Rules, func(r string) bool { return r != "shell.delete" && r != "shell.outside-read" }) {
		return none, nil
	}
	report, at, cleans := a.guards.Programs.Read(c), a.guards.Programs.Here.Places(c), false
	for _, f := range report.Findings {
		switch d, _ := guards.Decide(f.Class, c.Mode, c.Isolation); {
		case d != guard.Ask:
		case f.Class == effect.OutsideRead && f.Why != effect.OutsideRead.Why() && onlyAbove(report, at) && c.Isolation == guard.FullIsolation:
		case f.Class == effect.Delete && f.Why == effect.Delete.Why() && slices.Contains(cleaners, filepath.Base(f.Program)):
		case f.Class == effect.Delete:
			cleans = true
		default:
			return none, nil
		}
	}
	if cleans && !a.keepsDeletions(ctx, a.guards.Programs, c) {
		return none, nil
	}
	if cleans {
		a.keeper.restorable(c.Call.ID)
	}
	return guard.Answer{Choice: guard.Approved, By: guard.ByPolicy("rein: nothing is lost")}, nil
}

// onlyAbove reports whether what a command reads outside of the workspace are directories above it: the sandbox shows of them only the way to the
// workspace.
func onlyAbove(report *effect.Report, at places.Context) bool {
	return !slices.ContainsFunc(report.Reads, func(path string) bool {
		outside := places.Classify(path, at) != places.Workspace
		return outside && !(len(at.Workspaces) > 0 && plainfile.IsWithin(path, at.Workspaces[0]) && !strings.ContainsAny(path, "…*?["))
	})
}

// restorable notes that the result of a call says that its deletions can be undone.
func (k *fileKeeper) restorable(call string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.says == nil {
		k.says = map[string]bool{}
	}
	k.says[call] = true
}

// tellRestorable adds the note to the result of a call that removed something.
func (k *fileKeeper) tellRestorable(call string, removed int, note func(string)) {
	k.mu.Lock()
	says := k.says[call]
	delete(k.says, call)
	k.mu.Unlock()
	if says && removed > 0 {
		note(fmt.Sprintf("what this command deleted can be undone (rein undo); files and directories: %d", removed))
	}
}
