package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"rein/guard/rule"
	"rein/guard/standard"
	"rein/harness/settings"
	"rein/sandbox"
)

// planFile is the one file that a model may write in plan mode, in the workspace.
const planFile = "PLAN.md"

// GuardSet is the standard set of guards with the rules of the settings.
type GuardSet struct {
	*standard.Set
	Rules *rule.Set
}

// newGuards puts the guards of a workspace together: the standard set with the rules of all layers, and then the given
// ones. more are further directories of the work, tools are the names of the tools that there are. The caller sets in o
// what needs a running session; where it does not, nobody has been granted access, and no work is unsaved.
func newGuards(root string, more []string, d settings.Dirs, tools []string, given []rule.Rule, o standard.Options) (GuardSet, []rule.Warning, error) {
	list, warnings, err := LoadRules(d, root)
	if err != nil {
		return GuardSet{}, nil, err
	}
	warnings = append(warnings, rule.Lint(list, tools)...)
	opened, protected := o.Here.Opened, o.Here.Protected
	o.Here = hereOn(d, more)
	o.Here.Opened, o.Here.Protected = opened, protected
	rules := &rule.Set{List: append(list, given...)}
	o.Plan, o.Confined, o.Rules = planFile, ConfinedTools(), rules
	if o.Unsaved == nil {
		o.Unsaved = NothingUnsaved
	}
	set := standard.New(o)
	rules.Programs = set.Programs // so that a command is parsed once
	return GuardSet{set, rules}, warnings, nil
}

// ConfinedTools are the names of the tools that open files only through the workspace.
func ConfinedTools() []string {
	return []string{"read_file", "grep", "glob", "list_dir", "edit_file", "write_file", "apply_patch", "insert", "undo_edit", "notebook_edit", "agent_apply", "agent_diff", "browser_download",
		"view_image", "view_video", "send_file"}
}

// NothingUnsaved is the state of the work tree where nothing runs: commands are judged as in a clean one.
func NothingUnsaved(context.Context, string) (changed, untracked []string, err error) {
	return nil, nil, nil
}

// hereOn gives the paths of this machine.
func hereOn(d settings.Dirs, more []string) standard.Here {
	home := settings.HomeDir()
	name := ""
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return standard.Here{
		Home: home, User: name, Dirs: more, Temp: []string{os.TempDir()},
		Settings: []string{d.Config, d.Sessions, d.State, d.Private, d.Output, filepath.Dir(settings.ManagedFile())},
	}
}

const gitTime = 5 * time.Second // that git has to tell what is not committed

// unsavedFiles asks git which files have changes that git could not restore. Git runs in the sandbox, because a
// repository's own settings can make git run programs. A directory without git has nothing that could be restored; there
// the guard of paths asks before files are removed.
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

// Guards gives the guards and rules of a workspace without a session, for judging calls by hand: nothing runs.
func Guards(d settings.Dirs, root string) (GuardSet, []rule.Warning, error) {
	return newGuards(root, nil, d, settings.ToolNames(), nil, standard.Options{})
}
