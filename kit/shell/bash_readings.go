package shell

import (
	"slices"
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// substitution is the output of $( ). One that may be empty counts as a variable in doubt.
func (x *expansion) substitution(p *syntax.CmdSubst) value {
	name := substitutionPrefix + strconv.Itoa(int(p.Pos().Offset()))
	if v, ok := x.sc.Vars[name]; ok {
		return v
	}
	v := x.r.substitute(x.sc, p.Stmts)
	if len(v.Else) > 0 {
		x.sc.Vars[name] = v
		x.r.Doubts = append(x.r.Doubts, name)
		v.Else = nil
	}
	return v
}

// word expands a word to a single value, without splitting: as in assignments, where wildcards are letters.
func (r *reader) word(sc *scope, w *syntax.Word) value {
	if w == nil {
		return value{}
	}
	expand := func(sc *scope) value {
		x := &expansion{r: r, sc: sc, whole: true, plain: true}
		x.parts(w.Parts, false)
		v := x.value()
		v.Many = false
		return v
	}
	var v value
	names := r.InDoubt(func() { v = expand(sc) })
	for _, other := range r.Readings(sc, names) {
		o := expand(other)
		switch {
		case o.Text == v.Text || slices.Contains(v.Else, o.Text):
		case o.Plain() && v.Plain() && len(v.Else) < maxAlternatives:
			v.Else = append(v.Else[:len(v.Else):len(v.Else)], o.Text)
		default:
			v = holeOf(v.Taint | o.Taint | fromLost)
		}
	}
	sc.EndReading(names)
	r.Doubts = append(r.Doubts, names...) // where this is a part of another word, that one is in doubt, too
	return v
}

// inReading reads a simple command again, in a scope where variables have other values.
func (r *reader) inReading(sc *scope, s *syntax.Stmt, c *syntax.CallExpr, in data) data {
	top := r.top
	r.top, r.Rereading = false, true
	defer func() { r.top, r.Rereading = top, false }()
	return r.simple(sc, s, c, &in)
}
