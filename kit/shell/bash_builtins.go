package shell

import (
	"strings"

	"rein/guard/effect"
	"rein/kit/places"
)

func evalBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	args := c.Argv[1:]
	if len(args) > 0 && args[0].Text == "--" {
		args = args[1:]
	}
	v := joinValues(args, " ")
	r.Found(effect.Dynamic, "eval runs text as code")
	if v.Text == "" {
		return data{Known: true}, true
	}
	return r.here(sc, v, sc.Args), true
}

// execBuiltin reads exec with a program: the shell becomes it.
func execBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	args := c.Got.Operands
	if len(args) == 0 {
		return data{Known: true}, true
	}
	if spec := r.Table.Find(baseName(args[0].Text)); spec != nil && spec.How == "shell" && len(args) == 1 {
		r.Found(effect.Dynamic, "becomes a shell that reads commands later")
	}
	return r.Exec(sc, args, c.In), true
}

func sourceBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	if len(c.Got.Operands) == 0 {
		return data{Known: true}, true
	}
	v := c.Got.Operands[0]
	if v.Text == "/dev/stdin" {
		return r.RunText(sc, *c.In, "its input", nil), true
	}
	if r.Locate(sc, v).Class == places.Private {
		r.Reads(sc, v)
		return data{Taint: fromPrivate}, true
	}
	r.sourced = true
	sc.Forget(fromWork)
	r.Script(sc, v, c.Got.Operands[1:])
	return data{Taint: fromWork}, true
}

const maxPath = 512 // bytes of a directory that is followed

func cdBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	target := literal(r.Ctx.Home)
	if len(c.Got.Operands) > 0 {
		target = c.Got.Operands[0]
	}
	old := sc.Cwd
	if len(old) > maxPath {
		sc.Cwd, sc.Old = "", ""
		return data{Known: true}, true
	}
	for _, name := range []string{"PWD", "OLDPWD"} { // from here on they are what the shell makes them
		delete(sc.Vars, name)
	}
	switch {
	case target.Text == "-":
		sc.Cwd, sc.Old = sc.Old, old
		return data{Known: true}, true
	case target.Text == "":
		return data{Known: true}, true
	}
	s := r.Locate(sc, target)
	sc.Old, sc.Cwd = old, ""
	if !s.Free && !s.Loose {
		sc.Cwd = plainGlob(s.Abs)
	} else if s.Loose && !s.Free && r.InWork(s.Abs) {
		sc.Cwd = plainGlob(s.Abs) // some directory of the workspace, whatever its name
	}
	return data{Known: true}, true
}

func popdBuiltin(_ *reader, sc *scope, _ *call) (data, bool) {
	sc.Cwd, sc.Old = sc.Old, sc.Cwd
	return data{Known: true}, true
}

func pwdBuiltin(_ *reader, sc *scope, _ *call) (data, bool) {
	if sc.Cwd == "" {
		return data{Taint: fromVariable}, true
	}
	return textData(sc.Cwd+"\n", 0), true
}

// commandBuiltin reads command: with -v it only looks.
func commandBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	if c.Got.Has("-v", "-V") {
		return programHandlerNamed("pathname")(r.programs, sc, c)
	}
	return r.Exec(sc, c.Got.Operands, c.In), true
}

func testBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	for i, v := range c.Argv {
		if (v.Text == "-v" || v.Text == "-R") && i+1 < len(c.Argv) {
			r.nameArgument(sc, c.Argv[i+1])
		}
	}
	return data{Known: true}, true
}

// trapBuiltin reads trap: the text is judged as if it ran here. Anything that would not run unasked asks as code
// that runs later.
func trapBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	if len(c.Got.Operands) < 2 {
		return data{Known: true}, true
	}
	v := c.Got.Operands[0]
	if v.Text == "" || v.Text == "-" {
		return data{Known: true}, true
	}
	r.traps = append(r.traps, trap{v, sc})
	for _, signal := range c.Got.Operands[1:] {
		if signal.Text != "EXIT" && signal.Text != "0" && signal.Text != "exit" {
			r.trapChanges(v)
		}
	}
	return data{Known: true}, true
}

// trapChanges reports a trap that may change variables between any two commands from here on.
func (r *reader) trapChanges(text value) {
	file := r.parse(text.Text)
	if file == nil || mayAssign(file) {
		r.Found(effect.Dynamic, "a trap that changes what the commands after it work on: %s", text.Shown())
	}
}

func aliasBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	for _, v := range c.Got.Operands {
		if _, val, ok := v.Cut("="); ok {
			r.Found(effect.Dynamic, "an alias makes a word mean another command")
			r.here(sc, val, nil)
		}
	}
	return data{Known: true}, true
}

func historyBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	for _, v := range c.Argv[1:] {
		switch {
		case v.Text == "-c" || v.Text == "-d":
			r.Found(effect.Admin, "removes the shell's history")
		case strings.HasPrefix(v.Text, "-"):
			r.Found(effect.Exec, "puts lines into the shell's history or a file")
		}
	}
	for _, v := range c.Got.Operands {
		if strings.Contains(v.Text, "/") {
			r.Writes(sc, v)
		}
	}
	return data{Taint: fromPrivate}, true
}
