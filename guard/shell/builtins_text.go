package shell

import (
	"strings"

	"rein/guard/shell/bash"
	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
	"rein/guard/shell/table"
)

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
		sc.Set(name.Text, r.integer(sc, name.Text, v))
	case judge.IsNumber(key) || a.Assoc && name.Plain():
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
		r.here(sc, cb, nil)
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
	for i, a := range args {
		if a.Many && a.Text == string(fact.Hole) && i > 0 { // perhaps no word, and no blank then
			v.Text = strings.ReplaceAll(v.Text, " "+string(fact.Hole), string(fact.Hole))
			break
		}
	}
	r.showsSecret(sc, v)
	if escapes {
		text, ends, ok := bash.Escapes(v.Text, bash.Echo)
		if !ok || strings.ContainsAny(text, "\x01\x02") {
			return fact.Data{Taint: v.Taint | fact.FromLost}, true
		}
		v.Taint |= fact.Escaped(true, v.Text)
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
			d = fact.TextData(s, out.Taint|fact.Escaped(true, args[0].Text))
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
