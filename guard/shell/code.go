package shell

import (
	"strings"

	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
	"rein/guard/shell/script"
)

// Text runs a command line for another shell: sh -c. It has the variables that are exported.
func (r *reader) Text(sc *judge.Scope, v fact.Value, args []fact.Value) fact.Data {
	locals := r.locals
	r.locals = nil
	defer func() { r.locals = locals }()
	return r.here(sc.Shell(), v, args)
}

// here runs a command line for this shell: eval, trap. Its own positions are not those of the line.
func (r *reader) here(sc *judge.Scope, v fact.Value, args []fact.Value) fact.Data {
	if v.Text == "" {
		return fact.Data{Known: true}
	}
	if v.Taint&fact.FromDecoder != 0 && v.Known() {
		r.Found(fact.Obfuscated, "runs text whose letters are written as numbers")
	}
	numbers := !v.Known() && v.Taint&fact.FromJob != 0 && v.Taint&^(fact.FromNumber|fact.FromJob) == 0
	if numbers { // kill $! in double quotes
		v = v.With(strings.ReplaceAll(v.Text, "\x00", "${__number}"))
	}
	if !v.Known() {
		r.UnknownText(v.Taint)
		v = v.With(strings.ReplaceAll(v.Text, "\x00", `"$__unknown"`))
	}
	if r.depth >= maxDepth {
		r.Found(fact.Unparsed, "shells nested too deep")
		return fact.Data{}
	}
	if r.inner += len(v.Text); r.inner > maxInner {
		r.Found(fact.Unparsed, "too much text for shells within shells")
		return fact.Data{}
	}
	r.depth++
	top, who, shell := r.top, r.Who, r.shell
	r.top, r.shell = false, r.depth
	defer func() { r.depth--; r.top, r.Who, r.shell = top, who, shell }()
	text := fact.Spelled(v.Text, string(fact.Hole), "*", "?")
	r.CheckRunes(text)
	file := r.parse(text)
	if file == nil {
		return fact.Data{}
	}
	inner := sc.Sub()
	inner.Args, inner.ArgsKnown = args, args != nil
	if numbers {
		inner.Vars["__number"] = fact.HoleOf(v.Taint)
	}
	in := fact.Data{Taint: fact.FromInput}
	return r.list(inner, file.Stmts, &in)
}

// Code judges a text in another language.
func (r *reader) Code(sc *judge.Scope, lang string, v fact.Value, args []fact.Value, in *fact.Data) fact.Taint {
	return r.scripts.Code(sc, lang, v, args, in)
}

// Knows reports whether the table has a program of this name.
func (r *reader) Knows(program string) bool { return r.Table.Find(program) != nil }

// RunText runs data as a script: a pipe into a shell, a file that was just written.
func (r *reader) RunText(sc *judge.Scope, d fact.Data, what string, args []fact.Value) fact.Data {
	if d.Known {
		if lang := script.Language(d.Text); lang != "" {
			return fact.Data{Taint: r.Code(sc, lang, fact.Value{Text: d.Text, Taint: d.Taint}, args, &fact.Data{Known: true}) | fact.FromWork}
		}
		return r.Text(sc, fact.Value{Text: d.Text, Taint: d.Taint}, args)
	}
	switch {
	case d.Taint&(fact.FromSocket|fact.FromNet|fact.FromDecoder) != 0:
		r.UnknownText(d.Taint)
	case strings.Contains(what, "writes") && d.Taint&^(fact.FromWork|fact.FromNames|fact.FromNumber) == 0:
		r.Found(fact.Build, "runs %s", what)
	default:
		r.Found(fact.Dynamic, "runs %s as a script", what)
	}
	return fact.Data{Taint: d.Taint}
}
