package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"rein/harness/settings"
	"strings"
	"time"

	"rein/guard"
	"rein/redact"
	"rein/sandbox"
)

// guards are the guards of a session, and the approvers that stand in front of the person.
type guards struct {
	all        guard.All
	programs   guard.Programs
	rules      *guard.Rules
	memory     *guard.Memory
	repetition *guard.Repetition
	refusals   *guard.Refusals
	exposure   *guard.Exposure
	trail      *guard.Trail
}

// planFile is the one file that a model may write in plan mode, in the workspace.
const planFile = "PLAN.md"

// newGuards puts the guards of a workspace together. hosts tells which hosts the user has let programs reach; it may be
// nil. box is where git is asked what is not committed. tools are the names of the tools there are. opened gives the
// places that the user opened since; it may be nil.
func newGuards(root string, more []string, d settings.Dirs, mask *redact.Filter, hosts func(string) bool, box sandbox.Sandbox, tools []string, opened func() (write, read []string)) (*guards, []guard.Warning, error) {
	programs := guard.Programs{Here: hereOn(d, more)}
	programs.Here.Opened = opened
	list, warnings, err := settings.LoadRules(d, root)
	if err != nil {
		return nil, nil, err
	}
	g := &guards{
		programs:   programs,
		rules:      &guard.Rules{List: list, Programs: programs},
		memory:     &guard.Memory{Programs: programs},
		repetition: &guard.Repetition{},
		refusals:   &guard.Refusals{Programs: programs},
		exposure:   &guard.Exposure{Programs: programs},
		trail:      &guard.Trail{Programs: programs},
	}
	g.all.Guards = []guard.Guard{
		guard.Paths{Here: programs.Here, Plan: planFile},
		guard.Reach(programs),
		programs,
		guard.Hosts{Known: hosts},
		guard.Unknown{},
		guard.AccessRequests(programs),
		guard.Secrets{Programs: programs, Mask: mask},
		guard.Unsaved{Programs: programs, Files: unsavedFiles(box)},
		g.repetition,
		g.refusals,
		g.exposure,
		g.trail,
		g.rules,
	}
	return g, append(warnings, guard.Lint(list, tools)...), nil
}

// hereOn says where things are on this machine.
func hereOn(d settings.Dirs, more []string) guard.Here {
	home := settings.HomeDir()
	name := ""
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return guard.Here{
		Home: home, User: name, Dirs: more, Temp: []string{os.TempDir()},
		Settings: []string{d.Config, d.Sessions, d.State, d.Private, d.Output, filepath.Dir(settings.ManagedFile())},
	}
}

const gitTime = 5 * time.Second // that git has to tell what is not committed

// unsavedFiles asks git, inside the walls, which files have changes that it could not give back: a repository's own
// settings can make git run programs. A directory without git has none that anything could give back; there the guard
// of paths already asks before files are removed.
func unsavedFiles(box sandbox.Sandbox) func(context.Context, string) (changed, untracked []string, err error) {
	return func(ctx context.Context, root string) (changed, untracked []string, err error) {
		if _, err := os.Stat(filepath.Join(root, ".git")); errors.Is(err, fs.ErrNotExist) {
			return nil, nil, nil
		}
		var out bytes.Buffer
		spec := sandbox.Spec{Dir: root, Env: []string{"GIT_OPTIONAL_LOCKS=0"},
			Argv: []string{"git", "-c", "core.fsmonitor=false", "status", "--porcelain", "-z", "--no-renames"}}
		result, err := sandbox.Run(ctx, box, spec, &out, gitTime)
		if err == nil && (result.Code != 0 || result.TimedOut) {
			err = errors.New("it did not answer")
		}
		if err != nil {
			return nil, nil, fmt.Errorf("git status: %w", err)
		}
		for _, line := range strings.Split(out.String(), "\x00") {
			name, isUntracked := strings.CutPrefix(line, "?? ")
			switch {
			case isUntracked:
				untracked = append(untracked, name)
			case len(line) > 3:
				changed = append(changed, line[3:])
			}
		}
		return changed, untracked, nil
	}
}

// now judges a call by the guards and the rules together: what rules allow is allowed.
func (g *guards) now(ctx context.Context, c guard.Case) guard.Verdict {
	v := g.all.Judge(ctx, c)
	if v.Decision == guard.Ask {
		if a, err := g.rules.Approve(ctx, c, v); err == nil && a.Choice == guard.Approved {
			v.Decision = guard.Allow
		}
	}
	return v
}
