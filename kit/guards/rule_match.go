package guards

import (
	"path"
	"slices"
	"strings"

	"rein/guard"
	"rein/guard/effect"

	"rein/kit/places"
	"rein/kit/shell"
)

// subject is a call as rules see it.
type subject struct {
	c      guard.Case
	report *effect.Report // of its command; nil without one
	here   Here
	at     places.Context
}

func newSubject(c guard.Case, p Programs) subject {
	s := subject{c: c, here: p.Here, at: p.Here.Places(c)}
	if c.Intent.Command != "" {
		s.report = p.Read(c)
	}
	return s
}

// reached are paths of the command and what the links among them lead to.
func (s subject) reached(names []string) []string { return s.c.Intent.Surroundings.Reached(names) }

// remotes are the addresses that git contacts by the names of its remotes.
func (s subject) remotes() []string {
	if s.c.Intent.Surroundings == nil {
		return nil
	}
	return s.c.Intent.Surroundings.Remotes
}

// forbids reports whether a deny or ask rule is about the call: whether any part of what the call would do falls under
// it. Rules about reading and writing bind every tool, also the shell.
func (r Rule) forbids(s subject) bool {
	if r.Spec == "" {
		return r.names(s.c.Call.Name)
	}
	switch kindOf(r.Tool) {
	case aboutCommand:
		return s.report != nil && r.matchesAny(s.report.Commands)
	case aboutReads:
		return r.anyPath(s, s.c.Intent.Reads) || s.report != nil && r.anyPath(s, s.reached(s.report.Reads))
	case aboutWrites:
		return r.anyPath(s, s.c.Intent.Writes) || s.report != nil && (r.anyPath(s, s.reached(s.report.Writes)) || r.anyPath(s, s.reached(s.report.Removes)))
	case aboutHosts:
		return r.anyHost(s.c.Intent.Hosts) || s.report != nil && (r.anyHost(s.report.Hosts) || r.anyHost(s.remotes()))
	}
	return r.names(s.c.Call.Name) && (r.Spec == string(s.c.Call.Args) || r.argument(s.c.Call.Args, false))
}

func (r Rule) matchesAny(commands [][]string) bool {
	for _, words := range commands {
		if matchWords(r.Spec, words) {
			return true
		}
	}
	return false
}

// permits reports whether an allow rule covers the whole call, all that it would do. A command is covered where each of
// its parts is, apart from the parts that need no approval: see covered.
func (r Rule) permits(s subject) bool {
	if !r.names(s.c.Call.Name) {
		return false
	}
	if r.Spec == "" {
		return true
	}
	i := s.c.Intent
	if kind := kindOf(r.Tool); kind == aboutCommand {
		return s.report != nil && s.report.Simple != nil && r.permitsWords(s.report.Simple) && s.within([]*Rule{&r})
	} else if kind != aboutTool && (i.Command != "" || i.RequestsAccess || len(i.Hosts) > 0 && kind != aboutHosts || len(i.Writes) > 0 && kind != aboutWrites) {
		return false
	}
	switch kindOf(r.Tool) {
	case aboutReads:
		return len(i.Reads) > 0 && r.everyPath(s, i.Reads)
	case aboutWrites:
		return len(i.Writes) > 0 && r.everyPath(s, i.Writes) && r.everyPath(s, s.asking(i.Reads, shell.ReadClass))
	case aboutHosts:
		return len(i.Hosts) > 0 && r.everyHost(i.Hosts) && len(s.asking(i.Reads, shell.ReadClass)) == 0
	}
	return r.Spec == string(s.c.Call.Args) || r.argument(s.c.Call.Args, true)
}

// permitsWords is matchWords for an allow rule: a program with a path is not the program with that bare
// name, unless the rule has a path too: a model can write a file called git.
func (r Rule) permitsWords(words []string) bool {
	want := splitWords(r.Spec)
	if len(words) == 0 || len(want) == 0 || strings.Contains(words[0], "/") && !strings.Contains(want[0], "/") {
		return false
	}
	for i, w := range want {
		if i < len(words) && !staysBelow(w, words[i]) {
			return false
		}
	}
	return matchWords(r.Spec, words) && (r.Risk || r.stays(want, words))
}

// stays reports whether a command takes effect where a rule says: an option with another registry, host, cluster or account is
// another place, which the rule must name, or have "risk": "high".
func (r Rule) stays(want, words []string) bool {
	if !openEnded(r.Spec) {
		return true
	}
	named := shell.Places(openWords(r.Spec, want))
	return !slices.ContainsFunc(shell.Places(words), func(place string) bool {
		return !slices.ContainsFunc(named, func(n string) bool { return matchStar(n, place) })
	})
}

// openWords are the words of a spec without what says that more may follow.
func openWords(spec string, words []string) []string {
	last := len(words) - 1
	if w, ok := strings.CutSuffix(spec, ":*"); ok {
		return splitWords(w)
	}
	if strings.HasSuffix(spec, " *") && last > 0 {
		return words[:last]
	}
	return words
}

// matchWords matches a spec of a command with its words: "git log" is exactly that, "git log:*" and "git log *" also
// with more words, and a "*" within a word matches any part of it.
func matchWords(spec string, words []string) bool {
	prefix := false
	if s, ok := strings.CutSuffix(spec, ":*"); ok {
		spec, prefix = s, true
	} else if s, ok := strings.CutSuffix(spec, " *"); ok {
		spec, prefix = s, true
	}
	want := splitWords(spec)
	if len(words) < len(want) || !prefix && len(words) != len(want) || len(want) == 0 {
		return false
	}
	for i, w := range want {
		have := words[i]
		if i == 0 && !strings.Contains(w, "/") {
			have = have[strings.LastIndexByte(have, '/')+1:]
		}
		if have != w && !matchStar(w, have) {
			return false
		}
	}
	return true
}

// matchStar matches a word with "*" for any text.
func matchStar(pattern, word string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == word
	}
	rest, ok := strings.CutPrefix(word, parts[0])
	if !ok {
		return false
	}
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(rest, p)
		if i < 0 {
			return false
		}
		rest = rest[i+len(p):]
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}

// splitWords splits a spec into words; quotes keep blanks together.
func splitWords(s string) []string {
	var words []string
	var cur strings.Builder
	var quote rune
	open := false
	for _, c := range s {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, open = c, true
		case quote == 0 && (c == ' ' || c == '\t'):
			if open || cur.Len() > 0 {
				words = append(words, cur.String())
			}
			cur.Reset()
			open = false
		default:
			cur.WriteRune(c)
		}
	}
	if open || cur.Len() > 0 {
		words = append(words, cur.String())
	}
	return words
}

func (r Rule) anyPath(s subject, names []string) bool {
	for _, n := range names {
		if r.path(s, n) {
			return true
		}
	}
	return false
}

func (r Rule) everyPath(s subject, names []string) bool {
	for _, n := range names {
		if !places.Match(r.pattern(s), s.at.Abs(n)) && !(strings.HasSuffix(r.Spec, "/") && r.path(s, n)) {
			return false
		}
	}
	return true
}

// path reports whether a deny or ask rule matches a path: a directory includes everything below it. In an allow rule
// a directory does so only if it ends in "/" or "/**".
func (r Rule) path(s subject, name string) bool {
	abs, pattern := s.at.Abs(name), r.pattern(s)
	return places.Match(pattern, abs) || places.Match(strings.TrimSuffix(pattern, "/")+"/**", abs)
}

// pattern is the rule's path from the root: relative patterns start at the workspace, "~/" at the home directory. A
// pattern without a slash is about the name wherever it lies.
func (r Rule) pattern(s subject) string {
	pattern := strings.TrimPrefix(r.Spec, "./")
	switch {
	case strings.HasPrefix(pattern, "//"):
		pattern = pattern[1:]
	case strings.HasPrefix(pattern, "~/"):
		pattern = s.at.Home + pattern[1:]
	case strings.HasPrefix(pattern, "/"):
	case !strings.Contains(strings.TrimSuffix(pattern, "/"), "/") && !strings.HasPrefix(r.Spec, "./"):
		pattern = s.c.Root + "/**/" + strings.TrimSuffix(pattern, "/")
	default:
		pattern = s.c.Root + "/" + strings.TrimSuffix(pattern, "/")
	}
	return path.Clean(pattern)
}

func (r Rule) anyHost(hosts []string) bool {
	return slices.ContainsFunc(hosts, r.host)
}

func (r Rule) everyHost(hosts []string) bool {
	for _, h := range hosts {
		if !r.host(h) {
			return false
		}
	}
	return true
}

// host matches a host at the boundaries of its labels: example.com and *.example.com, never notexample.com. A rule
// without a port is about all of them.
func (r Rule) host(host string) bool {
	want, wantPort := hostPort(strings.TrimPrefix(r.Spec, "domain:"))
	have, port := hostPort(host)
	// A host without a port is on a usual one; which one only matters where the rule must not miss it.
	usual := port == "" && r.Decision != guard.Allow && (wantPort == "80" || wantPort == "443")
	if wantPort != "" && wantPort != port && !usual {
		return false
	}
	if sub, ok := strings.CutPrefix(want, "*."); ok {
		return strings.HasSuffix(have, "."+sub)
	}
	return have == want
}

// hostPort splits a host from its port, where it has one, and spells the name one way.
func hostPort(host string) (name, port string) {
	name = host
	if i := strings.LastIndexByte(host, ':'); i >= 0 && i+1 < len(host) && strings.Trim(host[i+1:], "0123456789") == "" &&
		(!strings.Contains(host[:i], ":") || strings.HasSuffix(host[:i], "]")) {
		name, port = host[:i], host[i+1:]
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), ".")), port
}
