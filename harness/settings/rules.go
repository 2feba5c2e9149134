package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"rein/guard"
	"rein/internal/plainfile"

	"github.com/tailscale/hujson"
)

// LoadRules reads the rules of all layers for a workspace.
func LoadRules(d Dirs, root string) (all []guard.Rule, warnings []guard.Warning, err error) {
	for _, f := range []struct {
		layer guard.Layer
		path  string
	}{
		{guard.Managed, ManagedFile()},
		{guard.User, filepath.Join(d.Config, "settings.json")},
		{guard.User, ProjectFile(d, root)},
		{guard.Project, filepath.Join(root, ".rein", "settings.json")},
		{guard.Local, filepath.Join(root, ".rein", "settings.local.json")},
	} {
		rules, more, err := ReadRules(f.layer, f.path, root)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) && f.layer == guard.Managed {
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
func ReadRules(layer guard.Layer, path, root string) ([]guard.Rule, []guard.Warning, error) {
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
	return guard.ParseRules(layer, path, root, standard)
}
