package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"rein/guard/rule"
	"rein/internal/plainfile"

	"github.com/tailscale/hujson"
)

// LoadRules reads the rules of all layers for a workspace.
func LoadRules(d Dirs, root string) (all []rule.Rule, warnings []rule.Warning, err error) {
	for _, f := range []struct {
		layer rule.Layer
		path  string
	}{
		{rule.Managed, ManagedFile()},
		{rule.User, filepath.Join(d.Config, "settings.json")},
		{rule.User, ProjectFile(d, root)},
		{rule.Project, filepath.Join(root, ".rein", "settings.json")},
		{rule.Local, filepath.Join(root, ".rein", "settings.local.json")},
	} {
		rules, more, err := ReadRules(f.layer, f.path, root)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) && f.layer == rule.Managed {
			continue
		}
		if err != nil {
			return nil, nil, Error{err}
		}
		all, warnings = append(all, rules...), append(warnings, more...)
	}
	return all, warnings, nil
}

// ReadRules reads the rules in one settings file. Comments are blanked, so that lines stay where they are.
func ReadRules(layer rule.Layer, path, root string) ([]rule.Rule, []rule.Warning, error) {
	text, err := plainfile.Read(path)
	if err != nil {
		return nil, nil, err
	}
	if err := believed(path, layer); err != nil {
		return nil, nil, err
	}
	standard, err := hujson.Standardize(bytes.Clone(text))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, noJSON(err))
	}
	return rule.ParseSettings(layer, path, root, standard)
}
