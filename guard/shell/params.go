package shell

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
)

// param expands ${name…}.
func (x *expansion) param(p *syntax.ParamExp, quoted bool) {
	if p.Index != nil {
		x.r.arithm(x.sc, p.Index)
	}
	name := ""
	if p.Param != nil {
		name = p.Param.Value
	}
	if p.Excl {
		if p.Names == 0 && p.Index == nil {
			x.r.Found(fact.Dynamic, "${!%s} names a variable that is not known before it runs", name)
		}
		x.addFields(fact.HoleOf(fact.FromVariable), quoted)
		return
	}
	if p.Length || p.Width {
		x.add(string(fact.Hole), fact.FromNumber, true)
		return
	}
	if list, ok := x.list(name, p); ok {
		x.addList(list, name, quoted)
		return
	}
	v, set := x.r.Lookup(x.sc, name)
	x.addFields(x.r.modify(x.sc, p, name, v, set), quoted)
}

// list returns the elements of $@, $* and ${array[@]} where they are known.
func (x *expansion) list(name string, p *syntax.ParamExp) ([]fact.Value, bool) {
	if p.Exp != nil || p.Repl != nil || p.Slice != nil {
		return nil, false
	}
	switch {
	case name == "@" || name == "*":
		return x.sc.Args, x.sc.ArgsKnown
	case p.Index != nil:
		if w, ok := p.Index.(*syntax.Word); ok && (w.Lit() == "@" || w.Lit() == "*") {
			vs, ok := x.sc.Arrays[name]
			return vs, ok
		}
	}
	return nil, false
}

func (x *expansion) addList(list []fact.Value, name string, quoted bool) {
	if x.r.words += len(list); x.r.words > maxListed {
		x.r.Found(fact.Unparsed, "lists grow too long to follow")
		list = []fact.Value{fact.HoleOf(fact.FromVariable)}
	}
	for i, v := range list {
		if i > 0 {
			if x.whole || (quoted && name == "*") {
				x.add(" ", 0, true)
			} else {
				x.cut()
			}
		}
		x.addFields(v, quoted)
	}
	x.cur.Odd = true
}

// modify applies the operator of ${name-op-word} to a value.
func (r *reader) modify(sc *judge.Scope, p *syntax.ParamExp, name string, v fact.Value, set bool) fact.Value {
	switch {
	case p.Exp != nil:
		return r.operator(sc, p, name, v, set)
	case p.Repl != nil:
		with, orig := r.word(sc, p.Repl.With), r.word(sc, p.Repl.Orig)
		if v.Known() && with.Plain() && orig.Plain() {
			if len(v.Text)*(1+len(with.Text)) > fact.MaxKnown {
				return fact.HoleOf(v.Taint | with.Taint | fact.FromVariable)
			}
			if p.Repl.All {
				return v.With(strings.ReplaceAll(v.Text, orig.Text, with.Text))
			}
			return v.With(strings.Replace(v.Text, orig.Text, with.Text, 1))
		}
		return fact.HoleOf(v.Taint | with.Taint)
	case p.Slice != nil:
		r.arithm(sc, p.Slice.Offset)
		r.arithm(sc, p.Slice.Length)
		return r.compute(p, name, v)
	}
	return v
}

func (r *reader) operator(sc *judge.Scope, p *syntax.ParamExp, name string, v fact.Value, set bool) fact.Value {
	word := r.word(sc, p.Exp.Word)
	empty := v.Text == ""
	switch p.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if !set {
			return fact.Value{Odd: true}
		}
		return word
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		if !set || (empty && p.Exp.Op == syntax.DefaultUnsetOrNull) {
			return word
		}
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if !set || (empty && p.Exp.Op == syntax.AssignUnsetOrNull) {
			sc.Vars[name] = word
			return word
		}
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return v
	case syntax.OtherParamOps:
		op := ""
		if p.Exp.Word != nil {
			op = p.Exp.Word.Lit()
		}
		if op != "Q" && op != "U" && op != "u" && op != "L" && op != "a" && op != "A" && op != "K" && op != "k" {
			r.Found(fact.Dynamic, "${%s@%s} expands text as code", name, op)
		}
		return v
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix, syntax.RemSmallPrefix, syntax.RemLargePrefix,
		syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		return r.compute(p, name, v)
	}
	return v
}

// compute lets the library work out an expansion of a known value; of an unknown one the taint remains.
func (r *reader) compute(p *syntax.ParamExp, name string, v fact.Value) fact.Value {
	if !v.Plain() {
		return fact.HoleOf(v.Taint)
	}
	cfg := &expand.Config{Env: expand.FuncEnviron(func(n string) string {
		if n == name {
			return v.Text
		}
		return ""
	})}
	out, err := expand.Literal(cfg, &syntax.Word{Parts: []syntax.WordPart{p}})
	if err != nil {
		return fact.HoleOf(v.Taint | fact.FromVariable)
	}
	return fact.Value{Text: fact.NoUnknowns(out), Taint: v.Taint, Odd: true}
}
