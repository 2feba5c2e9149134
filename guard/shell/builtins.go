package shell

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"rein/places"
)

func evalBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	args := c.argv[1:]
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	v := joinValues(args, " ")
	r.found(Dynamic, "eval runs text as code")
	if v.text == "" {
		return data{known: true}, true
	}
	return r.text(sc, v, sc.args), true
}

// execBuiltin reads exec with a program: the shell becomes it.
func execBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	args := c.got.operands
	if len(args) == 0 {
		return data{known: true}, true
	}
	if spec := r.table.find(baseName(args[0].text)); spec != nil && spec.how == "shell" && len(args) == 1 {
		r.found(Dynamic, "becomes a shell that reads commands later")
	}
	return r.exec(sc, args, c.in), true
}

func baseName(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }

func sourceBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	if len(c.got.operands) == 0 {
		return data{known: true}, true
	}
	v := c.got.operands[0]
	if v.text == "/dev/stdin" {
		return r.runText(sc, *c.in, "its input", nil), true
	}
	if r.locate(sc, v).class == places.Private {
		r.reads(sc, v)
		return data{taint: fromPrivate}, true
	}
	r.sourced = true
	r.script(sc, v, c.got.operands[1:])
	return data{taint: fromWork}, true
}

func cdBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	target := literal(r.ctx.Home)
	if len(c.got.operands) > 0 {
		target = c.got.operands[0]
	}
	old := sc.cwd
	switch {
	case target.text == "-":
		sc.cwd, sc.old = sc.old, old
		return data{known: true}, true
	case target.text == "":
		return data{known: true}, true
	}
	s := r.locate(sc, target)
	sc.old, sc.cwd = old, ""
	if !s.free && !s.loose {
		sc.cwd = plainGlob(s.abs)
	} else if s.loose && !s.free && r.inWork(s.abs) {
		sc.cwd = plainGlob(s.abs) // some directory of the workspace, whatever its name
	}
	return data{known: true}, true
}

func popdBuiltin(_ *reader, sc *scope, _ *call) (data, bool) {
	sc.cwd, sc.old = sc.old, sc.cwd
	return data{known: true}, true
}

func pwdBuiltin(_ *reader, sc *scope, _ *call) (data, bool) {
	if sc.cwd == "" {
		return data{taint: fromVariable}, true
	}
	return textData(sc.cwd+"\n", 0), true
}

// commandBuiltin reads command: with -v it only looks.
func commandBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	if c.got.has("-v", "-V") {
		return pathnameProgram(r, sc, c)
	}
	return r.exec(sc, c.got.operands, c.in), true
}

// exportBuiltin reads export, declare and similar commands where they come as plain commands.
func exportBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	args := 0
	for _, v := range c.argv[1:] {
		if strings.HasPrefix(v.text, "-") {
			continue
		}
		args++
		r.hiddenSubscript(v.text)
		if name, val, ok := v.cut("="); ok {
			r.environment(sc, name.text, val)
			sc.vars[name.text] = val
		}
	}
	if args == 0 {
		r.effect(Env)
		return data{taint: fromEnv}, true
	}
	return data{known: true}, true
}

// declare reads export, declare, local, readonly, typeset.
func (r *reader) declare(sc *scope, c *syntax.DeclClause) data {
	names := 0
	for _, a := range c.Args {
		switch {
		case a.Name == nil && a.Value != nil:
			v := r.word(sc, a.Value)
			if strings.HasPrefix(v.text, "-") && strings.Contains(v.text, "n") && c.Variant.Value != "export" {
				r.found(Dynamic, "a variable that refers to another variable by its name")
			}
			if name, val, ok := v.cut("="); ok && !strings.HasPrefix(v.text, "-") {
				names++
				r.hiddenSubscript(v.text)
				r.environment(sc, name.text, val)
			}
		case a.Naked:
			names++
		default:
			names++
			v := r.assign(sc, a, true)
			r.hiddenSubscript(v.text)
		}
	}
	if r.top {
		r.report.Parts = append(r.report.Parts, Part{Words: []string{c.Variant.Value}, Class: r.part})
	}
	if names == 0 && c.Variant.Value != "local" {
		r.effect(Env)
		return data{taint: fromEnv}
	}
	return data{known: true}
}

func unsetBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	for _, v := range c.got.operands {
		r.hiddenSubscript(v.text)
		if strings.HasPrefix(v.text, "HIST") {
			r.found(Admin, "switches off the shell's history")
		}
		sc.bared = sc.bared || strings.HasPrefix(v.text, "GIT_") || !v.plain()
		delete(sc.vars, v.text)
		delete(sc.funcs, v.text)
	}
	return data{known: true}, true
}

// setBuiltin reads set: options, or new positional parameters.
func setBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	if len(c.argv) == 1 {
		r.effect(Env)
		return data{taint: fromEnv}, true
	}
	for i, v := range c.argv[1:] {
		if v.text == "--" {
			sc.args, sc.argsKnown = c.argv[i+2:], true
			return data{known: true}, true
		}
		if v.text == "history" && i > 0 && c.argv[i].text == "+o" {
			r.found(Admin, "switches off the shell's history")
		}
	}
	if first := c.argv[1].text; !strings.HasPrefix(first, "-") && !strings.HasPrefix(first, "+") {
		sc.args, sc.argsKnown = c.argv[1:], true
	}
	return data{known: true}, true
}

func shiftBuiltin(_ *reader, sc *scope, _ *call) (data, bool) {
	if len(sc.args) > 0 {
		sc.args = sc.args[1:]
	}
	return data{known: true}, true
}

// readBuiltin gives variables what flows in: the next line where that is known.
func readBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	line := holeOf(c.in.taint)
	if c.in.known {
		first, rest, _ := strings.Cut(c.in.text, "\n")
		line = value{text: first, taint: c.in.taint, odd: true}
		c.in.text = rest
	}
	names := c.got.operands
	if c.name != "read" {
		r.fillArray(sc, c, line)
		names = nil
		if cb, ok := c.got.value("-C"); ok {
			r.found(Dynamic, "runs %s for lines that come later", cb.shown())
			r.text(sc, cb, nil)
		}
	}
	if a, ok := c.got.value("-a"); ok {
		sc.arrays[a.text] = []value{line}
	}
	rest := line
	for i, n := range names {
		r.hiddenSubscript(n.text)
		v := rest
		if i < len(names)-1 && line.plain() {
			head, tail, _ := rest.cut(" ")
			v, rest = head, tail
		}
		sc.vars[n.text] = v
	}
	if c.name == "read" && len(names) == 0 {
		sc.vars["REPLY"] = line
	}
	return data{known: true}, true
}

// fillArray returns the array of mapfile and readarray the lines that flow in.
func (r *reader) fillArray(sc *scope, c *call, first value) {
	name := "MAPFILE"
	if len(c.got.operands) > 0 {
		name = c.got.operands[0].text
	}
	list := []value{first}
	if c.in.known && c.in.text != "" {
		for _, l := range strings.SplitN(strings.TrimSuffix(c.in.text, "\n"), "\n", maxRounds) {
			list = append(list, value{text: l, taint: c.in.taint, odd: true})
		}
	}
	c.in.text = ""
	sc.arrays[name] = list
}

func testBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	for i, v := range c.argv {
		if v.text == "-v" && i+1 < len(c.argv) {
			r.hiddenSubscript(c.argv[i+1].text)
		}
	}
	return data{known: true}, true
}

// trapBuiltin reads trap: the text is judged as if it ran here. Anything that would not run unasked asks as code
// that runs later.
func trapBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	if len(c.got.operands) < 2 {
		return data{known: true}, true
	}
	v := c.got.operands[0]
	if v.text == "" || v.text == "-" {
		return data{known: true}, true
	}
	r.traps = append(r.traps, trap{v, sc})
	return data{known: true}, true
}

func aliasBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	for _, v := range c.got.operands {
		if _, val, ok := v.cut("="); ok {
			r.found(Dynamic, "an alias makes a word mean another command")
			r.text(sc, val, nil)
		}
	}
	return data{known: true}, true
}

func historyBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	for _, v := range c.argv[1:] {
		switch {
		case v.text == "-c" || v.text == "-d":
			r.found(Admin, "removes the shell's history")
		case strings.HasPrefix(v.text, "-"):
			r.found(Exec, "puts lines into the shell's history or a file")
		}
	}
	for _, v := range c.got.operands {
		if strings.Contains(v.text, "/") {
			r.writes(sc, v)
		}
	}
	return data{taint: fromPrivate}, true
}

func echoBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	args, escapes, newline := c.argv[1:], false, "\n"
	for len(args) > 0 && len(args[0].text) > 1 && args[0].text[0] == '-' && strings.Trim(args[0].text[1:], "neE") == "" {
		escapes = escapes || strings.Contains(args[0].text, "e")
		if strings.Contains(args[0].text, "n") {
			newline = ""
		}
		args = args[1:]
	}
	v := joinValues(args, " ")
	r.showsSecret(sc, v)
	if escapes && v.plain() {
		if s, _, err := expand.Format(nil, strings.ReplaceAll(v.text, "%", "%%"), nil); err == nil {
			v.text = noUnknowns(s)
			v.taint |= escaped(true, joinValues(args, " ").text)
		}
	}
	for _, a := range args {
		if a.proc != nil {
			v.taint |= a.proc.taint
		}
	}
	return textData(v.text+newline, v.taint), true
}

// showsSecret reports a command that prints a variable whose name shows that it holds a credential.
func (r *reader) showsSecret(sc *scope, v value) {
	if v.taint&fromPrivate != 0 && v.taint&fromVariable != 0 && !sc.sent {
		r.found(Private, "prints a variable that holds a credential by its name")
	}
}

// printenvProgram reads printenv: one variable may be a credential by its name.
func printenvProgram(r *reader, _ *scope, c *call) (data, bool) {
	for _, v := range c.got.operands {
		if secretVariable(v.text) {
			r.found(Private, "prints a variable that holds a credential by its name")
		}
	}
	return data{}, false
}

func printfBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	args := c.argv[1:]
	var name string
	if len(args) > 1 && args[0].text == "-v" {
		name = args[1].text
		r.hiddenSubscript(name)
		args = args[2:]
	}
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	out := joinValues(args, " ")
	r.showsSecret(sc, out)
	d := data{taint: out.taint}
	if len(args) > 0 && args[0].known() {
		rest := make([]string, 0, len(args))
		for _, a := range args[1:] {
			rest = append(rest, a.text)
		}
		if s, err := formatAll(args[0].text, rest); err == nil {
			d = textData(s, out.taint|escaped(true, args[0].text))
		}
	}
	if name != "" {
		v := d.asValue()
		sc.vars[name] = v
		return data{known: true}, true
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
		if n == 0 || n >= len(args) || b.Len() > maxKnown {
			return b.String(), nil
		}
		args = args[n:]
	}
}
