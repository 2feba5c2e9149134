package shell

import (
	"strings"

	"rein/guard/effect"
)

// readBuiltin gives variables what flows in: the next line where that is known.
func readBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	if c.Name != "read" {
		r.fillArray(sc, c)
		return data{Known: true}, true
	}
	line := holeOf(c.In.Taint)
	if c.In.Known {
		first, rest, _ := strings.Cut(c.In.Text, "\n")
		line = value{Text: first, Taint: c.In.Taint, Odd: true}
		c.In.Text = rest
	}
	raw := c.Got.Has("-r")
	if c.Got.Has("-d", "-n", "-N", "-u", "-i", "-t") || !raw && strings.HasSuffix(line.Text, "\\") {
		if c.In.Known {
			c.In.Text = "" // how much of it is read is not followed
			line = holeOf(c.In.Taint | fromLost)
		}
	}
	ifs, _ := r.Lookup(sc, "IFS")
	s := fieldSplitter{IFS: ifs.Text}
	known := line.Plain() && ifs.Plain()
	if a, ok := c.Got.Value("-a"); ok {
		r.nameArgument(sc, a)
		if !known {
			sc.SetArray(a.Text, unknownArray(line.Taint))
			return data{Known: true}, true
		}
		sc.SetArray(a.Text, arrayOf(values(s.ReadAll(line.Text, raw), line.Taint)))
		return data{Known: true}, true
	}
	names := c.Got.Operands
	if len(names) == 0 {
		if line.Known() {
			line.Text = readReply(line.Text, raw)
		}
		sc.Set("REPLY", line)
		return data{Known: true}, true
	}
	fields := make([]value, len(names))
	for i := range fields {
		fields[i] = holeOf(line.Taint)
	}
	if known {
		fields = values(s.Read(line.Text, len(names), raw), line.Taint)
	}
	for i, n := range names {
		r.nameArgument(sc, n)
		r.setNamed(sc, n, fields[i])
	}
	return data{Known: true}, true
}

// setNamed gives a value to a variable that a word names: x, a[1].
func (r *reader) setNamed(sc *scope, name, v value) {
	base, key, ok := strings.Cut(strings.TrimSuffix(name.Text, "]"), "[")
	switch a := sc.Arrays[base]; {
	case !ok:
		sc.Set(name.Text, r.integer(sc, name.Text, v))
	case isNumber(key) || a.Assoc && name.Plain():
		sc.SetArray(base, a.With(key, v))
	default:
		sc.SetArray(base, unknownArray(a.Taints()|v.Taint))
	}
}

func values(texts []string, t taint) []value {
	out := make([]value, len(texts))
	for i, s := range texts {
		out[i] = value{Text: s, Taint: t, Odd: true}
	}
	return out
}

// fillArray gives the array of mapfile the lines that flow in.
func (r *reader) fillArray(sc *scope, c *call) {
	if cb, ok := c.Got.Value("-C"); ok {
		r.Found(effect.Dynamic, "runs %s for lines that come later", cb.Shown())
		r.here(sc, cb, nil)
	}
	name := literal("MAPFILE")
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
			t |= fromLost
		}
		sc.SetArray(name.Text, unknownArray(t))
		c.In.Text = ""
		return
	}
	if c.Got.Has("-t") {
		for i := range lines {
			lines[i] = strings.TrimSuffix(lines[i], "\n")
		}
	}
	c.In.Text = ""
	sc.SetArray(name.Text, arrayOf(values(lines, c.In.Taint)))
}

func echoBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	args, escapes, newline := c.Argv[1:], false, "\n"
	for len(args) > 0 && len(args[0].Text) > 1 && args[0].Text[0] == '-' && strings.Trim(args[0].Text[1:], "neE") == "" {
		escapes = escapes || strings.Contains(args[0].Text, "e")
		if strings.Contains(args[0].Text, "n") {
			newline = ""
		}
		args = args[1:]
	}
	v := joinValues(args, " ")
	for i, a := range args {
		if a.Many && a.Text == string(anyText) && i > 0 { // perhaps no word, and no blank then
			v.Text = strings.ReplaceAll(v.Text, " "+string(anyText), string(anyText))
			break
		}
	}
	r.showsSecret(sc, v)
	if escapes {
		text, ends, ok := replaceEscapes(v.Text, styleEcho)
		if !ok || strings.ContainsAny(text, "\x01\x02") {
			return data{Taint: v.Taint | fromLost}, true
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
	return textData(v.Text+newline, v.Taint), true
}

// showsSecret reports a command that prints a variable whose name shows that it holds a credential.
func (r *reader) showsSecret(sc *scope, v value) {
	if v.Taint&fromPrivate != 0 && v.Taint&fromVariable != 0 && !sc.Sent {
		r.Found(effect.Private, "prints a variable that holds a credential by its name")
	}
}

func printfBuiltin(r *reader, sc *scope, c *call) (data, bool) {
	args := c.Argv[1:]
	var name string
	var args0 value
	if len(args) > 1 && args[0].Text == "-v" {
		args0, name = args[1], args[1].Text
		r.nameArgument(sc, args0)
		args = args[2:]
	}
	if len(args) > 0 && args[0].Text == "--" {
		args = args[1:]
	}
	out := joinValues(args, " ")
	r.showsSecret(sc, out)
	d := data{Taint: out.Taint | fromLost}
	if len(args) > 0 && args[0].Known() {
		rest := make([]string, 0, len(args))
		many := false
		for _, a := range args[1:] {
			rest = append(rest, a.Text)
			many = many || a.Many
		}
		if s, ok := formatPrintf(args[0].Text, rest); ok && !many {
			d = textData(s, out.Taint|escaped(true, args[0].Text))
		} else if out.Taint&^tame == 0 && !out.Known() {
			d.Taint = out.Taint // a listing stays one
		}
	}
	if name != "" {
		v := holeOf(d.Taint)
		if d.Known {
			v = value{Text: d.Text, Taint: d.Taint, Odd: true}
		}
		r.setNamed(sc, args0, v)
		return data{Known: true}, true
	}
	return d, true
}
