package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"rein/guard/shell/bash"
	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
	"rein/guard/shell/table"
)

// exportBuiltin reads export, declare and similar commands where they come as plain commands.
func exportBuiltin(r *reader, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	args := 0
	for _, v := range c.Argv[1:] {
		if strings.HasPrefix(v.Text, "-") {
			continue
		}
		args++
		name, val, ok := v.Cut("=")
		r.nameArgument(sc, name)
		if ok {
			r.Environment(sc, name.Text, val)
			sc.Set(name.Text, val)
		}
	}
	if args == 0 {
		r.Effect(fact.Env)
		return fact.Data{Taint: fact.FromEnv}, true
	}
	return fact.Data{Known: true}, true
}

// declare reads export, declare, local, readonly, typeset.
func (r *reader) declare(sc *judge.Scope, c *syntax.DeclClause) fact.Data {
	names, flags := 0, ""
	mine := c.Variant.Value != "export" && c.Variant.Value != "readonly"
	for _, a := range c.Args {
		switch {
		case a.Name == nil && a.Value != nil:
			v := r.word(sc, a.Value)
			if strings.HasPrefix(v.Text, "-") {
				if flags += v.Text; strings.Contains(v.Text, "n") && c.Variant.Value != "export" {
					r.Found(fact.Dynamic, "a variable that refers to another variable by its name")
				}
				continue
			}
			name, val, ok := v.Cut("=")
			r.nameArgument(sc, name)
			if ok {
				names++
				r.Environment(sc, name.Text, val)
				sc.Set(name.Text, val)
			}
		default:
			names++
			if a.Name == nil {
				continue
			}
			name := a.Name.Value
			if mine && !strings.Contains(flags, "g") {
				r.own(sc, name)
			}
			r.attributes(sc, name, flags)
			if a.Naked {
				if len(r.locals) > 0 && mine && !strings.ContainsAny(flags, "aAg") {
					delete(sc.Vars, name)
				}
				continue
			}
			r.assign(sc, a, true)
			if raw := bash.RawText(a.Value); a.Value != nil && strings.Contains(raw, "{") && (strings.Contains(raw, ",") || strings.Contains(raw, "..")) {
				sc.Lose(name) // bash expands the braces: the last of several assignments counts
			}
		}
	}
	if r.top {
		r.Report.Parts = append(r.Report.Parts, fact.Part{Words: []string{c.Variant.Value}, Class: r.Part})
	}
	if names == 0 && c.Variant.Value != "local" {
		r.Effect(fact.Env)
		return fact.Data{Taint: fact.FromEnv}
	}
	return fact.Data{Known: true}
}

// attributes applies the letters of declare to a variable.
func (r *reader) attributes(sc *judge.Scope, name, flags string) {
	if strings.ContainsAny(flags, "ulc") { // its letters change with every assignment
		r.Found(fact.Dynamic, "a variable that changes the letters of its values")
	}
	switch {
	case strings.Contains(flags, "A"):
		if !sc.Arrays[name].Assoc {
			sc.SetArray(name, judge.Array{Assoc: true})
		}
	case strings.Contains(flags, "a"):
		if _, ok := sc.Arrays[name]; !ok {
			var list []fact.Value
			if v, set := sc.Vars[name]; set {
				list = []fact.Value{v}
			}
			sc.SetArray(name, judge.ListOf(list))
		}
	}
	if strings.Contains(flags, "i") {
		if sc.Integers == nil {
			sc.Integers = map[string]bool{}
		}
		sc.Integers[name] = true
	}
}

func unsetBuiltin(r *reader, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	for _, v := range c.Got.Operands {
		r.nameArgument(sc, v)
		if strings.HasPrefix(v.Text, "HIST") {
			r.Found(fact.Admin, "switches off the shell's history")
		}
		sc.Bared = sc.Bared || strings.HasPrefix(v.Text, "GIT_") || !v.Plain()
		if name, sub, ok := strings.Cut(strings.TrimSuffix(v.Text, "]"), "["); ok {
			if a := sc.Arrays[name]; isNumber(sub) || a.Assoc {
				sc.Arrays[name] = a.Without(sub)
			} else {
				sc.Arrays[name] = judge.LostArray(a.Taints())
			}
			continue
		}
		if c.Got.Has("-f") {
			delete(sc.Funcs, v.Text)
			continue
		}
		_, set := sc.Vars[v.Text]
		_, list := sc.Arrays[v.Text]
		sc.Unset(v.Text)
		if !set && !list {
			delete(sc.Funcs, v.Text)
		}
	}
	return fact.Data{Known: true}, true
}

// setBuiltin reads set: options, or new positional parameters.
func setBuiltin(r *reader, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	if len(c.Argv) == 1 {
		r.Effect(fact.Env)
		return fact.Data{Taint: fact.FromEnv}, true
	}
	args := c.Argv[1:]
	for len(args) > 0 {
		v := args[0]
		if v.Text == "--" || v.Text == "-" {
			if v.Text == "--" || len(args) > 1 {
				sc.SetArgs(args[1:])
			}
			return fact.Data{Known: true}, true
		}
		if !v.Plain() || len(v.Text) < 2 || v.Text[0] != '-' && v.Text[0] != '+' {
			break
		}
		args = args[1:]
		on := v.Text[0] == '-'
		name := ""
		if strings.HasSuffix(v.Text, "o") && len(args) > 0 {
			name, args = args[0].Text, args[1:]
		}
		if strings.Contains(v.Text, "f") || name == "noglob" {
			sc.NoGlobs = on
		}
		if strings.Contains(v.Text, "B") || name == "braceexpand" {
			sc.NoBraces = !on
		}
		if name == "history" && !on {
			r.Found(fact.Admin, "switches off the shell's history")
		}
	}
	if len(args) > 0 {
		sc.SetArgs(args)
		if args[0].Wild() { // it may be options
			sc.ArgsKnown = false
		}
	}
	return fact.Data{Known: true}, true
}

func shiftBuiltin(r *reader, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	n := 1
	if len(c.Argv) > 1 {
		var err error
		if n, err = strconv.Atoi(c.Argv[1].Text); err != nil || n < 0 {
			sc.ArgsKnown = false
			return fact.Data{Known: true}, true
		}
	}
	if sc.ArgsLoose {
		sc.ArgsKnown = false
	} else if n <= len(sc.Args) {
		sc.Args = sc.Args[n:]
	}
	return fact.Data{Known: true}, true
}
