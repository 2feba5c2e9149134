// Package plaintext reads and words text for people: misspelt names, counts, text that others wrote.
package plaintext

import (
	"sort"
	"strings"
)

const (
	maxNames  = 3   // more than three suggestions are noise for a model
	maxLength = 128 // longer names are compared by their first bytes only
)

// NearestNames returns at most three of candidates that name was probably meant to be, the nearest first; equally near ones
// in the order of candidates. Letter case, dots, dashes and underscores count for little. None is near: nil.
// A result is a suggestion to show, never a licence to act on.
func NearestNames(name string, candidates []string) []string {
	wanted := fold(name)
	if wanted == "" {
		return nil
	}
	type found struct {
		name     string
		distance int
	}
	var near []found
	for _, candidate := range candidates {
		if candidate == name {
			continue
		}
		if d, ok := distance(wanted, fold(candidate)); ok {
			near = append(near, found{candidate, d})
		}
	}
	sort.SliceStable(near, func(i, j int) bool { return near[i].distance < near[j].distance })
	var names []string
	for _, f := range near[:min(len(near), maxNames)] {
		names = append(names, f.name)
	}
	return names
}

// NearestName returns the nearest name alone, or "".
func NearestName(name string, candidates []string) string {
	if names := NearestNames(name, candidates); len(names) > 0 {
		return names[0]
	}
	return ""
}

// fold removes what people and models get wrong without meaning another name: letter case and separators.
func fold(name string) string {
	name = name[:min(len(name), maxLength)]
	return strings.Map(func(r rune) rune {
		switch r {
		case '_', '-', '.', ' ', ':', '/':
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// distance reports how far two folded names are apart, and whether that is near: a third of the letters may differ,
// or one name continues or ends with the other (path, file_path).
func distance(a, b string) (int, bool) {
	short, long := a, b
	if len(short) > len(long) {
		short, long = long, short
	}
	limit := max(1, len(long)/3)
	if len(long)-len(short) <= limit {
		if d := edits(a, b); d <= limit && d < len(short) {
			return d, true
		}
	}
	if len(short) >= 3 && (strings.HasPrefix(long, short) || strings.HasSuffix(long, short)) {
		return len(long), true // related, but behind every spelling mistake
	}
	return 0, false
}

// edits counts the insertions, deletions, replacements and swaps of neighbours between a and b.
func edits(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
