package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"rein/guard/effect"
)

// costly is what the square of a text's length is divided by for the steps that an operator on it costs.
const costly = 1000

// compute applies an operator that makes a new text of a value: patterns, slices, letters.
func (r *reader) compute(sc *scope, p *syntax.ParamExp, v value, ref reference) value {
	if p.Exp == nil && p.Repl == nil && p.Slice == nil {
		return v
	}
	known := v.Plain() && isComputable(v.Text)
	r.steps += len(v.Text) * len(v.Text) / costly
	if known = known && !r.tired(); r.tired() {
		r.Found(effect.Unparsed, "too many commands to follow")
	}
	lost := holeOf(v.Taint | fromLost)
	switch {
	case p.Slice != nil:
		off, ok := r.number(sc, p.Slice.Offset)
		n, okN := int64(noLength), true
		if p.Slice.Length != nil {
			n, okN = r.number(sc, p.Slice.Length)
		}
		if !v.Known() && !v.Wild() && (off == 0 && ok || v.Taint&fromNames == 0) {
			return holeOf(v.Taint)
		}
		if !known || !ok || !okN {
			return lost
		}
		text, ok := sliceText(v.Text, int(off), int(n))
		if !ok {
			return lost
		}
		return v.With(text)
	case p.Repl != nil:
		return r.replace(sc, p.Repl, v, known)
	}
	return r.transform(sc, p, v, ref, known)
}

// pattern compiles a word as a pattern: what is quoted stands for itself.
func (r *reader) pattern(sc *scope, parts []syntax.WordPart) (_ pattern, text string, ok bool) {
	r.steps += 8 // a pattern is compiled each time
	var b strings.Builder
	for i, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if i == 0 && strings.HasPrefix(p.Value, "~") {
				return pattern{}, "", false
			}
			b.WriteString(p.Value)
		case *syntax.SglQuoted, *syntax.DblQuoted:
			x := &expansion{r: r, sc: sc, whole: true, plain: true}
			x.parts([]syntax.WordPart{p}, false)
			b.WriteString(quotePattern(string(x.text)))
		default:
			x := &expansion{r: r, sc: sc, whole: true, plain: true}
			x.parts([]syntax.WordPart{p}, false)
			b.Write(x.text)
		}
	}
	if !isPlain(b.String()) {
		return pattern{}, "", false
	}
	pattern, ok := compilePattern(b.String())
	return pattern, b.String(), ok
}

// replace is ${name/pattern/text}.
func (r *reader) replace(sc *scope, repl *syntax.Replace, v value, known bool) value {
	var parts []syntax.WordPart
	if repl.Orig != nil {
		parts = repl.Orig.Parts
	}
	where := replaceFirst
	if repl.All {
		where = replaceAll
	} else if l, ok := firstPart(parts).(*syntax.Lit); ok && l.Value != "" && (l.Value[0] == '#' || l.Value[0] == '%') {
		where = replaceAtStart
		if l.Value[0] == '%' {
			where = replaceAtEnd
		}
		cut := *l
		cut.Value = l.Value[1:]
		parts = append([]syntax.WordPart{&cut}, parts[1:]...)
	}
	with := r.word(sc, repl.With)
	pattern, text, ok := r.pattern(sc, parts)
	t := v.Taint | with.Taint
	switch {
	case !v.Known() && !v.Wild() && ok && with.Plain() && harmless(with) && with.Text != "":
		return holeOf(t)
	case !known || !ok || !with.Plain() || strings.ContainsAny(with.Text, `&\`):
		return holeOf(t | fromLost)
	case text == "" && where != replaceAtStart && where != replaceAtEnd:
		return v
	}
	v.Taint = t
	return v.With(pattern.Replace(v.Text, with.Text, where))
}

// transform is ${name#pattern}, ${name^^}, ${name@Q} and others.
func (r *reader) transform(sc *scope, p *syntax.ParamExp, v value, ref reference, known bool) value {
	var parts []syntax.WordPart
	if p.Exp.Word != nil {
		parts = p.Exp.Word.Parts
	}
	lost := holeOf(v.Taint | fromLost)
	switch op := p.Exp.Op; op {
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix, syntax.RemSmallPrefix, syntax.RemLargePrefix:
		pattern, text, ok := r.pattern(sc, parts)
		prefix := op == syntax.RemSmallPrefix || op == syntax.RemLargePrefix
		switch {
		case !v.Known() && !v.Wild() && (!prefix || ok && strings.HasSuffix(text, "/") || v.Taint&fromNames == 0):
			return holeOf(v.Taint)
		case !known || !ok:
			return lost
		case prefix:
			return v.With(pattern.TrimPrefix(v.Text, op == syntax.RemLargePrefix))
		}
		return v.With(pattern.TrimSuffix(v.Text, op == syntax.RemLargeSuffix))
	case syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		if !v.Known() && !v.Wild() {
			return holeOf(v.Taint)
		}
		if !known || len(parts) > 0 {
			return lost
		}
		return v.With(changeLetters(v.Text, op))
	case syntax.OtherParamOps:
		return r.at(p, v, ref, known)
	}
	return lost
}

// at is ${name@operator}.
func (r *reader) at(p *syntax.ParamExp, v value, ref reference, known bool) value {
	op := ""
	if p.Exp.Word != nil {
		op = p.Exp.Word.Lit()
	}
	switch op {
	case "U", "u", "L":
		if known {
			return v.With(changeLetters(v.Text, map[string]syntax.ParExpOperator{"U": syntax.UpperAll, "u": syntax.UpperFirst, "L": syntax.LowerAll}[op]))
		}
	case "Q", "a", "A", "K", "k":
	default:
		r.Found(effect.Dynamic, "${%s@%s} expands text as code", ref.name, op)
	}
	return holeOf(v.Taint | fromLost)
}
