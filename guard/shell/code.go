package shell

import "strings"

// text runs a command line for another shell: sh -c, eval, trap. Its own positions are not those of the line.
func (r *reader) text(sc *scope, v value, args []value) data {
	if v.text == "" {
		return data{known: true}
	}
	if v.taint&fromDecoder != 0 && v.known() {
		r.found(Obfuscated, "runs text whose letters are written as numbers")
	}
	numbers := !v.known() && v.taint&fromJob != 0 && v.taint&^(fromNumber|fromJob) == 0
	if numbers { // kill $! in double quotes
		v = v.with(strings.ReplaceAll(v.text, "\x00", "${__number}"))
	}
	if !v.known() {
		r.unknownText(v.taint)
		v = v.with(strings.ReplaceAll(v.text, "\x00", `"$__unknown"`))
	}
	if r.depth >= maxDepth {
		r.found(Unparsed, "shells nested too deep")
		return data{}
	}
	r.depth++
	top, who, shell := r.top, r.who, r.shell
	r.top, r.shell = false, r.depth
	defer func() { r.depth--; r.top, r.who, r.shell = top, who, shell }()
	r.checkRunes(v.text)
	file := r.parse(spelled(v.text, string(hole), "*", "?"))
	if file == nil {
		return data{}
	}
	inner := sc.sub()
	inner.args, inner.argsKnown = args, args != nil
	if numbers {
		inner.vars["__number"] = holeOf(v.taint)
	}
	in := data{taint: fromInput}
	return r.list(inner, file.Stmts, &in)
}

// unknownText judges running text that is not known, by where it comes from.
func (r *reader) unknownText(t taint) {
	switch {
	case t&fromSocket != 0:
		r.found(Backdoor, "runs code that arrives over a connection")
	case t&fromDecoder != 0 && t&fromNet == 0:
		r.found(Obfuscated, "runs decoded text")
	case t&fromNet != 0:
		r.found(RemoteCode, "runs code from the network")
	default:
		r.found(Dynamic, "runs text that is not known before it runs")
	}
}

// runText runs data as a script: a pipe into a shell, a file that was just written.
func (r *reader) runText(sc *scope, d data, what string, args []value) data {
	if d.known {
		if lang := scriptLanguage(d.text); lang != "" {
			return data{taint: r.code(sc, lang, value{text: d.text, taint: d.taint}, args, &data{known: true}) | fromWork}
		}
		return r.text(sc, value{text: d.text, taint: d.taint}, args)
	}
	switch {
	case d.taint&(fromSocket|fromNet|fromDecoder) != 0:
		r.unknownText(d.taint)
	case strings.Contains(what, "writes") && d.taint&^(fromWork|fromNames|fromNumber) == 0:
		r.found(Build, "runs %s", what)
	default:
		r.found(Dynamic, "runs %s as a script", what)
	}
	return data{taint: d.taint}
}

// scriptLanguage reads from the first line in which language a program is written; "" for a shell.
func scriptLanguage(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	if strings.HasPrefix(first, "package ") {
		return "go"
	}
	if !strings.HasPrefix(first, "#!") {
		return ""
	}
	for _, lang := range []string{"python", "node", "ruby", "perl", "php", "lua", "Rscript", "deno", "bun", "tsx"} {
		if strings.Contains(first, lang) {
			return lang
		}
	}
	return ""
}
