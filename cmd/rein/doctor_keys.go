package main

import (
	"net/url"
	"rein/harness/settings"
	"slices"
	"strings"

	"rein/model/providers"
)

// keyFindings tells which variables hold keys, by their names only, and where providers were moved to. What a provider
// can do without is reported only if it is set.
func keyFindings(getenv func(string) string) (all []finding) {
	tell := func(f finding) {
		if !slices.Contains(all, f) { // two protocols of one provider share its key
			all = append(all, f)
		}
	}
	for _, p := range providers.Table() {
		for i, name := range p.Keys {
			if set := getenv(name) != ""; set || i == 0 && !p.Local {
				tell(finding{"keys", name, set, setOrNot(set)})
			}
		}
		for _, name := range p.Bases {
			if base := getenv(name); base != "" {
				tell(finding{"keys", name, true, plainAddress(base)})
			}
		}
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

// providerFindings tells what the settings say of providers, and whether the keys that they name are there.
func providerFindings(all map[string]settings.Provider, getenv func(string) string) (told []finding) {
	for _, name := range sortedKeys(all) {
		p, ok, says := all[name], true, ""
		if p.BaseURL != "" {
			says = plainAddress(p.BaseURL)
		}
		if p.KeyEnv != "" {
			ok = getenv(p.KeyEnv) != ""
			says = strings.TrimSpace(says + " key in " + p.KeyEnv + ": " + setOrNot(ok))
		}
		told = append(told, finding{"settings", "provider " + name, ok, says})
	}
	return told
}
