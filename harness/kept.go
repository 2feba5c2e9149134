package harness

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"rein/guard"
	"rein/guard/rule"
	"rein/guard/standard"
	"rein/harness/settings"
	"rein/internal/plainfile"
)

// kept is the approver that knows what another session has kept in the user's settings since this one began: a lasting
// approval that is given there answers the requests that wait here. It uses the rules as they are now, also where they
// became stricter. What the guard of this session denies and asks does not change while it runs.
type kept struct {
	dirs     settings.Dirs
	root     string
	programs standard.Programs

	lock  sync.Mutex
	stamp string // of the files as they were read last
	rules *rule.Set
}

func newKept(d settings.Dirs, root string, programs standard.Programs) *kept {
	k := &kept{dirs: d, root: root, programs: programs}
	k.stamp = k.now()
	return k
}

// now identifies the user's settings files by size and time.
func (k *kept) now() string {
	stamp := ""
	for _, name := range []string{settings.ProjectFile(k.dirs, k.root), filepath.Join(k.dirs.Config, "settings.json")} {
		if info, err := os.Stat(name); err == nil {
			stamp += plainfile.Stamp(info) + "\n"
		}
	}
	return stamp
}

// Approve approves the call if a rule allows it now, else it abstains. Settings that cannot be read allow nothing.
func (k *kept) Approve(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
	k.lock.Lock()
	if now := k.now(); now != k.stamp {
		k.stamp, k.rules = now, nil
		if list, _, err := LoadRules(k.dirs, k.root); err == nil {
			k.rules = &rule.Set{List: list, Programs: k.programs}
		}
	}
	rules := k.rules
	k.lock.Unlock()
	if rules == nil || rules.Judge(ctx, c).Decision != guard.Allow {
		return guard.Answer{Choice: guard.Abstain}, nil
	}
	return rules.Approve(ctx, c, v)
}
