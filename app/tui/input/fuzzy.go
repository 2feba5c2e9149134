package input

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Match is a name that fits a query.
type Match struct {
	Name  string
	Index int // in the list
	score int
}

// List holds names that are searched many times. It does not change.
type List struct {
	names []string
	lower []string
	masks []uint64 // which letters a name has: most names are left out by this alone
}

// NewList prepares names for searching.
func NewList(names []string) *List {
	l := &List{names: names, lower: make([]string, len(names)), masks: make([]uint64, len(names))}
	for i, n := range names {
		l.lower[i] = strings.ToLower(n)
		l.masks[i] = mask(l.lower[i])
	}
	return l
}

// Len returns the number of names.
func (l *List) Len() int { return len(l.names) }

// mask has a bit for each letter of a text.
func mask(s string) (m uint64) {
	for i := range len(s) {
		m |= 1 << (s[i] & 63)
	}
	return m
}

// Find returns the best matches of a query, at most so many: names that have its letters in their order. Letters next to
// each other, at the start of a word and in the last part of a path count more; shorter names come first.
func (l *List) Find(query string, most int) []Match {
	query = strings.ToLower(strings.ReplaceAll(query, " ", ""))
	want := mask(query)
	var best []Match
	worst := -1 << 30
	for i, name := range l.lower {
		if l.masks[i]&want != want {
			continue
		}
		s, ok := score(name, query)
		if !ok || len(best) >= 4*most && s <= worst {
			continue
		}
		best = append(best, Match{l.names[i], i, s})
		if len(best) >= 8*most {
			best = sorted(best)[:4*most]
			worst = best[len(best)-1].score
		}
	}
	best = sorted(best)
	return best[:min(len(best), most)]
}

func sorted(all []Match) []Match {
	slices.SortFunc(all, func(a, b Match) int {
		switch {
		case a.score != b.score:
			return b.score - a.score
		case len(a.Name) != len(b.Name):
			return len(a.Name) - len(b.Name)
		}
		return strings.Compare(a.Name, b.Name)
	})
	return all
}

// score compares a name with a query; both are in small letters.
func score(name, query string) (int, bool) {
	if query == "" {
		return -strings.Count(name, "/"), true
	}
	base := strings.LastIndexByte(strings.TrimSuffix(name, "/"), '/') + 1
	if at := strings.Index(name[base:], query); at >= 0 {
		s := 1000 - 2*at - len(name)/4
		if at == 0 {
			s += 200
		}
		return s, true
	}
	if at := strings.Index(name, query); at >= 0 {
		return 700 - len(name)/4, true
	}
	if s, ok := scattered(name[base:], query); ok {
		return 400 + s - len(name)/4, true
	}
	s, ok := scattered(name, query)
	return s - len(name)/4, ok
}

// scattered finds the letters of a query in their order, from the left.
func scattered(name, query string) (total int, ok bool) {
	last := -2
	for i := 0; i < len(query); {
		_, n := utf8.DecodeRuneInString(query[i:])
		from := max(last, 0)
		if last >= 0 {
			from = last + 1
		}
		at := strings.Index(name[from:], query[i:i+n])
		if at < 0 {
			return 0, false
		}
		at += from
		switch {
		case at == last+1:
			total += 15
		case at == 0 || strings.IndexByte("/_-. ", name[at-1]) >= 0:
			total += 12
		default:
			total -= min(at-last, 10)
		}
		last = at + n - 1
		i += n
	}
	return total, true
}
