package harness

import (
	"context"
	"os"
	"os/user"

	"rein/app/settings"
	"rein/kit/guards"
)

// planFile is the one file that a model may write in plan mode, in the workspace.
const planFile = "PLAN.md"

// GuardSet is the standard set of guards with the rules of the settings.
type GuardSet struct {
	*guards.Set
	Rules *guards.Rules
}

// newGuards puts the guards of a workspace together: the standard set with the rules of all layers, and then the given
// ones. more are further directories of the work, tools are the names of the tools that there are. The caller sets in o
// what needs a running session; where it does not, nobody has been granted access, and no work is unsaved.
func newGuards(root string, more []string, d settings.Dirs, tools []string, given []guards.Rule, o guards.Options) (GuardSet, []guards.RuleWarning, error) {
	list, warnings, err := LoadRules(d, root)
	if err != nil {
		return GuardSet{}, nil, err
	}
	warnings = append(warnings, guards.LintRules(list, tools)...)
	opened, protected := o.Here.Opened, o.Here.Protected
	o.Here = hereOn(d, more)
	o.Here.Opened, o.Here.Protected = opened, protected
	rules := &guards.Rules{List: append(list, given...)}
	o.Plan, o.Confined, o.Rules = planFile, ConfinedTools(), rules
	if o.Unsaved == nil {
		o.Unsaved = NothingUnsaved
	}
	if o.History == nil {
		o.History = nothingPast
	}
	set := guards.New(o)
	rules.Programs = set.Programs // so that a command is parsed once
	return GuardSet{set, rules}, warnings, nil
}

// ConfinedTools are the names of the tools that open files only through the workspace.
func ConfinedTools() []string {
	return []string{"read_file", "grep", "glob", "list_dir", "edit_file", "write_file", "apply_patch", "insert", "undo_edit", "notebook_edit", "agent_apply", "agent_diff", "browser_download",
		"view_image", "view_video", "send_file"}
}

// nothingPast is the history of git where nothing runs: it has no secrets.
func nothingPast(context.Context, string, []string) error { return nil }

// NothingUnsaved is the state of the work tree where nothing runs: commands are judged as in a clean one.
func NothingUnsaved(context.Context, string) (changed, untracked []string, err error) {
	return nil, nil, nil
}

// hereOn returns the paths of this machine.
func hereOn(d settings.Dirs, more []string) guards.Here {
	home := settings.HomeDir()
	name := ""
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return guards.Here{
		Home: home, User: name, Dirs: more, Temp: []string{os.TempDir()}, Settings: ownDirs(d),
	}
}

// Guards returns the guards and rules of a workspace without a session, for judging calls by hand: nothing runs.
func Guards(d settings.Dirs, root string) (GuardSet, []guards.RuleWarning, error) {
	return newGuards(root, nil, d, settings.ToolNames(), nil, guards.Options{})
}
