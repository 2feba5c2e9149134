package harness

import (
	"errors"
	"io/fs"
	"path/filepath"

	"rein/guard/rule"
	"rein/harness/settings"
)

// LoadRules reads the rules of all layers of settings for a workspace.
func LoadRules(d settings.Dirs, root string) (all []rule.Rule, warnings []rule.Warning, err error) {
	for _, f := range []struct {
		layer rule.Layer
		path  string
	}{
		{rule.Managed, settings.ManagedFile()},
		{rule.User, filepath.Join(d.Config, "settings.json")},
		{rule.User, settings.ProjectFile(d, root)},
		{rule.Project, filepath.Join(root, ".rein", "settings.json")},
		{rule.Local, filepath.Join(root, ".rein", "settings.local.json")},
	} {
		rules, more, err := ReadRules(f.layer, f.path, root)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) && f.layer == rule.Managed {
			continue
		}
		if err != nil {
			return nil, nil, settings.Error{Err: err}
		}
		all, warnings = append(all, rules...), append(warnings, more...)
	}
	return all, warnings, nil
}

// ReadRules reads the rules in one settings file. Rules of the user and of the system may allow calls, so nobody else may
// have written their files. A project's own file can only tighten, whoever wrote it.
func ReadRules(layer rule.Layer, path, root string) ([]rule.Rule, []rule.Warning, error) {
	text, err := settings.PlainJSON(path)
	if err == nil && layer <= rule.User {
		err = settings.CheckOwner(path)
	}
	if err != nil {
		return nil, nil, err
	}
	return rule.ParseSettings(layer, path, root, text)
}
