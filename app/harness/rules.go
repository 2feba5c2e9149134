package harness

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/internal/plainfile"
	"rein/kit/guards"
)

// LoadRules reads the rules of all layers of settings for a workspace.
func LoadRules(d settings.Dirs, root string) (all []guards.Rule, warnings []guards.RuleWarning, err error) {
	for _, f := range []struct {
		layer guards.RuleLayer
		path  string
	}{
		{guards.Managed, settings.ManagedFile()},
		{guards.User, filepath.Join(d.Config, "settings.json")},
		{guards.User, settings.ProjectFile(d, root)},
		{guards.Project, filepath.Join(root, ".rein", "settings.json")},
		{guards.Local, filepath.Join(root, ".rein", "settings.local.json")},
	} {
		rules, more, err := ReadRules(f.layer, f.path, root)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) && f.layer == guards.Managed {
			continue
		}
		if err != nil {
			return nil, nil, settings.Error{Err: err}
		}
		all, warnings = append(all, rules...), append(warnings, more...)
	}
	rules, more := claudeRules(root)
	return append(all, rules...), append(warnings, more...), nil
}

// claudeRules reads what the settings of Claude Code in a workspace ask about and deny. They are a project's: what they allow counts for
// nothing, and what has no meaning here is a warning.
func claudeRules(root string) (all []guards.Rule, warnings []guards.RuleWarning) {
	for _, name := range []string{"settings.json", "settings.local.json"} {
		path := filepath.Join(root, ".claude", name)
		text, err := settings.PlainJSON(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		warn := func(err error) {
			warnings = append(warnings, guards.RuleWarning{Text: err.Error()})
		}
		var file struct{ Permissions json.RawMessage }
		if err == nil {
			err = json.Unmarshal(text, &file)
		}
		if err != nil || len(file.Permissions) == 0 {
			if err != nil {
				warn(err)
			}
			continue
		}
		found, _, err := guards.RulesFromClaude(file.Permissions, false, func(string) {})
		if err != nil {
			warn(err)
		}
		for _, r := range found {
			if r.Decision == "allow" {
				continue
			}
			doc, err := json.Marshal(map[string]any{"permissions": map[string][]string{r.Decision: {r.Text}}})
			if err != nil {
				continue
			}
			rules, _, err := guards.ParseRules(guards.Project, path, root, doc)
			if err != nil {
				warn(err)
			}
			all = append(all, rules...)
		}
	}
	return all, warnings
}

// ReadRules reads the rules in one settings file. Rules of the user and of the system may allow calls, so nobody else may
// have written their files. A project's own file can only tighten, whoever wrote it.
func ReadRules(layer guards.RuleLayer, path, root string) ([]guards.Rule, []guards.RuleWarning, error) {
	text, err := settings.PlainJSON(path)
	if err == nil && layer <= guards.User {
		err = settings.CheckOwner(path)
	}
	if err != nil {
		return nil, nil, err
	}
	return guards.ParseRules(layer, path, root, text)
}

// keptRules knows the rules of the user's settings as they are now, once they have changed since the session began. As an approver it
// answers the requests that wait here by a lasting approval of another session; as a guard it denies and asks what they deny and ask, and an
// allow rule that is removed allows nothing more. So what the user makes stricter holds for the next call, and what the guard of this session
// denies and asks does not become less while it runs.
type keptRules struct {
	dirs settings.Dirs
	root string
	own  *guards.Rules // those of the session

	lock   sync.Mutex
	stamp  string        // of the files as they were read last
	rules  *guards.Rules // without what the session denies and asks by itself; nil: the files have not changed
	broken bool          // the files cannot be read: the rules that they had last deny and ask, and allow nothing
}

func newKeptRules(d settings.Dirs, root string) *keptRules {
	k := &keptRules{dirs: d, root: root}
	k.stamp = k.stampNow()
	return k
}

// stampNow identifies the user's settings files by size and time.
func (k *keptRules) stampNow() string {
	stamp := ""
	for _, name := range RuleFiles(k.dirs, k.root) {
		if info, err := os.Stat(name); err == nil {
			stamp += plainfile.Stamp(info) + "\n"
		}
	}
	return stamp
}

// now returns the rules as they are now, and whether they may allow anything.
func (k *keptRules) now() (rules *guards.Rules, allow bool) {
	k.lock.Lock()
	defer k.lock.Unlock()
	if now := k.stampNow(); now != k.stamp {
		list, _, err := LoadRules(k.dirs, k.root)
		if k.stamp, k.broken = now, err != nil; err == nil {
			k.own.Withdraw(list)
			k.rules = &guards.Rules{List: slices.DeleteFunc(list, k.judges), Programs: k.own.Programs}
		}
	}
	return k.rules, k.rules != nil && !k.broken
}

// judges reports whether the session denies or asks by a rule itself.
func (k *keptRules) judges(r guards.Rule) bool {
	return r.Decision != guard.Allow && slices.ContainsFunc(k.own.List, func(own guards.Rule) bool { return own.Decision == r.Decision && own.String() == r.String() })
}

// Judge denies and asks what the rules deny and ask now.
func (k *keptRules) Judge(ctx context.Context, c guard.Case) guard.Verdict {
	rules, _ := k.now()
	if rules == nil {
		return guard.Verdict{}
	}
	return rules.Judge(ctx, c)
}

// Fingerprint is the same for all rules: an answer that is left for a call counts, unless they deny the call when it is judged again.
func (k *keptRules) Fingerprint() string { return "rules that were saved meanwhile" }

// Approve approves the call if a rule allows it now, else it abstains.
func (k *keptRules) Approve(ctx context.Context, c guard.Case, v guard.Verdict) (guard.Answer, error) {
	rules, allow := k.now()
	if !allow || rules.Judge(ctx, c).Decision != guard.Allow {
		return guard.Answer{Choice: guard.Abstain}, nil
	}
	return rules.Approve(ctx, c, v)
}

// GuardsWith are Guards with further rules, as if they were given on the command line.
func GuardsWith(d settings.Dirs, root string, allow, ask, deny []string) (GuardSet, []guards.RuleWarning, error) {
	given, warnings, err := commandLineRules(event.Terms{Dir: root, Allow: allow, Ask: ask, Deny: deny})
	if err != nil {
		return GuardSet{}, nil, inputError(err)
	}
	g, more, err := newGuards(root, nil, d, settings.ToolNames(), given, guards.Options{})
	return g, append(warnings, more...), err
}

// GuardsWithFile are Guards with the further rules of a settings file, as if they were given on the command line.
func GuardsWithFile(d settings.Dirs, root, file string) (GuardSet, []guards.RuleWarning, error) {
	given, warnings, err := ReadRules(guards.CommandLine, file, root)
	if err != nil {
		return GuardSet{}, nil, settings.Error{Err: err}
	}
	g, more, err := newGuards(root, nil, d, settings.ToolNames(), given, guards.Options{})
	return g, append(warnings, more...), err
}

// RuleFiles returns the files that rules of lasting approvals go to: the one for this project, and the user's.
func RuleFiles(d settings.Dirs, root string) []string {
	return []string{settings.ProjectFile(d, root), filepath.Join(d.Config, "settings.json")}
}

// KeepRules adds rules of a decision, "allow" or "deny", to the file for this project, or for everywhere to the user's.
func KeepRules(d settings.Dirs, root, decision string, rules []string, everywhere bool) error {
	file := RuleFiles(d, root)[0]
	if everywhere {
		file = RuleFiles(d, root)[1]
	}
	return settings.AddAll(file, "/permissions/"+decision, rules, func() error {
		_, _, err := LoadRules(d, root)
		return err
	})
}
