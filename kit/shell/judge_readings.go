package shell

import (
	"maps"
	"slices"
	"strings"
)

// A variable that a branch may have set has several values. A command that uses it is read once with each of them, and the
// strictest verdict counts.

const (
	maxReadings = 8 // of one command; with more, the variables in doubt are unknown
	// substitutionPrefix begins the names under which a scope keeps the output of substitutions in doubt.
	substitutionPrefix = "$"
)

// Readings are copies of a scope in which the variables in doubt have their other values, in each combination but the first.
func (r *judging) Readings(sc *scope, names []string) []*scope {
	if len(names) == 0 {
		return nil
	}
	if r.Rereading { // the words themselves put a variable in doubt
		for _, n := range names {
			sc.Vars[n] = holeOf(sc.Vars[n].Taint | fromLost)
		}
		return nil
	}
	many := 1
	for _, n := range names {
		many *= 1 + len(sc.Vars[n].Else)
		if many > maxReadings {
			one := sc.Sub()
			for _, n := range names {
				one.Vars[n] = holeOf(sc.Vars[n].Taint | fromLost)
			}
			return []*scope{one}
		}
	}
	var all []*scope
	for i := 1; i < many; i++ {
		one, rest := sc.Sub(), i
		for _, n := range names {
			v := sc.Vars[n]
			which := rest % (1 + len(v.Else))
			rest /= 1 + len(v.Else)
			if which > 0 {
				v.Text = v.Else[which-1]
			}
			v.Else = nil
			one.Vars[n] = v
		}
		all = append(all, one)
	}
	return all
}

// EndReading removes what the scope keeps of substitutions in doubt: the next command runs them again.
func (sc *scope) EndReading(names []string) {
	if slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, substitutionPrefix) }) {
		maps.DeleteFunc(sc.Vars, func(n string, _ value) bool { return strings.HasPrefix(n, substitutionPrefix) })
	}
}

// InDoubt expands words and returns the variables with several values that they use.
func (r *judging) InDoubt(expand func()) []string {
	saved := r.Doubts
	r.Doubts = nil
	expand()
	names := r.Doubts
	r.Doubts = saved
	if len(names) > 1 {
		slices.Sort(names)
		names = slices.Compact(names)
	}
	return names
}
