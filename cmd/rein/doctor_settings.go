package main

import (
	"os"
	"path/filepath"
	"strings"

	"rein/app/settings"
	"rein/kit/workspace"
)

func settingFindings(o callFlags) []finding {
	ws, err := workspace.Open(o.Dir)
	if err != nil {
		return []finding{{"settings", o.Dir, false, err.Error()}}
	}
	defer ws.Close()
	layers, warnings, err := settings.Load(settings.DefaultDirs(), ws.Dir())
	var all []finding
	for _, l := range layers {
		all = append(all, finding{"settings", l.Name, true, l.Path})
	}
	for _, w := range warnings {
		all = append(all, finding{"settings", "warning", false, w})
	}
	all = append(all, providerFindings(settings.Merge(layers).Providers, os.Getenv)...)
	if err != nil {
		all = append(all, finding{"settings", "error", false, strings.TrimSpace(err.Error())})
	}
	if len(all) == 0 {
		file := filepath.Join(settings.DefaultDirs().Config, "settings.json")
		all = append(all, finding{"settings", "none", true, "the defaults apply; your own settings would be in " + file})
	}
	return all
}
