package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"rein/guard/shell/bash"
	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
	"rein/guard/shell/programs"
	"rein/guard/shell/table"
	"rein/places"
)

func evalBuiltin(r *reader, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	args := c.Argv[1:]
	if len(args) > 0 && args[0].Text == "--" {
		args = args[1:]
	}
	v := fact.JoinValues(args, " ")
	r.Found(fact.Dynamic, "eval runs text as code")
	if v.Text == "" {
		return fact.Data{Known: true}, true
	}
	return r.Text(sc, v, sc.Args), true
}

// execBuiltin reads exec with a program: the shell becomes it.
func execBuiltin(r *reader, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	args := c.Got.Operands
	if len(args) == 0 {
		return fact.Data{Known: true}, true
	}
	if spec := r.Table.Find(fact.BaseName(args[0].Text)); spec != nil && spec.How == "shell" && len(args) == 1 {
		r.Found(fact.Dynamic, "becomes a shell that reads commands later")
	}
	return r.Exec(sc, args, c.In), true
}

func sourceBuiltin(r *reader, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	if len(c.Got.Operands) == 0 {
		return fact.Data{Known: true}, true
	}
	v := c.Got.Operands[0]
	if v.Text == "/dev/stdin" {
		return r.RunText(sc, *c.In, "its input", nil), true
	}
	if r.Locate(sc, v).Class == places.Private {
		r.Reads(sc, v)
		return fact.Data{Taint: fact.FromPrivate}, true
	}
	r.sourced = true
	sc.Forget(fact.FromWork)
	r.Script(sc, v, c.Got.Operands[1:])
	return fact.Data{Taint: fact.FromWork}, true
}

func cdBuiltin(r *reader, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	target := fact.Literal(r.Ctx.Home)
	if len(c.Got.Operands) > 0 {
		target = c.Got.Operands[0]
	}
	old := sc.Cwd
	switch {
	case target.Text == "-":
		sc.Cwd, sc.Old = sc.Old, old
		return fact.Data{Known: true}, true
	case target.Text == "":
		return fact.Data{Known: true}, true
	}
	s := r.Locate(sc, target)
	sc.Old, sc.Cwd = old, ""
	if !s.Free && !s.Loose {
		sc.Cwd = fact.PlainGlob(s.Abs)
	} else if s.Loose && !s.Free && r.InWork(s.Abs) {
		sc.Cwd = fact.PlainGlob(s.Abs) // some directory of the workspace, whatever its name
	}
	return fact.Data{Known: true}, true
}

func popdBuiltin(_ *reader, sc *judge.Scope, _ *table.Call) (fact.Data, bool) {
	sc.Cwd, sc.Old = sc.Old, sc.Cwd
	return fact.Data{Known: true}, true
}

func pwdBuiltin(_ *reader, sc *judge.Scope, _ *table.Call) (fact.Data, bool) {
	if sc.Cwd == "" {
		return fact.Data{Taint: fact.FromVariable}, true
	}
	return fact.TextData(sc.Cwd+"\n", 0), true
}

// commandBuiltin reads command: with -v it only looks.
func commandBuiltin(r *reader, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	if c.Got.Has("-v", "-V") {
		return programs.Named("pathname")(r.Programs, sc, c)
	}
	return r.Exec(sc, c.Got.Operands, c.In), true
}

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

// readBuiltin gives variables what flows in: the next line where that is known.
func readBuiltin(r *reader, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	if c.Name != "read" {
		r.fillArray(sc, c)
		return fact.Data{Known: true}, true
	}
	line := fact.HoleOf(c.In.Taint)
	if c.In.Known {
		first, rest, _ := strings.Cut(c.In.Text, "\n")
		line = fact.Value{Text: first, Taint: c.In.Taint, Odd: true}
		c.In.Text = rest
	}
	raw := c.Got.Has("-r")
	if c.Got.Has("-d", "-n", "-N", "-u", "-i", "-t") || !raw && strings.HasSuffix(line.Text, "\\") {
		if c.In.Known {
			c.In.Text = "" // how much of it is read is not followed
			line = fact.HoleOf(c.In.Taint | fact.FromLost)
		}
	}
	ifs, _ := r.Lookup(sc, "IFS")
	s := bash.Splitter{IFS: ifs.Text}
	known := line.Plain() && ifs.Plain()
	if a, ok := c.Got.Value("-a"); ok {
		r.nameArgument(sc, a)
		if !known {
			sc.SetArray(a.Text, judge.LostArray(line.Taint))
			return fact.Data{Known: true}, true
		}
		sc.SetArray(a.Text, judge.ListOf(values(s.ReadAll(line.Text, raw), line.Taint)))
		return fact.Data{Known: true}, true
	}
	names := c.Got.Operands
	if len(names) == 0 {
		if line.Known() {
			line.Text = bash.ReadReply(line.Text, raw)
		}
		sc.Set("REPLY", line)
		return fact.Data{Known: true}, true
	}
	fields := make([]fact.Value, len(names))
	for i := range fields {
		fields[i] = fact.HoleOf(line.Taint)
	}
	if known {
		fields = values(s.Read(line.Text, len(names), raw), line.Taint)
	}
	for i, n := range names {
		r.nameArgument(sc, n)
		r.setNamed(sc, n, fields[i])
	}
	return fact.Data{Known: true}, true
}

// setNamed gives a value to a variable that a word names: x, a[1].
func (r *reader) setNamed(sc *judge.Scope, name, v fact.Value) {
	base, key, ok := strings.Cut(strings.TrimSuffix(name.Text, "]"), "[")
	switch a := sc.Arrays[base]; {
	case !ok:
		if sc.Integers[name.Text] {
			v = r.integer(sc, v)
		}
		sc.Set(name.Text, v)
	case isNumber(key) || a.Assoc && name.Plain():
		sc.SetArray(base, a.With(key, v))
	default:
		sc.SetArray(base, judge.LostArray(a.Taints()|v.Taint))
	}
}

func values(texts []string, t fact.Taint) []fact.Value {
	out := make([]fact.Value, len(texts))
	for i, s := range texts {
		out[i] = fact.Value{Text: s, Taint: t, Odd: true}
	}
	return out
}

// fillArray gives the array of mapfile the lines that flow in.
func (r *reader) fillArray(sc *judge.Scope, c *table.Call) {
	if cb, ok := c.Got.Value("-C"); ok {
		r.Found(fact.Dynamic, "runs %s for lines that come later", cb.Shown())
		r.Text(sc, cb, nil)
	}
	name := fact.Literal("MAPFILE")
	if len(c.Got.Operands) > 0 {
		name = c.Got.Operands[0]
		r.nameArgument(sc, name)
	}
	lines := strings.SplitAfter(c.In.Text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if !c.In.Known || len(lines) > maxRounds || c.Got.Has("-d", "-n", "-O", "-s", "-u") {
		t := c.In.Taint
		if c.In.Known {
			t |= fact.FromLost
		}
		sc.SetArray(name.Text, judge.LostArray(t))
		c.In.Text = ""
		return
	}
	if c.Got.Has("-t") {
		for i := range lines {
			lines[i] = strings.TrimSuffix(lines[i], "\n")
		}
	}
	c.In.Text = ""
	sc.SetArray(name.Text, judge.ListOf(values(lines, c.In.Taint)))
}

func testBuiltin(r *reader, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	for i, v := range c.Argv {
		if (v.Text == "-v" || v.Text == "-R") && i+1 < len(c.Argv) {
			r.nameArgument(sc, c.Argv[i+1])
		}
	}
	return fact.Data{Known: true}, true
}

// trapBuiltin reads trap: the text is judged as if it ran here. Anything that would not run unasked asks as code
// that runs later.
func trapBuiltin(r *reader, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	if len(c.Got.Operands) < 2 {
		return fact.Data{Known: true}, true
	}
	v := c.Got.Operands[0]
	if v.Text == "" || v.Text == "-" {
		return fact.Data{Known: true}, true
	}
	r.traps = append(r.traps, trap{v, sc})
	return fact.Data{Known: true}, true
}

func aliasBuiltin(r *reader, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	for _, v := range c.Got.Operands {
		if _, val, ok := v.Cut("="); ok {
			r.Found(fact.Dynamic, "an alias makes a word mean another command")
			r.Text(sc, val, nil)
		}
	}
	return fact.Data{Known: true}, true
}

func historyBuiltin(r *reader, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	for _, v := range c.Argv[1:] {
		switch {
		case v.Text == "-c" || v.Text == "-d":
			r.Found(fact.Admin, "removes the shell's history")
		case strings.HasPrefix(v.Text, "-"):
			r.Found(fact.Exec, "puts lines into the shell's history or a file")
		}
	}
	for _, v := range c.Got.Operands {
		if strings.Contains(v.Text, "/") {
			r.Writes(sc, v)
		}
	}
	return fact.Data{Taint: fact.FromPrivate}, true
}

func echoBuiltin(r *reader, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	args, escapes, newline := c.Argv[1:], false, "\n"
	for len(args) > 0 && len(args[0].Text) > 1 && args[0].Text[0] == '-' && strings.Trim(args[0].Text[1:], "neE") == "" {
		escapes = escapes || strings.Contains(args[0].Text, "e")
		if strings.Contains(args[0].Text, "n") {
			newline = ""
		}
		args = args[1:]
	}
	v := fact.JoinValues(args, " ")
	r.showsSecret(sc, v)
	if escapes {
		text, ends, ok := bash.Escapes(v.Text, bash.Echo)
		if !ok || strings.ContainsAny(text, "\x01\x02") {
			return fact.Data{Taint: v.Taint | fact.FromLost}, true
		}
		v.Taint |= escaped(true, v.Text)
		if v.Text = text; ends {
			newline = ""
		}
	}
	for _, a := range args {
		if a.Proc != nil {
			v.Taint |= a.Proc.Taint
		}
	}
	return fact.TextData(v.Text+newline, v.Taint), true
}

// showsSecret reports a command that prints a variable whose name shows that it holds a credential.
func (r *reader) showsSecret(sc *judge.Scope, v fact.Value) {
	if v.Taint&fact.FromPrivate != 0 && v.Taint&fact.FromVariable != 0 && !sc.Sent {
		r.Found(fact.Private, "prints a variable that holds a credential by its name")
	}
}

func printfBuiltin(r *reader, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	args := c.Argv[1:]
	var name string
	var args0 fact.Value
	if len(args) > 1 && args[0].Text == "-v" {
		args0, name = args[1], args[1].Text
		r.nameArgument(sc, args0)
		args = args[2:]
	}
	if len(args) > 0 && args[0].Text == "--" {
		args = args[1:]
	}
	out := fact.JoinValues(args, " ")
	r.showsSecret(sc, out)
	d := fact.Data{Taint: out.Taint | fact.FromLost}
	if len(args) > 0 && args[0].Known() {
		rest := make([]string, 0, len(args))
		many := false
		for _, a := range args[1:] {
			rest = append(rest, a.Text)
			many = many || a.Many
		}
		if s, ok := bash.Printf(args[0].Text, rest); ok && !many {
			d = fact.TextData(s, out.Taint|escaped(true, args[0].Text))
		} else if out.Taint&^fact.Tame == 0 && !out.Known() {
			d.Taint = out.Taint // a listing stays one
		}
	}
	if name != "" {
		v := fact.HoleOf(d.Taint)
		if d.Known {
			v = fact.Value{Text: d.Text, Taint: d.Taint, Odd: true}
		}
		r.setNamed(sc, args0, v)
		return fact.Data{Known: true}, true
	}
	return d, true
}
