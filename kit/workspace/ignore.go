package workspace

import (
	"bytes"
	"strings"
)

// Verdict is the result of the rules of one directory for a path.
type Verdict int

// The verdicts.
const (
	NotIgnored Verdict = iota // no rule matches: the rules of the directory above decide
	Ignored                   // excluded
	ignoreKeep                // included by a rule that starts with "!"
)

// IgnoreRules are the patterns of one directory, in the order of their files; the last one that matches decides. Names and
// endings are looked up, so that a long list of them costs no more than a short one. Rules do not change.
type IgnoreRules struct {
	names    map[string]last // "node_modules"
	endings  map[string]last // "*.o" under "o"
	globs    []rule          // every other pattern
	verdicts []Verdict       // by number of the rule
}

// last is the highest rule for a name, plus one: for directories, and for anything.
type last struct{ dir, any int }

type rule struct {
	number   int
	dirOnly  bool
	anchored bool // matched against the whole path below the rules' directory, not the last element
	glob     string
}

// ParseIgnore reads the text of ignore files; those that come later win.
func ParseIgnore(texts ...[]byte) *IgnoreRules {
	r := &IgnoreRules{names: map[string]last{}, endings: map[string]last{}}
	for _, text := range texts {
		text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
		for line := range strings.Lines(string(text)) {
			r.add(line)
		}
	}
	return r
}

// Empty reports whether there are no patterns.
func (r *IgnoreRules) Empty() bool { return len(r.verdicts) == 0 }

func (r *IgnoreRules) add(line string) {
	glob := trim(strings.TrimRight(line, "\r\n"))
	if glob == "" || glob[0] == '#' {
		return
	}
	verdict := Ignored
	if glob[0] == '!' {
		verdict, glob = ignoreKeep, glob[1:]
	}
	dirOnly := strings.HasSuffix(glob, "/")
	glob = strings.TrimSuffix(glob, "/")
	anchored := strings.Contains(glob, "/")
	glob = strings.TrimPrefix(glob, "/")
	if base, ok := strings.CutPrefix(glob, "**/"); ok && !strings.Contains(base, "/") {
		glob, anchored = base, false
	}
	if glob == "" {
		return
	}
	number := len(r.verdicts)
	r.verdicts = append(r.verdicts, verdict)
	switch ending, isEnding := strings.CutPrefix(glob, "*."); {
	case anchored:
		r.globs = append(r.globs, rule{number, dirOnly, true, glob})
	case !special(glob):
		note(r.names, glob, number, dirOnly)
	case isEnding && !special(ending) && !strings.Contains(ending, "."):
		note(r.endings, ending, number, dirOnly)
	default:
		r.globs = append(r.globs, rule{number, dirOnly, false, glob})
	}
}

// trim drops spaces at the end that no backslash keeps.
func trim(line string) string {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	return line
}

func special(glob string) bool { return strings.ContainsAny(glob, `*?[\`) }

func note(table map[string]last, key string, number int, dirOnly bool) {
	l := table[key]
	l.dir = number + 1
	if !dirOnly {
		l.any = number + 1
	}
	table[key] = l
}

func (l last) of(dir bool) int {
	if dir {
		return l.dir - 1
	}
	return l.any - 1
}

// Match returns the verdict for a path below the directory of the rules, with forward slashes. It checks this path alone: the
// caller must not ask about what is below an ignored directory.
func (r *IgnoreRules) Match(path string, dir bool) Verdict {
	base := path[strings.LastIndexByte(path, '/')+1:]
	best := r.names[base].of(dir)
	if dot := strings.LastIndexByte(base, '.'); dot >= 0 {
		best = max(best, r.endings[base[dot+1:]].of(dir))
	}
	for i := len(r.globs) - 1; i >= 0 && r.globs[i].number > best; i-- {
		g := r.globs[i]
		if g.dirOnly && !dir {
			continue
		}
		if g.anchored && matchPath(g.glob, path) || !g.anchored && matchElement(g.glob, base) {
			best = g.number
		}
	}
	if best < 0 {
		return NotIgnored
	}
	return r.verdicts[best]
}
