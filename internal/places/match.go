package places

import (
	"path"
	"strings"
)

// place is one line of a table: where a name stands and what it is.
type place struct {
	// pattern is a path of name patterns (path.Match for each name); "**" at the end covers everything below.
	pattern string
	class   Class
	// walls is true where the sandbox keeps the place read-only (protected) or out of sight (secret): it covers whole
	// names only, never patterns, because a mount needs one.
	walls bool
}

// matches reports whether the names of a path, all of them, fit the pattern. A pattern without "**" also covers
// what is below it: a directory of secrets is secret all the way down.
func (p place) matches(names []string) bool {
	want := strings.Split(strings.TrimSuffix(p.pattern, "/**"), "/")
	if len(names) < len(want) {
		return false
	}
	for i, w := range want {
		if ok, err := path.Match(w, names[i]); err != nil || !ok {
			return false
		}
	}
	return len(names) > len(want) || !strings.HasSuffix(p.pattern, "/**")
}

// first gives the class of the first line that fits.
func first(table []place, names []string) (Class, bool) {
	for _, p := range table {
		if p.matches(names) {
			return p.class, true
		}
	}
	return Outside, false
}

// inWorkspace classifies a path below a workspace: a line of the table counts at every depth.
func inWorkspace(rest string) Class {
	names := split(rest)
	for i := range names {
		if c, ok := first(workspacePlaces, names[i:]); ok {
			return c
		}
	}
	return Workspace
}

// inHome classifies a path below the home directory.
func inHome(rest string) Class {
	names := split(rest)
	if c, ok := first(homePlaces, names); ok {
		return c
	}
	if n := len(names); n > 0 {
		if c, ok := first(secretNames, names[n-1:]); ok {
			return c
		}
	}
	return Outside
}

// onMachine classifies an absolute path outside home and workspaces. The homes of others are judged as homes.
func onMachine(abs string) Class {
	names := split(abs)
	if c, ok := first(machinePlaces, names); ok {
		return c
	}
	var rest []string
	switch {
	case len(names) > 2 && (names[0] == "home" || names[0] == "users"):
		rest = names[2:]
	case len(names) > 1 && names[0] == "root":
		rest = names[1:]
	}
	if c, ok := first(homePlaces, rest); ok && c == Secret {
		return Secret
	}
	if len(names) == 0 || machineRoots[names[0]] {
		return Machine
	}
	return Outside
}

// split gives the names of a path in lower case: macOS and Windows volumes do not tell .GIT from .git.
func split(p string) []string {
	return strings.FieldsFunc(strings.ToLower(p), func(r rune) bool { return r == '/' })
}

// MayMatch tells the worst class that a path with wildcards (* ? [ ]) could reach by the names of the tables, and
// whether it could reach any. A wildcard at the start of a name does not match hidden files, as in a shell.
func MayMatch(glob string, c Context) (Class, bool) {
	abs := strings.ToLower(c.Abs(glob))
	worst, found := Outside, false
	note := func(k Class) {
		if !found || k > worst {
			worst, found = k, true
		}
	}
	for _, p := range homePlaces {
		if c.Home != "" && reaches(abs, strings.ToLower(c.Home)+"/"+p.pattern) {
			note(p.class)
		}
	}
	for _, p := range machinePlaces {
		if reaches(abs, "/"+p.pattern) {
			note(p.class)
		}
	}
	if root, ok := c.workspaceOf(c.Abs(glob)); ok {
		rest := split(c.Abs(glob)[len(root):])
		for i := range rest {
			for _, p := range workspacePlaces {
				if reaches("/"+strings.Join(rest[i:], "/"), "/"+p.pattern) {
					note(p.class)
				}
			}
		}
	}
	return worst, found
}

// reaches reports whether a path pattern can name the given place or something in it.
func reaches(glob, name string) bool {
	g, n := split(glob), split(strings.TrimSuffix(name, "/**"))
	if len(g) < len(n) {
		return false
	}
	wild := false
	for i, want := range n {
		hidden := strings.HasPrefix(want, ".") && !strings.HasPrefix(g[i], ".")
		if strings.ContainsAny(want, "*?[") {
			// Both sides are patterns: only equal spelling is sure, anything looser would flag every "*".
			if g[i] != want {
				return false
			}
			continue
		}
		if ok, err := path.Match(g[i], want); err != nil || !ok || hidden {
			return false
		}
		if g[i] != want && !aims(g[i]) {
			return false
		}
		wild = wild || g[i] != want
	}
	return wild
}

// aims reports whether a name with wildcards says enough to mean one thing: "*" and "*.txt" could name anything.
func aims(glob string) bool {
	letters := strings.Trim(glob, "*?")
	if glob[0] != '*' && glob[0] != '?' {
		return letters != ""
	}
	return len(letters) >= 5 && letters[0] != '.'
}

// ProtectedNames lists what the sandbox keeps read-only in each workspace, as paths below it.
func ProtectedNames() []string { return walled(workspacePlaces, Protected, Settings, Private) }

// SecretNames lists what the sandbox keeps out of sight in the home directory, as paths below it.
func SecretNames() []string { return walled(homePlaces, Secret, Settings) }

// MachineSecretNames lists what the sandbox keeps out of sight outside the home directory, as absolute paths.
func MachineSecretNames() []string {
	names := walled(machinePlaces, Secret)
	for i, name := range names {
		names[i] = "/" + name
	}
	return names
}

// ToolNames lists what installed tools keep in the home directory, as paths below it: the sandbox shows it read-only.
func ToolNames() []string {
	var names []string
	for _, p := range homePlaces {
		if p.class == Tools {
			names = append(names, p.pattern)
		}
	}
	return names
}

func walled(table []place, classes ...Class) []string {
	var names []string
	for _, p := range table {
		for _, c := range classes {
			if p.walls && p.class == c {
				names = append(names, strings.TrimSuffix(p.pattern, "/**"))
			}
		}
	}
	return names
}
