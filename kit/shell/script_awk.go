package shell

import (
	"slices"
	"strings"

	"rein/guard/effect"
)

// awk finds what a program runs and writes: system(…), "cmd" | getline, print | "cmd", print > "file".
func (r *scripts) awk(sc *scope, v value) {
	if v.Taint&^(fromNumber|fromWork|fromNames|fromJob) != 0 && !v.Known() {
		r.Found(effect.Dynamic, "awk's program is not known before it runs")
	}
	tokens := scanTokens(v.Text, "#")
	printing, depth := false, 0
	for i, t := range tokens {
		switch {
		case t.Word == "print" || t.Word == "printf":
			printing, depth = true, 0
		case t.Sym == '(':
			depth++
		case t.Sym == ')':
			depth--
		case t.Sym == ';' || t.Sym == '}' || t.Sym == '{':
			printing = false
		case t.Sym == '>' && printing && depth == 0 && !tokenAt(tokens, i+1).IsStr:
			r.Effect(effect.Write) // to a file that the data names
		}
		next, before := tokenAt(tokens, i+1), tokenAt(tokens, i-1)
		switch {
		case t.Word == "system" && next.Sym == '(':
			r.Found(effect.Exec, "awk runs a command")
			r.Shell.Text(sc, v.With(tokenAt(tokens, i+2).Str), nil)
		case t.Sym == '|' && next.Sym == '|', t.Sym == '|' && before.Sym == '|':
		case t.Sym == '|' && next.Sym == '&', t.Sym == '|' && next.Word == "getline":
			r.Found(effect.Exec, "awk runs a command")
			r.Shell.Text(sc, v.With(before.Str), nil)
		case t.Sym == '|' && (next.IsStr || next.Word != ""):
			r.Found(effect.Exec, "awk writes to a command")
			r.Shell.Text(sc, v.With(next.Str), nil)
		case t.Sym == '>' && next.IsStr:
			if strings.HasPrefix(next.Str, "/dev/std") {
				continue
			}
			r.Writes(sc, v.With(next.Str))
		case t.Sym == '>' && before.Sym == '>' && next.Word != "", t.Sym == '<' && next.IsStr && before.Word == "getline":
			r.Reads(sc, v.With(next.Str))
		case t.Word == "@load" || t.Word == "@include" || t.Word == "@" && (next.Word == "load" || next.Word == "include"):
			r.Found(effect.Exec, "awk loads other code")
		case strings.HasPrefix(next.Str, "/inet"):
			r.Reaches(effect.Contact{Host: "inet"})
			if readsFromMany(tokens) || strings.Contains(v.Text, "system(") {
				r.Found(effect.Backdoor, "awk runs code that arrives over a connection")
			}
		case t.Word == "ENVIRON":
			r.Effect(effect.Env)
		}
	}
	r.codeStrings(sc, tokens, v, false)
	r.awkPaths(sc, tokens, v)
}

// readsFromMany reports whether a program reads lines from two things that it names by variables: of a program with a connection, the
// second is a command that came over it.
func readsFromMany(tokens []token) bool {
	first := ""
	for i, t := range tokens {
		if t.Sym != '|' || tokenAt(tokens, i-1).Word == "" {
			continue
		}
		next := tokenAt(tokens, i+1)
		if next.Sym == '&' {
			next = tokenAt(tokens, i+2)
		}
		if name := tokenAt(tokens, i-1).Word; next.Word == "getline" {
			if first != "" && first != name {
				return true
			}
			first = name
		}
	}
	return false
}

// awkPaths judges the names of files that a program puts together.
func (r *scripts) awkPaths(sc *scope, tokens []token, v value) {
	r.codeStrings(sc, folded(tokens, true), v, false)
	makes := slices.ContainsFunc(tokens, func(t token) bool { return t.Word == "sprintf" || t.Word == "substr" })
	for i, t := range tokens {
		if makes && t.Word == "getline" && slices.ContainsFunc(tokens[i:min(i+4, len(tokens))], func(t token) bool { return t.Sym == '<' }) {
			r.Found(effect.OutsideRead, "awk reads a file whose name it puts together")
		}
	}
	if slices.ContainsFunc(tokens, func(t token) bool { return t.IsStr && t.Str == "HOME" }) {
		r.judgePaths(sc, codeFacts{Home: true, Writes: slices.ContainsFunc(tokens, func(t token) bool { return t.Sym == '>' })}, tokens, v)
	}
}
