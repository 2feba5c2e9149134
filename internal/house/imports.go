package house

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Imports reports imports that do not go to a lower layer, packages without a layer, and forbidden pairs.
func (m *Module) Imports() []string {
	var found []string
	for _, p := range m.Packages {
		layer, ok := layerOf(p.Name)
		if !ok {
			found = append(found, fmt.Sprintf("package %q has no layer: list it in internal/house/house.go", p.Name))
			continue
		}
		for _, to := range p.Imports {
			if below, ok := layerOf(to.To); ok && below >= layer {
				found = append(found, fmt.Sprintf("%s (layer %d) imports %s (layer %d)%s: imports only go down",
					p.Name, layer, to.To, below, on(to.System)))
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

// Graph reports an import graph that is too deep or too dense, and folders that import each other.
func (m *Module) Graph() []string {
	var found []string
	imports := m.graph()
	edges := 0
	for _, to := range imports {
		edges += len(to)
	}
	if ratio := float64(edges) / float64(max(len(imports), 1)); ratio > maxEdges {
		found = append(found, fmt.Sprintf("%.2f imports of our packages per package, at most %.2f", ratio, maxEdges))
	}
	if chain := longest(imports); len(chain)-1 > maxDepth {
		found = append(found, fmt.Sprintf("a chain of %d imports, at most %d: %s", len(chain)-1, maxDepth, strings.Join(chain, " → ")))
	}
	return append(found, folderLoops(imports)...)
}

// graph holds the imports of each package of the module that are of the module themselves.
func (m *Module) graph() map[string][]string {
	imports := map[string][]string{}
	for _, p := range m.Packages {
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

// folderLoops finds folders beside each other that import each other, directly or through others. The packages in a
// folder named internal count as folders beside it: the folder only hides them.
func folderLoops(imports map[string][]string) []string {
	siblings := map[string]map[string][]string{} // parent → folder → folders that it imports
	for _, from := range slices.Sorted(maps.Keys(imports)) {
		for _, to := range imports[from] {
			parent, a, b := split(from, to)
			if a == b {
				continue
			}
			if siblings[parent] == nil {
				siblings[parent] = map[string][]string{}
			}
			siblings[parent][a] = append(siblings[parent][a], b)
		}
	}
	var found []string
	for _, parent := range slices.Sorted(maps.Keys(siblings)) {
		graph := siblings[parent]
		for _, a := range slices.Sorted(maps.Keys(graph)) {
			if loop := pathTo(graph, a, a, map[string]bool{}); loop != nil {
				found = append(found, "folders import each other: "+strings.Join(append([]string{a}, loop...), " → "))
				break
			}
		}
	}
	return found
}

// split finds where two packages part: the folder that holds both, and the folder below it that each is in. The
// package of the folder itself is ".".
func split(from, to string) (parent, a, b string) {
	x, y := strings.Split(path.Clean(from), "/"), strings.Split(path.Clean(to), "/")
	i := 0
	for i < len(x) && i < len(y) && x[i] == y[i] {
		i++
	}
	return strings.Join(x[:i], "/"), folder(x[i:]), folder(y[i:])
}

func folder(rest []string) string {
	switch {
	case len(rest) == 0:
		return "."
	case rest[0] == "internal" && len(rest) > 1:
		return "internal/" + rest[1]
	default:
		return rest[0]
	}
}

func pathTo(graph map[string][]string, from, goal string, seen map[string]bool) []string {
	for _, next := range graph[from] {
		if next == goal {
			return []string{next}
		}
		if seen[next] {
			continue
		}
		seen[next] = true
		if rest := pathTo(graph, next, goal, seen); rest != nil {
			return append([]string{next}, rest...)
		}
	}
	return nil
}

func distinct(lines []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(lines)))
}
