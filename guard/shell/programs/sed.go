package programs

import (
	"strings"

	"rein/guard/shell/code"
	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
	"rein/guard/shell/table"
)

// sedProgram reads sed: its script may write, read and run.
func sedProgram(r *Programs, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	ops := c.Got.Operands
	var scripts []fact.Value
	for _, o := range c.Got.Options {
		switch {
		case o.Name == "-e" || strings.HasPrefix("--expression", o.Name) && len(o.Name) > 4 && o.Takes:
			scripts = append(scripts, o.Value)
		case o.Name == "-f" || o.Name == "--file":
			r.Found(fact.Exec, "sed takes its script from %s", o.Value.Shown())
			r.Reads(sc, o.Value)
			scripts = append(scripts, fact.Value{})
		}
	}
	if len(scripts) == 0 && len(ops) > 0 {
		scripts, ops = ops[:1], ops[1:]
	}
	for _, s := range scripts {
		r.sedScript(sc, s)
	}
	inPlace := c.Got.Has("-i", "--in-place") || c.DeepLong("--in-place")
	t := c.In.Taint
	for _, v := range ops {
		if inPlace {
			r.Writes(sc, v)
		}
		r.Reads(sc, v)
		t |= r.Contents(sc, v)
	}
	return fact.Data{Taint: t | fact.FromWork}, true
}

// sedScript walks through a script: it knows enough of the language to find w, r, e and the flags of s.
func (r *Programs) sedScript(sc *judge.Scope, v fact.Value) {
	if v.Taint&^(fact.FromNumber|fact.FromWork|fact.FromNames) != 0 && !v.Known() {
		r.Found(fact.Dynamic, "sed's script is not known before it runs")
	}
	s := &code.SedScanner{Text: v.Text}
	for !s.Done() {
		s.Skip(" \t\n;{}!")
		s.Address()
		s.Skip(" \t!")
		if s.Done() {
			return
		}
		switch cmd := s.Next(); cmd {
		case 's':
			if flags, file := s.Substitute(); strings.Contains(flags, "e") {
				r.Found(fact.Exec, "sed runs what it substitutes")
			} else if strings.Contains(flags, "w") {
				r.Writes(sc, v.With(file))
			}
		case 'y':
			s.Substitute()
		case 'e':
			line := s.Line()
			r.Found(fact.Exec, "sed runs a command: %s", line)
			r.Shell.Text(sc, v.With(strings.TrimSpace(line)), nil)
		case 'w', 'W':
			r.Writes(sc, v.With(strings.TrimSpace(s.Line())))
		case 'r', 'R':
			r.Reads(sc, v.With(strings.TrimSpace(s.Line())))
		case 'a', 'i', 'c':
			s.Line()
		case 'b', 't', 'T', ':':
			s.Until(";\n}")
		case '#':
			s.Line()
		}
	}
}
