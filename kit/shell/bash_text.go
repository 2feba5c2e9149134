package shell

import (
	"strings"

	"rein/guard/effect"
)

// Text runs a command line for another shell: sh -c. It has the variables that are exported.
func (r *reader) Text(sc *scope, v value, args []value) data {
	locals := r.locals
	r.locals = nil
	defer func() { r.locals = locals }()
	return r.here(sc.Shell(), v, args)
}

// here runs a command line for this shell: eval, trap. Its own positions are not those of the line.
func (r *reader) here(sc *scope, v value, args []value) data {
	if v.Text == "" {
		return data{Known: true}
	}
	if v.Taint&fromDecoder != 0 && v.Known() {
		r.Found(effect.Obfuscated, "runs text whose letters are written as numbers")
	}
	numbers := !v.Known() && v.Taint&fromJob != 0 && v.Taint&^(fromNumber|fromJob) == 0
	if numbers { // kill $! in double quotes
		v = v.With(strings.ReplaceAll(v.Text, "\x00", "${__number}"))
	}
	if !v.Known() {
		r.UnknownText(v.Taint)
		v = v.With(strings.ReplaceAll(v.Text, "\x00", `"$__unknown"`))
	}
	if r.depth >= maxDepth {
		r.Found(effect.Unparsed, "shells nested too deep")
		return data{}
	}
	if r.inner += len(v.Text); r.inner > maxInner {
		r.Found(effect.Unparsed, "too much text for shells within shells")
		return data{}
	}
	r.depth++
	top, who, shell := r.top, r.Who, r.shell
	r.top, r.shell = false, r.depth
	defer func() { r.depth--; r.top, r.Who, r.shell = top, who, shell }()
	text := spell(v.Text, string(anyText), "*", "?")
	r.CheckRunes(text)
	file := r.parse(text)
	if file == nil {
		return data{}
	}
	inner := sc.Sub()
	inner.Args, inner.ArgsKnown = args, args != nil
	if numbers {
		inner.Vars["__number"] = holeOf(v.Taint)
	}
	in := data{Taint: fromInput}
	return r.list(inner, file.Stmts, &in)
}

// Code judges a text in another language.
func (r *reader) Code(sc *scope, lang string, v value, args []value, in *data) taint {
	return r.scripts.Code(sc, lang, v, args, in)
}

// Knows reports whether the table has a program of this name.
func (r *reader) Knows(program string) bool { return r.Table.Find(program) != nil }

// RunText runs data as a script: a pipe into a shell, a file that was just written.
func (r *reader) RunText(sc *scope, d data, what string, args []value) data {
	if d.Known {
		if lang := languageOf(d.Text); lang != "" {
			return data{Taint: r.Code(sc, lang, value{Text: d.Text, Taint: d.Taint}, args, &data{Known: true}) | fromWork}
		}
		return r.Text(sc, value{Text: d.Text, Taint: d.Taint}, args)
	}
	switch {
	case d.Taint&(fromSocket|fromNet|fromDecoder) != 0:
		r.UnknownText(d.Taint)
	case strings.Contains(what, "writes") && d.Taint&^(fromWork|fromNames|fromNumber) == 0:
		r.Found(effect.Build, "runs %s", what)
	default:
		r.Found(effect.Dynamic, "runs %s as a script", what)
		return data{Taint: d.Taint | fromShell}
	}
	return data{Taint: d.Taint}
}
