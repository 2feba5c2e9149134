package main

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"rein/app/settings"
	"rein/kit/providers"
)

// keyFindings reports which variables hold keys, by their names only, and which providers have another address. It reports
// an optional variable, and the key of a provider that has to be named, only if it is set.
func keyFindings(getenv func(string) string) (all []finding) {
	tell := func(f finding) {
		if !slices.Contains(all, f) { // two protocols of one provider share its key
			all = append(all, f)
		}
	}
	for _, p := range providers.Table() {
		for i, name := range p.Keys {
			if set := getenv(name) != ""; set || i == 0 && p.Model != "" {
				tell(finding{"keys", name, set, setOrNot(set)})
			}
		}
		for _, name := range p.Bases {
			if base := getenv(name); base != "" {
				tell(finding{"keys", name, true, plainAddress(base)})
			}
		}
	}
	if !slices.ContainsFunc(all, func(f finding) bool { return f.OK }) {
		tell(finding{"keys", "none is set", false, "rein setup chooses a model and keeps its key"})
	}
	return all
}

func setOrNot(set bool) string {
	if set {
		return "set"
	}
	return "not set"
}

// plainAddress is an address without what may be secret in it.
func plainAddress(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return "set, and no URL"
	}
	return u.Redacted()
}

// providerFindings reports the providers in the settings, and whether their keys are set.
func providerFindings(all map[string]settings.Provider, getenv func(string) string) (found []finding) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		p, ok, detail := all[name], true, ""
		if p.BaseURL != "" {
			detail = plainAddress(p.BaseURL)
		}
		if p.KeyEnv != "" {
			ok = getenv(p.KeyEnv) != ""
			detail = strings.TrimSpace(detail + " key in " + p.KeyEnv + ": " + setOrNot(ok))
		}
		found = append(found, finding{"settings", "provider " + name, ok, detail})
	}
	return found
}
