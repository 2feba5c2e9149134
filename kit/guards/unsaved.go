package guards

import (
	"context"
	"fmt"
	"strings"

	"rein/guard"
	"rein/guard/effect"
	"rein/kit/places"
)

// Unsaved is the guard of work that is not committed: a call that would discard it asks in every mode, also in full.
type Unsaved struct {
	Programs Programs
	// Files returns the files of the workspace that git could not restore, relative to it: the changed ones, and the
	// untracked that are not ignored. It is called only for calls that remove or discard something. Nil means that the
	// state is not known; then every such call asks.
	Files func(ctx context.Context, root string) (changed, untracked []string, err error)
	// Kept reports whether all that a call removes or discards can be restored, so that nothing would be lost. Nil: nothing can.
	Kept func(ctx context.Context, c guard.Case) bool
}

// Judge asks when unsaved work would be lost.
func (u Unsaved) Judge(ctx context.Context, c guard.Case) guard.Verdict {
	if c.Intent.Command == "" {
		return guard.Verdict{}
	}
	report := u.Programs.Read(c)
	if report.Discards == 0 && len(report.Removes) == 0 {
		return guard.Verdict{}
	}
	if u.Kept != nil && u.Kept(ctx, c) {
		return guard.Verdict{}
	}
	var lost []string
	changed, untracked, err := u.files(ctx, c.Root)
	if err != nil {
		lost = []string{"what is not committed (" + err.Error() + ")"}
	}
	at := u.Programs.Here.Places(c)
	for _, kind := range []struct {
		what  effect.Discard
		files []string
	}{{effect.Changes, changed}, {effect.Untracked, untracked}} {
		if report.Discards&kind.what != 0 {
			lost = append(lost, kind.files...)
		} else {
			lost = append(lost, within(kind.files, report.Removes, at)...)
		}
	}
	if len(lost) == 0 {
		return guard.Verdict{}
	}
	return guard.Verdict{Decision: guard.Ask, Severity: guard.High, PersonOnly: true, Guard: "unsaved", Rules: []string{"unsaved.work"},
		Reason: "would lose work that is not committed: " + firstOf(3, lost), Hint: "Commit or stash first."}
}

var errUnknownState = fmt.Errorf("the state of the work tree is not known")

func (u Unsaved) files(ctx context.Context, root string) (changed, untracked []string, err error) {
	if u.Files == nil {
		return nil, nil, errUnknownState
	}
	return u.Files(ctx, root)
}

// within returns the files that removals would take away. A removal may have wildcards and unknown parts.
func within(files, removes []string, at places.Context) []string {
	var lost []string
	for _, f := range files {
		abs := at.Abs(f)
		for _, r := range removes {
			if covers(r, abs) {
				lost = append(lost, f)
				break
			}
		}
	}
	return lost
}

// covers reports whether the removal of a path takes a file with it.
func covers(removal, file string) bool {
	removal = strings.ReplaceAll(removal, "…", "**")
	return places.Match(removal, file) || places.Match(strings.TrimSuffix(removal, "/")+"/**", file)
}

// firstOf lists the first names, and counts the further ones.
func firstOf(most int, names []string) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
