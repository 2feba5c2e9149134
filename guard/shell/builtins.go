package shell

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

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
		r.hiddenSubscript(v.Text)
		if name, val, ok := v.Cut("="); ok {
			r.Environment(sc, name.Text, val)
			sc.Vars[name.Text] = val
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
	names := 0
	for _, a := range c.Args {
		switch {
		case a.Name == nil && a.Value != nil:
			v := r.word(sc, a.Value)
			if strings.HasPrefix(v.Text, "-") && strings.Contains(v.Text, "n") && c.Variant.Value != "export" {
				r.Found(fact.Dynamic, "a variable that refers to another variable by its name")
			}
			if name, val, ok := v.Cut("="); ok && !strings.HasPrefix(v.Text, "-") {
				names++
				r.hiddenSubscript(v.Text)
				r.Environment(sc, name.Text, val)
			}
		case a.Naked:
			names++
		default:
			names++
			v := r.assign(sc, a, true)
			r.hiddenSubscript(v.Text)
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

func unsetBuiltin(r *reader, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	for _, v := range c.Got.Operands {
		r.hiddenSubscript(v.Text)
		if strings.HasPrefix(v.Text, "HIST") {
			r.Found(fact.Admin, "switches off the shell's history")
		}
		sc.Bared = sc.Bared || strings.HasPrefix(v.Text, "GIT_") || !v.Plain()
		delete(sc.Vars, v.Text)
		delete(sc.Funcs, v.Text)
	}
	return fact.Data{Known: true}, true
}

// setBuiltin reads set: options, or new positional parameters.
func setBuiltin(r *reader, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	if len(c.Argv) == 1 {
		r.Effect(fact.Env)
		return fact.Data{Taint: fact.FromEnv}, true
	}
	for i, v := range c.Argv[1:] {
		if v.Text == "--" {
			sc.Args, sc.ArgsKnown = c.Argv[i+2:], true
			return fact.Data{Known: true}, true
		}
		if v.Text == "history" && i > 0 && c.Argv[i].Text == "+o" {
			r.Found(fact.Admin, "switches off the shell's history")
		}
	}
	if first := c.Argv[1].Text; !strings.HasPrefix(first, "-") && !strings.HasPrefix(first, "+") {
		sc.Args, sc.ArgsKnown = c.Argv[1:], true
	}
	return fact.Data{Known: true}, true
}

func shiftBuiltin(_ *reader, sc *judge.Scope, _ *table.Call) (fact.Data, bool) {
	if len(sc.Args) > 0 {
		sc.Args = sc.Args[1:]
	}
	return fact.Data{Known: true}, true
}

// readBuiltin gives variables what flows in: the next line where that is known.
func readBuiltin(r *reader, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	line := fact.HoleOf(c.In.Taint)
	if c.In.Known {
		first, rest, _ := strings.Cut(c.In.Text, "\n")
		line = fact.Value{Text: first, Taint: c.In.Taint, Odd: true}
		c.In.Text = rest
	}
	names := c.Got.Operands
	if c.Name != "read" {
		r.fillArray(sc, c, line)
		names = nil
		if cb, ok := c.Got.Value("-C"); ok {
			r.Found(fact.Dynamic, "runs %s for lines that come later", cb.Shown())
			r.Text(sc, cb, nil)
		}
	}
	if a, ok := c.Got.Value("-a"); ok {
		sc.Arrays[a.Text] = []fact.Value{line}
	}
	rest := line
	for i, n := range names {
		r.hiddenSubscript(n.Text)
		v := rest
		if i < len(names)-1 && line.Plain() {
			head, tail, _ := rest.Cut(" ")
			v, rest = head, tail
		}
		sc.Vars[n.Text] = v
	}
	if c.Name == "read" && len(names) == 0 {
		sc.Vars["REPLY"] = line
	}
	return fact.Data{Known: true}, true
}

// fillArray returns the array of mapfile and readarray the lines that flow in.
func (r *reader) fillArray(sc *judge.Scope, c *table.Call, first fact.Value) {
	name := "MAPFILE"
	if len(c.Got.Operands) > 0 {
		name = c.Got.Operands[0].Text
	}
	list := []fact.Value{first}
	if c.In.Known && c.In.Text != "" {
		for _, l := range strings.SplitN(strings.TrimSuffix(c.In.Text, "\n"), "\n", maxRounds) {
			list = append(list, fact.Value{Text: l, Taint: c.In.Taint, Odd: true})
		}
	}
	c.In.Text = ""
	sc.Arrays[name] = list
}

func testBuiltin(r *reader, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	for i, v := range c.Argv {
		if v.Text == "-v" && i+1 < len(c.Argv) {
			r.hiddenSubscript(c.Argv[i+1].Text)
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
	if escapes && v.Plain() {
		if s, _, err := expand.Format(nil, strings.ReplaceAll(v.Text, "%", "%%"), nil); err == nil {
			v.Text = fact.NoUnknowns(s)
			v.Taint |= escaped(true, fact.JoinValues(args, " ").Text)
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
	if len(args) > 1 && args[0].Text == "-v" {
		name = args[1].Text
		r.hiddenSubscript(name)
		args = args[2:]
	}
	if len(args) > 0 && args[0].Text == "--" {
		args = args[1:]
	}
	out := fact.JoinValues(args, " ")
	r.showsSecret(sc, out)
	d := fact.Data{Taint: out.Taint}
	if len(args) > 0 && args[0].Known() {
		rest := make([]string, 0, len(args))
		for _, a := range args[1:] {
			rest = append(rest, a.Text)
		}
		if s, err := formatAll(args[0].Text, rest); err == nil {
			d = fact.TextData(s, out.Taint|escaped(true, args[0].Text))
		}
	}
	if name != "" {
		v := d.AsValue()
		sc.Vars[name] = v
		return fact.Data{Known: true}, true
	}
	return d, true
}

// formatAll applies a format to all arguments, again and again, as printf does.
func formatAll(format string, args []string) (string, error) {
	var b strings.Builder
	for {
		s, n, err := expand.Format(nil, format, args)
		if err != nil {
			return "", err
		}
		b.WriteString(s)
		if n == 0 || n >= len(args) || b.Len() > fact.MaxKnown {
			return b.String(), nil
		}
		args = args[n:]
	}
}
