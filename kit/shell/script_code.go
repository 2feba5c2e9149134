package shell

import (
	"slices"
	"strconv"
	"strings"

	"rein/guard/effect"
	"rein/kit/places"
)

// judgeCode turns facts into effects.
func (r *scripts) judgeCode(f codeFacts) {
	r.Effect(effect.Build)
	switch {
	case (f.Socket || f.Net) && f.Dup, f.Socket && f.Runs && f.Shells:
		r.Found(effect.Backdoor, "connects a shell to the network")
	case f.Forks && f.Loops:
		r.Found(effect.Exhaust, "forks without end")
	}
	switch {
	case f.Evals && f.Net:
		r.Found(effect.RemoteCode, "runs code from the network")
	case f.Evals && f.Decodes:
		r.Found(effect.Obfuscated, "runs code that it decodes")
	case f.Runs && f.Decodes:
		r.Found(effect.Obfuscated, "runs a command that it decodes")
	case f.Evals:
		r.Found(effect.Exec, "evaluates text as code")
	case f.Runs:
		r.Found(effect.Exec, "starts other programs")
	case f.Loads:
		r.Found(effect.Exec, "looks up what it calls while it runs")
	}
	if f.Net {
		r.Effect(effect.Network)
		if f.Env {
			r.Found(effect.Exfil, "sends the environment over the network")
		}
	}
	if f.Installs {
		r.Effect(effect.Install)
	}
	if f.Writes {
		r.Effect(effect.Write)
	}
	if f.Removes {
		r.Effect(effect.Delete)
	}
	if f.Signals && f.Parent {
		r.Found(effect.Tamper, "signals the process that controls this command")
	}
	if f.Signals {
		r.Effect(effect.Signal)
	}
	if f.Env && !f.Net {
		r.Effect(effect.Env)
	}
}

// program judges the text of a program, by the names and strings in it.
func (r *scripts) program(sc *scope, lang string, v value, in *data) taint {
	comment := "#"
	switch lang {
	case "guile", "racket", "sbcl", "ecl", "ccl", "clisp", "gosh", "chez", "csi", "clojure", "clj", "bb", "babashka", "janet", "fennel", "hy", "newlisp", "picolisp":
		comment = ";"
	case "node", "deno", "bun", "php", "java", "jshell", "swift", "scala", "kotlin", "groovy", "tsx", "ts-node":
		comment = "//"
	case "lua", "luajit", "ghc", "runghc":
		comment = "--"
	}
	tokens := scanTokens(v.Text, comment)
	f := factsOf(tokens, lang)
	if !v.Known() && v.Taint&^fromNumber != 0 && (f.Runs || f.Evals || v.Taint&^(fromNumber|fromWork|fromNames) != 0 || !holesInStrings(tokens, v.Text)) {
		r.UnknownText(v.Taint)
	}
	f.Runs = f.Runs || hasTemplates(tokens, lang)
	f.Removes = f.Removes || lang == "php" && slices.ContainsFunc(tokens, func(t token) bool { return t.IsStr && (t.Str == "unlink" || t.Str == "rmdir") })
	f.Runs = f.Runs || startsPrograms(v.Text, lang)
	if lang == "tclsh" || lang == "wish" || lang == "expect" {
		f.Runs = r.tclCommands(sc, v) || f.Runs
	}
	r.judgeCode(f)
	if f.Net {
		r.codeContacts(tokens)
	}
	named := f
	named.Includes = f.Includes && !strings.HasPrefix(lang, "python") // there every import is one
	r.judgePaths(sc, named, tokens, v)
	for _, list := range [][]token{tokens, folded(tokens, strings.HasPrefix(lang, "python"))} {
		if f.Runs {
			r.commandStrings(sc, list, v)
		}
		r.codeStrings(sc, list, v, f.Writes || f.Removes)
		if f.Removes {
			r.codeRemoves(sc, list, v)
		}
		if f.Includes {
			r.codeIncludes(sc, list, v)
		}
	}
	if lang == "m4" || lang == "gm4" {
		r.farPieces(sc, v)
	}
	var t taint
	if f.Env {
		t |= fromEnv
	}
	if f.Reads {
		t |= fromWork
	}
	if f.Net {
		r.Sends(in.Taint|v.Taint&(fromSecret|fromPrivate|fromOutside), "over the network")
		t |= fromNet
	}
	if in.Taint&(fromNet|fromSocket|fromDecoder) != 0 && f.Evals {
		r.UnknownText(in.Taint)
	}
	return t
}

// codeContacts notes the addresses that stand in a program text: URLs, and a host with a port behind it.
func (r *scripts) codeContacts(tokens []token) {
	for i, t := range tokens {
		port, err := strconv.Atoi(tokenAt(tokens, i+2).Word)
		switch scheme, rest, _ := strings.Cut(t.Str, "://"); {
		case !t.IsStr || strings.ContainsAny(t.Str, " \n$%{}<>"):
		case rest != "" && slices.Contains([]string{"http", "https", "ws", "wss", "ftp"}, strings.ToLower(scheme)):
			r.Contact(effect.ContactOf(t.Str))
		case tokenAt(tokens, i+1).Sym == ',' && err == nil && port > 0 && port < 1<<16 && (strings.Contains(t.Str, ".") || t.Str == "localhost") && !strings.Contains(t.Str, "/"):
			r.Contact(effect.Contact{Host: effect.HostOf(t.Str), Port: port})
		}
	}
}

// tclCommands judges what follows exec and spawn in Tcl, where words have no quotes.
func (r *scripts) tclCommands(sc *scope, v value) (any bool) {
	text := strings.NewReplacer("$env(HOME)", r.Ctx.Home, "$::env(HOME)", r.Ctx.Home).Replace(v.Text)
	for _, part := range strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune("\n;[]{}", c) }) {
		for _, word := range []string{"exec ", "spawn ", "system "} {
			if cmd, ok := strings.CutPrefix(strings.TrimSpace(part), word); ok {
				any = true
				r.Shell.Text(sc, v.With(strings.TrimPrefix(cmd, "-- ")), nil)
			}
		}
		for _, word := range []string{"source ", "load "} {
			if name, ok := strings.CutPrefix(strings.TrimSpace(part), word); ok {
				r.Shell.Script(sc, v.With(name), nil)
			}
		}
		any = any || strings.HasPrefix(strings.TrimSpace(part), "eval ")
		r.farPieces(sc, v.With(part))
		for _, verb := range [][2]string{{"file rename ", "mv "}, {"file copy ", "cp "}} {
			if names, ok := strings.CutPrefix(strings.TrimSpace(part), verb[0]); ok {
				r.Shell.Text(sc, v.With(verb[1]+names), nil)
			}
		}
		if names, ok := strings.CutPrefix(strings.TrimSpace(part), "file delete "); ok {
			r.Shell.Text(sc, v.With("rm -r "+names), nil)
		}
	}
	return any
}

// commandStrings judges the strings of a program that starts others as command lines, and lists of strings as the
// words of one.
func (r *scripts) commandStrings(sc *scope, tokens []token, v value) {
	var words []value
	flush := func() {
		if len(words) > 1 && r.Shell.Knows(baseName(words[0].Text)) {
			r.Shell.Exec(sc, words, &data{Known: true})
		}
		words = nil
	}
	for _, t := range tokens {
		switch {
		case t.IsStr:
			text := v.With(t.Str)
			if t.Sym == '`' || namesHome(t.Str) {
				text = text.With(r.interpolated(t.Str))
				text.Taint |= fromLost & boolTaint(!text.Known())
			}
			words = append(words, value{Text: text.Text, Taint: text.Taint})
			r.commandString(sc, text)
		case t.Sym != ',' && t.Sym != '[' && t.Sym != '{' && t.Sym != ':' && t.Word != "args":
			flush()
		}
	}
	flush()
}

func (r *scripts) commandString(sc *scope, v value) {
	words := strings.Fields(v.Text)
	if len(words) == 0 {
		return
	}
	first := words[0]
	if len(v.Text) < 4000 && (len(words) > 1 || strings.ContainsAny(v.Text, ">|;&{$`\u3000\u00a0") || r.Shell.Knows(baseName(first))) {
		r.Shell.Text(sc, v, nil)
	}
}

// codeStrings takes strings that are paths as read, or as written where the program writes.
func (r *scripts) codeStrings(sc *scope, tokens []token, v value, writes bool) {
	for i, t := range tokens {
		s, target := strings.CutPrefix(t.Str, ">") // perl's open, in two of its spellings
		s = strings.TrimLeft(s, "<> ")
		before := tokenAt(tokens, i-1).Sym
		opened := (before == '(' || before == '[') && opens(enclosing(tokens, i))
		if strings.HasPrefix(s, "~/") || s == "~" {
			s = r.Ctx.Home + s[1:]
		}
		if t.IsStr && strings.ContainsAny(s, "*?") && !strings.ContainsAny(s, " \n|;<>{}()\\") && matchesNames(enclosing(tokens, i)) {
			s = globbed(s)
		}
		if !t.IsStr || len(s) < 2 && !(s == "/" && opened) || len(s) > 512 || strings.ContainsAny(s, "\n*|;<>{}") {
			continue
		}
		if !strings.HasPrefix(s, "/") && !strings.HasPrefix(s, ".") && !strings.HasPrefix(s, "id_") {
			continue
		}
		p := v.With(s)
		spot := r.Locate(sc, p)
		if spot.Free {
			continue
		}
		switch spot.Class {
		case places.Secret, places.Private, places.Device, places.Socket, places.Settings:
			r.Reads(sc, p)
		case places.Outside, places.Startup, places.Machine:
			if spot.Class != places.Startup && isText(tokens, i) {
				continue
			}
			if writes || target {
				r.Writes(sc, p)
			} else if strings.Count(s, "/") > 1 || opened {
				r.Reads(sc, p)
			}
		case places.Protected:
			if writes {
				r.Writes(sc, p)
			}
		}
	}
}

// matchesNames reports whether a function takes a pattern of names of files.
func matchesNames(call string) bool {
	call = strings.ToLower(lastName(call))
	return strings.Contains(call, "glob") || call == "dir" || call == "wildcard" || call == "file.wildcard"
}

// codeRemoves takes strings that are roots as removed with all that is in them.
func (r *scripts) codeRemoves(sc *scope, tokens []token, v value) {
	for i, t := range tokens {
		if removesTree(t.Word) && isHomeCall(tokens, i+1) || isHomeWord(t.Word) && listsAfter(tokens, i+1) {
			r.Removes(sc, v.With(r.Ctx.Home), true)
		}
		s := t.Str
		if s == "~" || strings.HasPrefix(s, "~/") {
			s = r.Ctx.Home + s[1:]
		}
		if !t.IsStr || s == "" || strings.ContainsAny(s, " \n") || len(s) > 512 {
			continue
		}
		p := v.With(strings.TrimSuffix(s, "/*"))
		if spot := r.Locate(sc, p); !spot.Free && (strings.HasPrefix(s, "/") || strings.HasPrefix(s, "..") || s == ".") &&
			(places.IsRoot(spot.Abs, r.Ctx.Context) || !r.InWork(spot.Abs)) {
			r.Removes(sc, p, true)
		}
	}
}

// codeIncludes takes the paths in a program that includes others as programs.
func (r *scripts) codeIncludes(sc *scope, tokens []token, v value) {
	for i, t := range tokens {
		if !t.IsStr || isText(tokens, i) || !strings.HasPrefix(t.Str, "/") && !strings.HasPrefix(t.Str, "..") || strings.ContainsAny(t.Str, " \n*") {
			continue
		}
		if s := r.Locate(sc, v.With(t.Str)); !s.Free && (s.Class == places.Temp || s.Class == places.Outside) {
			r.Found(effect.Exec, "runs %s from outside the workspace", showText(t.Str))
		}
	}
}
