package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"rein/guard/effect"
)

// arithmetic evaluates an expression as $(( )) does: a number, known or not. A variable whose value is no plain number may run
// code when bash evaluates it; that is a finding.
func (r *reader) arithmetic(sc *scope, x syntax.ArithmExpr) value {
	if n, ok := r.number(sc, x); ok {
		return value{Text: strconv.FormatInt(n, 10), Odd: true}
	}
	return holeOf(fromNumber)
}

// number is the value of an expression; ok is false where it is not known.
func (r *reader) number(sc *scope, x syntax.ArithmExpr) (n int64, ok bool) {
	switch x := x.(type) {
	case nil:
		return 0, true
	case *syntax.Word:
		if p, is := variableOf(x); is {
			return r.numberText(r.variable(sc, p))
		}
		return r.numberText(r.word(sc, x))
	case *syntax.ParenArithm:
		return r.number(sc, x.X)
	case *syntax.UnaryArithm:
		return r.unary(sc, x)
	case *syntax.BinaryArithm:
		return r.binaryNumber(sc, x)
	}
	r.nested(sc, x)
	return 0, false
}

// evaluates reads (( )) and let. What is assigned from variables in doubt is unknown.
func (r *reader) evaluates(sc *scope, x syntax.ArithmExpr) {
	if doubts := r.InDoubt(func() { r.number(sc, x) }); len(doubts) > 0 {
		for _, name := range assignedVariables(x) {
			sc.Lose(name)
		}
	}
}

func (r *reader) variable(sc *scope, p *syntax.ParamExp) value {
	x := &expansion{r: r, sc: sc, whole: true, plain: true}
	x.param(p, true)
	return x.value()
}

// numberText is the number that a text evaluates to.
func (r *reader) numberText(v value) (n int64, ok bool) {
	if len(v.Else) > 0 {
		for _, other := range append(v.Else, v.Text) {
			r.numberText(value{Text: other, Taint: v.Taint})
		}
		return 0, false
	}
	text := strings.TrimSpace(v.Text)
	if text == "" {
		return 0, true
	}
	if n, err := strconv.ParseInt(text, 0, 64); err == nil && !strings.ContainsAny(text, "_bo") {
		return n, true
	}
	switch {
	case !v.Known() && v.Taint&^(fromNumber|fromJob|fromVariable|fromPrivate) == 0 && strings.Trim(text, "0123456789-"+string(anyText)) == "":
	case strings.Trim(text, "0123456789+-*/%()<>=&|^~!,?: ") == "":
	default:
		r.Found(effect.Dynamic, "evaluates %s as arithmetic, which may run code", v.Shown())
	}
	return 0, false
}

func (r *reader) unary(sc *scope, x *syntax.UnaryArithm) (n int64, ok bool) {
	n, ok = r.number(sc, x.X)
	switch x.Op {
	case syntax.Inc, syntax.Dec:
		was, change := n, int64(1)
		if x.Op == syntax.Dec {
			change = -1
		}
		r.setNumber(sc, x.X, n+change, ok)
		if x.Post {
			return was, ok
		}
		return n + change, ok
	case syntax.Minus:
		return -n, ok
	case syntax.Plus:
		return n, ok
	case syntax.Not:
		return numberOf(n == 0), ok
	case syntax.BitNegation:
		return ^n, ok
	}
	return 0, false
}

func (r *reader) binaryNumber(sc *scope, x *syntax.BinaryArithm) (n int64, ok bool) {
	if op, is := assignOperator(x.Op); is {
		n, ok = r.number(sc, x.Y)
		if op != 0 {
			before, known := r.number(sc, x.X)
			var fine bool
			n, fine = calculate(op, before, n)
			ok = ok && known && fine
		}
		r.setNumber(sc, x.X, n, ok)
		return n, ok
	}
	if x.Op == syntax.AndArit || x.Op == syntax.OrArit || x.Op == syntax.TernQuest {
		return r.perhaps(sc, x)
	}
	a, okA := r.number(sc, x.X)
	b, okB := r.number(sc, x.Y)
	n, ok = calculate(x.Op, a, b)
	return n, ok && okA && okB
}

// perhaps reads a && b, a || b and a ? b : c, of which some part may not be evaluated. What it may assign is unknown after it.
func (r *reader) perhaps(sc *scope, x *syntax.BinaryArithm) (int64, bool) {
	r.number(sc, x.X)
	b := sc.Sub()
	r.number(b, x.Y)
	r.Merge(sc, b)
	return 0, false
}

// setNumber assigns a number to the variable that an expression names.
func (r *reader) setNumber(sc *scope, x syntax.ArithmExpr, n int64, known bool) {
	v := holeOf(fromNumber)
	if known {
		v = value{Text: strconv.FormatInt(n, 10), Odd: true}
	}
	w, ok := x.(*syntax.Word)
	if !ok {
		return
	}
	p, ok := variableOf(w)
	switch {
	case !ok:
	case p.Index == nil:
		sc.Set(p.Param.Value, v)
	default:
		r.setElement(sc, p.Param.Value, p.Index, v, false)
	}
}

// nested visits a node that is no word for substitutions within it, and for code hidden in quoted subscripts.
func (r *reader) nested(sc *scope, n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			r.substitute(sc, n.Stmts)
			return false
		case *syntax.ProcSubst:
			r.stmts(sc.Sub(), n.Stmts, data{Taint: fromInput})
			return false
		case *syntax.SglQuoted:
			r.nameArgument(sc, literal(n.Value))
		case *syntax.ParamExp:
			x := &expansion{r: r, sc: sc, whole: true, plain: true}
			x.param(n, true)
			return false
		}
		return true
	})
}

// nameArgument judges a word that a builtin takes for the name of a variable: read, unset, printf -v, test -v. Its subscript is
// evaluated as arithmetic, and may run code.
func (r *reader) nameArgument(sc *scope, v value) {
	name, sub, ok := strings.Cut(v.Text, "[")
	sub = strings.TrimSuffix(sub, "]")
	switch {
	case v.Wild():
		r.Found(effect.Dynamic, "takes %s for the name of a variable, which may run code", v.Shown())
	case !ok || !syntax.ValidName(name) || sc.Arrays[name].Assoc:
	case strings.ContainsAny(sub, "$`"):
		r.Found(effect.Dynamic, "code in the subscript of a quoted name")
	case sub != "@" && sub != "*":
		r.evaluate(sc, v.With(sub))
	}
}

// evaluate is the number that a text evaluates to, where a name means a variable: the sides of [[ a -eq b ]], subscripts.
func (r *reader) evaluate(sc *scope, v value) (int64, bool) {
	if syntax.ValidName(v.Text) {
		v, _ = r.Lookup(sc, v.Text)
	}
	return r.numberText(v)
}
