package house

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Imports reports imports that do not go down, packages that no floor lists, and forbidden pairs.
func (m *Module) Imports() []string {
	var found []string
	for _, p := range m.Packages {
		from, ok := placeOf(p.Name)
		if !ok {
			found = append(found, fmt.Sprintf("package %q is on no floor: list it in lab/house/house.go", p.Name))
			continue
		}
		for _, to := range p.Imports {
			if below, ok := placeOf(to.To); ok && below.rank >= from.rank && to.To != shared && from.floor != "lab" {
				found = append(found, fmt.Sprintf("%s (%s) imports %s (%s)%s: imports only go down",
					p.Name, from.floor, to.To, below.floor, on(to.System)))
			}
			for _, pair := range Forbidden {
				if covers(pair.From, p.Name) && covers(pair.To, to.To) && !covers(pair.Except, to.To) && !sameUnit(p.Name, to.To, pair.From) {
					found = append(found, fmt.Sprintf("%s imports %s%s: %s",
						p.Name, strings.TrimPrefix(to.To, "std:"), on(to.System), pair.Why))
				}
			}
		}
	}
	return distinct(found)
}

// sameUnit reports whether one pattern covers both packages: a front end may import its own parts.
func sameUnit(from, to string, patterns []string) bool {
	for _, p := range patterns {
		if one := []string{p}; covers(one, from) && covers(one, to) {
			return true
		}
	}
	return false
}

// on names the system in a message, except the one that everybody builds for.
func on(system string) string {
	if system == systems[0] {
		return ""
	}
	return " in a file for " + system
}

// graph holds the imports of each package of the module that are of the module themselves, without those of lab.
func (m *Module) graph() map[string][]string {
	imports := map[string][]string{}
	for _, p := range m.Packages {
		if isLab(p.Name) {
			continue
		}
		imports[p.Name] = nil
		for _, to := range p.Imports {
			if !strings.HasPrefix(to.To, "std:") {
				imports[p.Name] = append(imports[p.Name], to.To)
			}
		}
		slices.Sort(imports[p.Name])
	}
	return imports
}

// longest returns the longest chain of imports. The graph has no cycles: Go refuses them.
func longest(imports map[string][]string) []string {
	known := map[string][]string{}
	var from func(string) []string
	from = func(name string) []string {
		if chain, ok := known[name]; ok {
			return chain
		}
		var best []string
		for _, to := range imports[name] {
			if chain := from(to); len(chain) > len(best) {
				best = chain
			}
		}
		known[name] = append([]string{name}, best...)
		return known[name]
	}
	var best []string
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		if chain := from(name); len(chain) > len(best) {
			best = chain
		}
	}
	return best
}

func distinct(lines []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(lines)))
}
