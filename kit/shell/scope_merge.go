package shell

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Merge makes the state after a branch that may not have run. A variable that the branch changed has both values from here on;
// where they are too many, it is unknown.
func (r *judging) Merge(sc, b *scope) {
	switch {
	case sc.Cwd == b.Cwd:
	case sc.Cwd == "" || b.Cwd == "":
		sc.Cwd = ""
	case !r.InWork(sc.Cwd): // the place where more can go wrong is the one to judge by
	default:
		sc.Cwd = b.Cwd
	}
	sc.Old = b.Old
	for name, v := range b.Vars {
		before, ok := sc.Vars[name]
		if !ok {
			before = value{Odd: true} // it is empty, unless the environment has it
		}
		if !ok || !before.Same(v) {
			sc.Vars[name] = either(before, v)
		}
	}
	for name := range sc.Vars {
		if _, ok := b.Vars[name]; ok {
			continue
		}
		if _, list := b.Arrays[name]; list {
			sc.Vars[name] = holeOf(sc.Vars[name].Taint | fromLost)
			continue
		}
		sc.Vars[name] = either(value{Odd: true}, sc.Vars[name]) // it is unset there
	}
	for name, a := range b.Arrays {
		if before, ok := sc.Arrays[name]; ok && !before.Equal(a) {
			a = unknownArray(a.Taint | fromLost)
		}
		sc.Arrays[name] = a
		delete(sc.Vars, name)
	}
	for name, f := range b.Funcs {
		if before, ok := sc.Funcs[name]; ok && before != f {
			f = &syntax.Stmt{Cmd: &syntax.Block{Stmts: []*syntax.Stmt{before, f}}} // both are read
		}
		sc.Funcs[name] = f
	}
	maps.Copy(sc.Fds, b.Fds)
	sc.mergeArgs(b)
	sc.NoBraces, sc.NoGlobs = sc.NoBraces && b.NoBraces, sc.NoGlobs && b.NoGlobs
	for name, sure := range b.Integers {
		if sc.Integers == nil {
			sc.Integers = map[string]bool{}
		}
		sc.Integers[name] = sure && sc.Integers[name]
	}
	for name := range b.Fixed {
		sc.Fix(name)
	}
}

func (sc *scope) mergeArgs(b *scope) {
	switch {
	case !sc.ArgsKnown && b.ArgsKnown && sc.ArgsTaint&fromLost == 0: // there were none that the command line gives
		sc.SetArgs(slices.Clone(b.Args))
		for i := range sc.Args {
			sc.Args[i].Unsure = true
		}
	case !sc.ArgsKnown, !b.ArgsKnown, !sameArgs(sc, b):
		sc.ArgsKnown = false
		sc.ArgsTaint |= b.ArgsTaint | fromLost
	}
}

func sameArgs(a, b *scope) bool { return slices.EqualFunc(a.Args, b.Args, value.Same) }

// maxAlternatives is how many values a variable may have beside its first one.
const maxAlternatives = 3

// either is the value of a variable that may have either of two values.
func either(a, b value) value {
	t := a.Taint | b.Taint
	number := func(s string) bool { return isNumber(s) }
	switch {
	case number(a.Text) && number(b.Text) && len(a.Else)+len(b.Else) == 0, a.Text == string(anyText) && t&^fromNumber == 0 && (number(b.Text) || b.Text == a.Text),
		number(a.Text) && b.Text == string(anyText) && b.Taint == fromNumber:
		return holeOf(fromNumber)
	case a.Plain() && b.Plain():
		all := []string{b.Text}
		for _, s := range slices.Concat(b.Else, []string{a.Text}, a.Else) {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
		if len(all) <= 1+maxAlternatives {
			b.Text, b.Else, b.Taint, b.Odd = all[0], all[1:], t, true
			return b
		}
	}
	if names(a) && names(b) {
		return value{Text: string(anyText), Taint: t | fromNames, Odd: true, Unsure: true}
	}
	return holeOf(t | fromLost)
}

// names reports whether all values of a variable are harmless.
func names(v value) bool {
	if v.Unsure && v.Text == string(anyText) && v.Taint&^fromNames == 0 {
		return true
	}
	for _, s := range v.Else {
		if !harmless(literal(s)) {
			return false
		}
	}
	return harmless(v)
}

// harmless values are plain names that stay where the command is.
func harmless(v value) bool {
	return v.Plain() && !strings.ContainsAny(v.Text, "/~* \t\n?[:") && !strings.HasPrefix(v.Text, "-") && v.Text != ".." && v.Text != "."
}

// isNumber reports whether a text is a plain number without a sign.
func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
