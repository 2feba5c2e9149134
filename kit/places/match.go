package places

import (
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// place is one line of a table: where a name is and what it is.
type place struct {
	// pattern is a path of name patterns (path.Match for each name); "**" at the end covers everything below.
	pattern string
	class   Class
	// sandboxed is true where the sandbox keeps the place read-only (protected) or out of sight (secret): it covers whole
	// names only, never patterns, because a mount needs one.
	sandboxed bool
}

// index is a table made ready for searching: lines by their first name, and those whose first name is a pattern. Most names
// fit no line, and most of these are told by their length and a few letters.
type index struct {
	lines []line
	by    map[string][]int // line numbers, in order
	wild  []int
	whole [256]uint64 // by first letter, the lengths of first names without patterns; one of 63 bytes and more is length 63
	start [1024]bool  // the first two letters of patterns that begin with them, by startKey
	end   [1024]bool  // the last four letters of patterns that end with them, by endKey
	all   bool        // there is a pattern that has neither
}

type line struct {
	names []name
	class Class
	below bool // only what is below the place, not the place itself
}

// name is one name of a line. Most patterns have one star and nothing else: before and after are what is around it.
type name struct {
	text          string
	wild, star    bool
	before, after string
}

func newName(text string) name {
	n := name{text: text, wild: strings.ContainsAny(text, "*?[")}
	n.before, n.after, n.star = strings.Cut(text, "*")
	n.star = n.star && !strings.ContainsAny(n.before+n.after, `*?[\`)
	return n
}

func newIndex(table []place) *index {
	x := &index{by: map[string][]int{}}
	for i, p := range table {
		l := line{class: p.class, below: strings.HasSuffix(p.pattern, "/**")}
		for _, text := range strings.Split(strings.TrimSuffix(p.pattern, "/**"), "/") {
			l.names = append(l.names, newName(text))
		}
		x.lines = append(x.lines, l)
		first := l.names[0]
		if !first.wild {
			x.by[first.text] = append(x.by[first.text], i)
			x.whole[first.text[0]] |= 1 << min(len(first.text), 63)
			continue
		}
		x.wild = append(x.wild, i)
		switch {
		case first.star && len(first.before) >= 2:
			x.start[startKey(first.before)] = true
		case first.star && len(first.after) >= 4:
			x.end[endKey(first.after)] = true
		default:
			x.all = true
		}
	}
	return x
}

// startKey mixes the first two letters of a text, endKey the last four. Letters of ASCII count in lower case.
func startKey(text string) uint32 {
	return (uint32(text[0]|0x20)<<8 | uint32(text[1]|0x20)) * 2654435761 >> 22
}

func endKey(text string) uint32 {
	e := text[len(text)-4:]
	four := uint32(e[0]|0x20)<<24 | uint32(e[1]|0x20)<<16 | uint32(e[2]|0x20)<<8 | uint32(e[3]|0x20)
	return four * 2654435761 >> 22
}

// may reports whether a line could begin with a name, which is ASCII and not empty. It is true for a few that none begins with.
func (x *index) may(name string) bool {
	letter := name[0]
	if 'A' <= letter && letter <= 'Z' {
		letter |= 0x20
	}
	n := len(name)
	return x.whole[letter]>>min(n, 63)&1 != 0 || n >= 4 && x.end[endKey(name)] || n >= 2 && x.start[startKey(name)] || x.all
}

// The tables, made ready when they are first asked.
var (
	workspaceIndex = sync.OnceValue(func() *index { return newIndex(workspacePlaces) })
	homeIndex      = sync.OnceValue(func() *index { return newIndex(homePlaces) })
	machineIndex   = sync.OnceValue(func() *index { return newIndex(machinePlaces) })
	secretIndex    = sync.OnceValue(func() *index { return newIndex(secretNames) })
)

// matches is path.Match for one name. It takes time in proportion to the pattern where that has one star and nothing else, also for a
// name of many kilobytes.
func (n *name) matches(text string) bool {
	if !n.wild {
		return n.text == text
	}
	if n.star {
		return len(text) >= len(n.before)+len(n.after) && strings.HasPrefix(text, n.before) && strings.HasSuffix(text, n.after)
	}
	ok, err := path.Match(n.text, text)
	return n.text == text || ok && err == nil
}

// matches reports whether the names of a path fit the line: a place covers what is below it.
func (l *line) matches(names []string) bool {
	if len(names) < len(l.names) || l.below && len(names) == len(l.names) {
		return false
	}
	for i := range l.names {
		if !l.names[i].matches(names[i]) {
			return false
		}
	}
	return true
}

// first returns the class of the first line that fits.
func (x *index) first(names []string) (Class, bool) {
	if len(names) == 0 {
		return Outside, false
	}
	best := len(x.lines)
	for _, i := range x.by[names[0]] {
		if x.lines[i].matches(names) {
			best = i
			break
		}
	}
	for _, i := range x.wild {
		if i >= best {
			break
		}
		if x.lines[i].matches(names) {
			best = i
			break
		}
	}
	if best == len(x.lines) {
		return Outside, false
	}
	return x.lines[best].class, true
}

// inWorkspace classifies a clean path below a workspace: a line of the table counts at every depth.
func inWorkspace(rest string) Class {
	x := workspaceIndex()
	bits := byte(0)
	for i := range len(rest) {
		bits |= rest[i]
	}
	if bits >= utf8.RuneSelf {
		rest = strings.ToLower(rest) // a few letters become letters of ASCII
	}
	for rest != "" {
		name, after, _ := strings.Cut(rest, "/")
		if name != "" && x.may(name) {
			if c, ok := x.first(split(rest)); ok {
				return c
			}
		}
		rest = after
	}
	return Workspace
}

// Plain reports whether the name of a directory of a workspace says nothing of what is in it, alone or with the names that follow. Where all
// names above an entry are plain, it has the class of its name alone.
func Plain(name string) bool {
	x, name := workspaceIndex(), strings.ToLower(name)
	return !x.may(name) || !slices.ContainsFunc(x.lines, func(l line) bool { return l.names[0].matches(name) })
}

// OfName is the class of an entry where all names above are plain.
func OfName(name string) Class { return inWorkspace(name) }

// inHome classifies a path below the home directory.
func inHome(rest string) Class {
	names := split(rest)
	if c, ok := homeIndex().first(names); ok {
		return c
	}
	if n := len(names); n > 0 {
		if c, ok := secretIndex().first(names[n-1:]); ok {
			return c
		}
	}
	return Outside
}

// onMachine classifies an absolute path outside home and workspaces. The homes of others are judged as homes.
func onMachine(abs string) Class {
	names := split(abs)
	if c, ok := machineIndex().first(names); ok {
		return c
	}
	var rest []string
	switch {
	case len(names) > 2 && (names[0] == "home" || names[0] == "users"):
		rest = names[2:]
	case len(names) > 1 && names[0] == "root":
		rest = names[1:]
	}
	if c, ok := homeIndex().first(rest); ok && c == Secret {
		return Secret
	}
	if len(names) == 0 || machineRoots[names[0]] {
		return Machine
	}
	return Outside
}

// split returns the names of a path in lower case: macOS and Windows volumes treat .GIT and .git as the same name.
func split(p string) []string {
	return strings.FieldsFunc(strings.ToLower(p), func(r rune) bool { return r == '/' })
}

// MayMatch returns the worst class that a path with wildcards (* ? [ ]) could reach by the names of the tables, and
// whether it could reach any. A wildcard at the start of a name does not match hidden files, as in a shell.
func MayMatch(glob string, c Context) (Class, bool) {
	abs := strings.ToLower(c.Abs(glob))
	worst, found := Outside, false
	note := func(k Class) {
		if !found || k > worst {
			worst, found = k, true
		}
	}
	if rest, ok := below(abs, strings.ToLower(c.Home)); ok {
		homeIndex().reached(split(rest), note)
	}
	machineIndex().reached(split(abs), note)
	if root, ok := c.workspaceOf(c.Abs(glob)); ok {
		rest := split(c.Abs(glob)[len(root):])
		for i := range rest {
			workspaceIndex().reached(rest[i:], note)
		}
	}
	return worst, found
}

// reached notes the classes of the places that a path pattern can name, or something in them.
func (x *index) reached(glob []string, note func(Class)) {
	for i := range x.lines {
		if x.lines[i].reachedBy(glob) {
			note(x.lines[i].class)
		}
	}
}

func (l *line) reachedBy(glob []string) bool {
	if len(glob) < len(l.names) {
		return false
	}
	wild := false
	for i := range l.names {
		want, g := l.names[i].text, glob[i]
		if g == want {
			continue
		}
		if base, ok := strings.CutSuffix(want, "*"); ok && base != "" {
			want = base // shadow* begins with shadow
		}
		// Where both sides are patterns, only equal spelling is sure: anything looser would flag every "*". A wildcard
		// at the start does not match hidden names.
		hidden := strings.HasPrefix(want, ".") && !strings.HasPrefix(g, ".")
		if hidden || strings.ContainsAny(want, "*?[") || !strings.ContainsAny(g, "*?[") || !aims(g) {
			return false
		}
		if ok, err := path.Match(g, want); err != nil || !ok {
			return false
		}
		wild = true
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
func ProtectedNames() []string { return sandboxRoots(workspacePlaces, Protected, Settings, Private) }

// SteeringNames lists what runs programs or steers tools and agents in a workspace, as paths below it, whether the sandbox
// protects it or not. Names with patterns are left out.
func SteeringNames() []string {
	var names []string
	for _, p := range workspacePlaces {
		if (p.class == Protected || p.class == Settings || p.pattern == ".envrc") && !strings.ContainsAny(p.pattern, "*?[") {
			names = append(names, p.pattern)
		}
	}
	return names
}

// PrivateNames lists the names of what may hold credentials at any depth of a workspace: patterns for one name. Names that are
// known to hold none, such as .env.example, fit them too.
func PrivateNames() []string {
	var names []string
	for _, p := range workspacePlaces {
		if p.class == Private || p.class == Settings {
			names = append(names, p.pattern)
		}
	}
	return names
}

// SecretNames lists what the sandbox keeps out of sight in the home directory, as paths below it.
func SecretNames() []string { return sandboxRoots(homePlaces, Secret, Settings) }

// MachineSecretNames lists what the sandbox keeps out of sight outside the home directory, as absolute paths.
func MachineSecretNames() []string {
	names := sandboxRoots(machinePlaces, Secret)
	for i, name := range names {
		names[i] = "/" + name
	}
	return names
}

func sandboxRoots(table []place, classes ...Class) []string {
	var names []string
	for _, p := range table {
		for _, c := range classes {
			if p.sandboxed && p.class == c {
				names = append(names, strings.TrimSuffix(p.pattern, "/**"))
			}
		}
	}
	return names
}
