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

// within reports whether what a line removes, and what it writes and reads where that needs an approval, is where the
// rules that cover its commands say. The words of a command alone do not say that: they mean other files in another
// directory. A rule that leaves the rest of a command open (with ":*") says nothing about places.
func (s subject) within(rules []*Rule) bool {
	var said effect.Report
	for _, r := range rules {
		if r.Spec == "" || s.open(r) {
			return true
		}
		c := s.c
		c.Report, c.Intent.Command, c.Intent.Cwd, c.Intent.Surroundings = nil, r.Spec, "", nil
		own := Programs{Here: s.here}.Read(c)
		said.Removes = append(said.Removes, own.Removes...)
		said.Writes = append(said.Writes, slices.Concat(own.Writes, own.Removes)...)
		said.Reads = append(said.Reads, slices.Concat(own.Reads, own.Writes)...)
	}
	removed, written, read := s.reached(s.report.Removes), s.asking(s.reached(s.report.Writes), shell.WriteClass), s.asking(s.reached(s.report.Reads), shell.ReadClass)
	return allFit(removed, said.Removes) && allFit(written, said.Writes) && allFit(read, said.Reads) &&
		!s.replaced(slices.Concat(removed, written, read))
}

// replaced reports whether the line itself may put something else where a path goes through: a link that it makes leads
// elsewhere, and is not there yet when the call is judged.
func (s subject) replaced(names []string) bool {
	for _, made := range s.report.Writes {
		for _, name := range names {
			if goesThrough(name, made) {
				return true
			}
		}
	}
	return false
}

// goesThrough reports whether a path may lead through another one. Both may be patterns.
func goesThrough(name, through string) bool {
	long, short := strings.Split(path.Clean(name), "/"), strings.Split(path.Clean(through), "/")
	for i, word := range short {
		if strings.Contains(word, "…") {
			return true
		}
		if i >= len(long)-1 {
			return false
		}
		if !matchStar(word, long[i]) && !matchStar(long[i], word) && !strings.ContainsAny(word+long[i], "…?[") {
			return false
		}
	}
	return true
}

// open reports whether a rule ends with any further words.
func (s subject) open(r *Rule) bool {
	return strings.HasSuffix(r.Spec, ":*") || strings.HasSuffix(r.Spec, " *")
}

// asking are the paths whose use needs an approval.
func (s subject) asking(names []string, classOf func(places.Class) effect.Class) []string {
	var ask []string
	for _, name := range names {
		if d, _ := Decide(classOf(places.Classify(name, s.at)), s.c.Mode, guard.FileIsolation); d != guard.Allow {
			ask = append(ask, name)
		}
	}
	return ask
}

// allFit reports whether every path fits one of the patterns, or is below one.
func allFit(names, patterns []string) bool {
	for _, name := range names {
		known := !strings.Contains(name, "…")
		if !slices.ContainsFunc(patterns, func(p string) bool {
			return p == name || known && (places.Match(p, name) || places.Match(strings.TrimSuffix(p, "/")+"/**", name))
		}) {
			return false
		}
	}
	return true
}

// staysBelow reports whether a word that fits a pattern with a star still fits it as a path: "build/*" is about what is in
// build, and not about build/../src.
func staysBelow(pattern, word string) bool {
	if !strings.Contains(pattern, "*") || !strings.Contains(word, "..") {
		return true
	}
	return matchStar(pattern, path.Clean(word)) && !slices.Contains(strings.Split(path.Clean(word), "/"), "..")
}
