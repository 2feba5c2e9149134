package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"rein/guard/effect"
)

// exportBuiltin reads export, declare and similar commands where they come as plain commands.
func exportBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	args := 0
	for _, v := range c.Argv[1:] {
		if strings.HasPrefix(v.Text, "-") {
			if c.Name == "export" && strings.Contains(v.Text, "f") {
				sc.Export("-f")
			}
			continue
		}
		args++
		name, val, ok := v.Cut("=")
		r.nameArgument(sc, name)
		sc.Export(name.Text)
		if ok {
			r.Environment(sc, name.Text, val)
			sc.Set(name.Text, val)
		}
	}
	if args == 0 {
		r.Effect(effect.Env)
		return data{Taint: fromEnv}, true
	}
	return data{Known: true}, true
}

// declare reads export, declare, local, readonly, typeset.
func (r *reader) declare(sc *scope, c *syntax.DeclClause) data {
	names, flags := 0, ""
	mine := c.Variant.Value != "export" && c.Variant.Value != "readonly"
	stray := c.Variant.Value == "local" && len(r.locals) == 0 // outside a function, bash refuses it: the variable stays what it is
	for _, a := range c.Args {
		switch {
		case a.Name == nil && a.Value != nil:
			v := r.word(sc, a.Value)
			if strings.HasPrefix(v.Text, "-") {
				if flags += v.Text; strings.Contains(v.Text, "n") && c.Variant.Value != "export" {
					r.Found(effect.Dynamic, "a variable that refers to another variable by its name")
				}
				continue
			}
			name, val, ok := v.Cut("=")
			r.nameArgument(sc, name)
			r.spread(sc, c.Variant.Value, name.Text, flags)
			if ok {
				names++
				r.Environment(sc, name.Text, val)
				sc.Set(name.Text, val)
				if stray {
					sc.Lose(name.Text)
				}
			}
		default:
			names++
			if a.Name == nil {
				continue
			}
			name := a.Name.Value
			if n := len(r.locals); n > 0 && mine && !strings.Contains(flags, "g") {
				r.locals[n-1].Own(sc, name)
			}
			r.attributes(sc, name, flags)
			defer r.spread(sc, c.Variant.Value, name, flags)
			if a.Naked {
				if len(r.locals) > 0 && mine && !strings.ContainsAny(flags, "aAg") {
					delete(sc.Vars, name)
				}
				continue
			}
			r.assign(sc, a, true)
			raw := rawText(a.Value)
			braces := a.Value != nil && strings.Contains(raw, "{") && (strings.Contains(raw, ",") || strings.Contains(raw, ".."))
			if braces || stray { // bash expands the braces: the last of several assignments counts
				sc.Lose(name)
			}
		}
	}
	if r.top {
		r.Report.Parts = append(r.Report.Parts, effect.Part{Words: []string{c.Variant.Value}, Class: r.Part})
	}
	if names == 0 && c.Variant.Value != "local" {
		r.Effect(effect.Env)
		return data{Taint: fromEnv}
	}
	return data{Known: true}
}

// spread notes what a declaration means for the programs that the shell starts, and for later assignments.
func (r *reader) spread(sc *scope, variant, name, flags string) {
	if variant == "export" || strings.Contains(flags, "x") {
		sc.Export(name)
	}
	if variant == "export" && strings.Contains(flags, "f") {
		sc.Export("-f")
	}
	if variant == "readonly" || strings.Contains(flags, "r") {
		sc.Fix(name)
	}
}

// attributes applies the letters of declare to a variable.
func (r *reader) attributes(sc *scope, name, flags string) {
	if strings.ContainsAny(flags, "ulc") { // its letters change with every assignment
		r.Found(effect.Dynamic, "a variable that changes the letters of its values")
	}
	switch {
	case strings.Contains(flags, "A"):
		if !sc.Arrays[name].Assoc {
			sc.SetArray(name, array{Assoc: true})
		}
	case strings.Contains(flags, "a"):
		if _, ok := sc.Arrays[name]; !ok {
			var list []value
			if v, set := sc.Vars[name]; set {
				list = []value{v}
			}
			sc.SetArray(name, arrayOf(list))
		}
	}
	if strings.Contains(flags, "i") && !strings.Contains(flags, "+i") {
		if sc.Integers == nil {
			sc.Integers = map[string]bool{}
		}
		sc.Integers[name] = true
	}
}

func unsetBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	for _, v := range c.Got.Operands {
		r.nameArgument(sc, v)
		if strings.ContainsAny(v.Text, string(anyGlob)+string(oneGlob)) { // x[0] without quotes is a wildcard that may match a file
			name, _, _ := strings.Cut(v.Text, string(oneGlob))
			sc.Lose(name)
		}
		if strings.HasPrefix(v.Text, "HIST") {
			r.Found(effect.Admin, "switches off the shell's history")
		}
		sc.Bared = sc.Bared || strings.HasPrefix(v.Text, "GIT_") || !v.Plain()
		if name, sub, ok := strings.Cut(strings.TrimSuffix(v.Text, "]"), "["); ok {
			if a := sc.Arrays[name]; isNumber(sub) || a.Assoc {
				sc.Arrays[name] = a.Without(sub)
			} else {
				sc.Arrays[name] = unknownArray(a.Taints())
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
	return data{Known: true}, true
}

// setBuiltin reads set: options, or new positional parameters.
func setBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	if len(c.Argv) == 1 {
		r.Effect(effect.Env)
		return data{Taint: fromEnv}, true
	}
	args := c.Argv[1:]
	for len(args) > 0 {
		v := args[0]
		if v.Text == "--" || v.Text == "-" {
			if v.Text == "--" || len(args) > 1 {
				sc.SetArgs(args[1:])
			}
			return data{Known: true}, true
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
		if on && (strings.ContainsAny(v.Text[1:], "knpt") || !isTameOption(name)) {
			r.Found(effect.Dynamic, "changes how the shell reads commands: set %s %s", v.Text, name)
		}
		sc.ExportAll = sc.ExportAll || on && (strings.Contains(v.Text, "a") || name == "allexport")
		if strings.Contains(v.Text, "f") || name == "noglob" {
			sc.NoGlobs = on
		}
		if strings.Contains(v.Text, "B") || name == "braceexpand" {
			sc.NoBraces = !on
		}
		if name == "history" && !on {
			r.Found(effect.Admin, "switches off the shell's history")
		}
	}
	if len(args) > 0 {
		sc.SetArgs(args)
		if args[0].Wild() { // it may be options
			sc.ArgsKnown = false
		}
	}
	return data{Known: true}, true
}

// shoptBuiltin reads shopt: options that change what words mean ask.
func shoptBuiltin(r *reader, _ *scope, c *call) (data, bool) {
	on, off := c.Got.Has("-s"), c.Got.Has("-u")
	for _, v := range c.Got.Operands {
		if on && !isTameOption(v.Text) || off && isNeededOption(v.Text) || (on || off) && !v.Plain() {
			r.Found(effect.Dynamic, "changes how the shell reads commands: shopt %s", v.Shown())
		}
	}
	return data{Known: true}, true
}

// getoptsBuiltin gives its variables values that are not followed.
func getoptsBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	t := fromLost
	for _, v := range c.Argv[1:] {
		t |= v.Taint
	}
	if ops := c.Argv[1:]; len(ops) > 1 {
		r.nameArgument(sc, ops[1])
		sc.Set(ops[1].Text, holeOf(fromNumber)) // a letter
	}
	sc.Set("OPTARG", holeOf(t|sc.Strangers()))
	return data{Known: true}, true
}

// waitBuiltin reads wait: -p names a variable that gets the number of a process.
func waitBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	if name, ok := c.Got.Value("-p"); ok {
		r.nameArgument(sc, name)
		sc.Set(name.Text, holeOf(fromJob|fromNumber))
	}
	r.Effect(effect.Own)
	return data{Known: true}, true
}

func shiftBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	n := 1
	if len(c.Argv) > 1 {
		var err error
		if n, err = strconv.Atoi(c.Argv[1].Text); err != nil || n < 0 {
			sc.ArgsKnown = false
			return data{Known: true}, true
		}
	}
	if sc.ArgsLoose {
		sc.ArgsKnown = false
	} else if n <= len(sc.Args) {
		sc.Args = sc.Args[n:]
	}
	return data{Known: true}, true
}
