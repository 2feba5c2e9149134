package main

import (
	"path/filepath"

	"rein/app/harness"
	"rein/app/settings"
)

// searchFindings are the search engines of web_search, and what is to be set for those that are not asked.
func searchFindings(o callFlags) (all []finding) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil // the settings' findings have the error
	}
	layers, _, err := settings.Load(settings.DefaultDirs(), dir)
	if err != nil {
		return nil // likewise
	}
	for _, e := range harness.SearchEngines(settings.Merge(layers).Search) {
		text := "asked"
		if !e.Ready {
			text = e.Needs
		}
		all = append(all, finding{"search", e.Name, e.Ready, text})
	}
	return all
}
