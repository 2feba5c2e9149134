package shell

import (
	"slices"
	"strings"

	"rein/places"
)

// codeProgram reads interpreters: python -c, node -e, perl -ne, and their scripts.
func codeProgram(r *reader, sc *scope, c *call) (data, bool) {
	var codes []value
	var t taint
	for _, o := range c.got.options {
		switch {
		case o.known && o.takes && o.role.kind == "shell":
			codes = append(codes, o.value)
		case o.known && o.takes && o.role.kind == "program":
			r.module(sc, c, o.value)
			return data{taint: c.in.taint | fromWork}, true
		case o.known && o.takes:
			r.apply1(sc, o.role, o.value, nil)
		case o.known:
			r.effect(o.role.class)
		case o.takes:
			r.anyArg(sc, o.value)
		}
	}
	ops := c.got.operands
	switch {
	case len(codes) > 0:
		for _, code := range codes {
			t |= r.code(sc, c.name, code, ops, c.in)
		}
		r.codeFiles(sc, c, ops)
	case len(ops) > 0 && ops[0].text != "-" && ops[0].text != "/dev/stdin":
		r.interpret(sc, c, ops)
	case !c.in.known && c.in.taint&^fromInput == 0:
		if len(c.got.options) > 0 && (!c.got.has("-i") || strings.HasPrefix(c.name, "php")) {
			r.tellsItself(&c.got)
			return data{taint: fromNumber}, true
		}
		r.found(Unknown, "starts an interpreter that waits for commands")
	default:
		return r.codeInput(sc, c), true
	}
	return data{taint: t | c.in.taint | fromWork}, true
}

// codeWords reads programs whose arguments are code: timeit, deno eval.
func codeWords(r *reader, sc *scope, c *call) (data, bool) {
	lang := "python"
	switch c.name {
	case "deno":
		lang = c.name
	case "wp", "drush":
		lang = "php"
	}
	for _, a := range c.argv[1:] {
		if !strings.HasPrefix(a.text, "-") {
			r.code(sc, lang, a, nil, c.in)
		}
	}
	return data{taint: fromNumber}, true
}

// interpret judges an interpreter with a script.
func (r *reader) interpret(sc *scope, c *call, ops []value) {
	v := ops[0]
	if strings.HasPrefix(v.text, "http://") || strings.HasPrefix(v.text, "https://") {
		r.found(RemoteCode, "runs %s from the network", v.shown())
		return
	}
	if strings.HasPrefix(v.text, "npm:") || strings.HasPrefix(v.text, "jsr:") {
		r.effect(Install)
		return
	}
	w, ok := sc.written[r.absolute(sc, v)]
	switch {
	case ok && w.data.known:
		r.code(sc, c.name, value{text: w.data.text, taint: w.data.taint}, ops[1:], c.in)
	case v.proc != nil:
		r.unknownText(v.proc.taint)
	default:
		r.script(sc, v, ops[1:])
		if r.scriptTasks(sc, c, ops) {
			return
		}
	}
	r.anyArgs(sc, ops[1:])
}

// scriptTasks judges a script of the project that the table knows by its name: python manage.py, php vendor/bin/phpunit.
func (r *reader) scriptTasks(sc *scope, c *call, ops []value) bool {
	if !ops[0].plain() {
		return false
	}
	name := strings.TrimSuffix(baseName(ops[0].text), ".phar")
	spec := r.table.find(name)
	if spec == nil || !spec.local || spec.class > Build || spec.how == "code" {
		return false
	}
	argv := append([]value{ops[0]}, ops[1:]...)
	if i := slices.IndexFunc(c.argv, func(a value) bool { return a.text == ops[0].text }); i > 0 {
		argv = c.argv[i:]
	}
	r.runSpec(sc, &call{name: name, argv: argv, in: c.in, spec: spec})
	return true
}

// codeInput judges code that comes through a pipe or a here-document.
func (r *reader) codeInput(sc *scope, c *call) data {
	if c.in.known {
		if strings.TrimSpace(c.in.text) == "" {
			return data{known: true}
		}
		t := r.code(sc, c.name, value{text: c.in.text, taint: c.in.taint}, c.got.operands, &data{known: true})
		return data{taint: t | fromWork}
	}
	r.unknownText(c.in.taint)
	return data{taint: c.in.taint}
}

// codeFiles are files that perl -pi and ruby -i change in place, or read.
func (r *reader) codeFiles(sc *scope, c *call, ops []value) {
	edits := false
	for _, o := range c.got.options {
		edits = edits || strings.HasPrefix(o.name, "-i")
	}
	loops := c.name == "perl" || c.name == "ruby"
	for _, v := range ops {
		switch {
		case edits && loops:
			r.writes(sc, v)
		case loops:
			r.reads(sc, v)
		default:
			r.anyArg(sc, v)
		}
	}
}

// module judges python -m NAME: the rest of the line belongs to the module.
func (r *reader) module(sc *scope, c *call, name value) {
	rest := c.got.operands
	for i, a := range c.argv {
		if a.text == name.text && i > 0 && c.argv[i-1].text == "-m" || a.text == "-m"+name.text {
			rest = c.argv[i+1:]
			break
		}
	}
	if !name.plain() {
		r.found(Dynamic, "runs a module that is not known before it runs")
		return
	}
	if len(rest) == 1 && (rest[0].text == "--help" || rest[0].text == "-h" || rest[0].text == "--version") {
		r.found(Build, "shows the help of the module %s", name.text)
		return
	}
	if spec := r.table.find("python-m:" + name.text); spec != nil {
		r.runSpec(sc, &call{name: spec.name, argv: append([]value{name}, rest...), in: c.in, spec: spec})
		return
	}
	if spec := r.table.find(name.text); spec != nil && (spec.class == Build || spec.subs != nil) {
		r.runSpec(sc, &call{name: spec.name, argv: append([]value{name}, rest...), in: c.in, spec: spec})
		return
	}
	r.found(Build, "runs the module %s", name.text)
	r.anyArgs(sc, rest)
}

// code judges the text of a program in another language, by the names and strings in it.
func (r *reader) code(sc *scope, lang string, v value, args []value, in *data) taint {
	comment := "#"
	switch lang {
	case "node", "deno", "bun", "php", "java", "jshell", "swift", "scala", "kotlin", "groovy", "tsx", "ts-node":
		comment = "//"
	case "lua", "luajit", "ghc", "runghc":
		comment = "--"
	}
	tokens := codeTokens(v.text, comment)
	f := facts(tokens, lang)
	if !v.known() && v.taint&^fromNumber != 0 && (f.runs || f.evals || v.taint&^(fromNumber|fromWork|fromNames) != 0 || !holesInStrings(tokens, v.text)) {
		r.unknownText(v.taint)
	}
	f.removes = f.removes || lang == "php" && slices.ContainsFunc(tokens, func(t token) bool { return t.isStr && (t.str == "unlink" || t.str == "rmdir") })
	f.runs = f.runs || startsPrograms(v.text, lang)
	if lang == "tclsh" || lang == "wish" || lang == "expect" {
		f.runs = r.tclCommands(sc, v) || f.runs
	}
	r.judgeCode(f, v)
	if f.runs {
		r.commandStrings(sc, tokens, v)
	}
	r.codeStrings(sc, tokens, v, f.writes || f.removes)
	if f.removes {
		r.codeRemoves(sc, tokens, v)
	}
	if f.includes {
		r.codeIncludes(sc, tokens, v)
	}
	var t taint
	if f.env {
		t |= fromEnv
	}
	if f.reads {
		t |= fromWork
	}
	if f.net {
		r.sends(in.taint|v.taint&(fromSecret|fromPrivate|fromOutside), "over the network")
		t |= fromNet
	}
	if in.taint&(fromNet|fromSocket|fromDecoder) != 0 && f.evals {
		r.unknownText(in.taint)
	}
	return t
}

// tclCommands judges what follows exec and spawn in Tcl, where words have no quotes.
func (r *reader) tclCommands(sc *scope, v value) (any bool) {
	for _, part := range strings.FieldsFunc(v.text, func(c rune) bool { return strings.ContainsRune("\n;[]{}", c) }) {
		for _, word := range []string{"exec ", "spawn ", "system "} {
			if cmd, ok := strings.CutPrefix(strings.TrimSpace(part), word); ok {
				any = true
				r.text(sc, v.with(strings.TrimPrefix(cmd, "-- ")), nil)
			}
		}
		for _, word := range []string{"source ", "load "} {
			if name, ok := strings.CutPrefix(strings.TrimSpace(part), word); ok {
				r.script(sc, v.with(name), nil)
			}
		}
		any = any || strings.HasPrefix(strings.TrimSpace(part), "eval ")
		for _, verb := range [][2]string{{"file rename ", "mv "}, {"file copy ", "cp "}} {
			if names, ok := strings.CutPrefix(strings.TrimSpace(part), verb[0]); ok {
				r.text(sc, v.with(verb[1]+names), nil)
			}
		}
		if names, ok := strings.CutPrefix(strings.TrimSpace(part), "file delete "); ok {
			r.text(sc, v.with("rm -r "+names), nil)
		}
	}
	return any
}

// commandStrings judges the strings of a program that starts others as command lines, and lists of strings as the
// words of one.
func (r *reader) commandStrings(sc *scope, tokens []token, v value) {
	var words []value
	flush := func() {
		if len(words) > 1 && r.table.find(baseName(words[0].text)) != nil {
			r.exec(sc, words, &data{known: true})
		}
		words = nil
	}
	for _, t := range tokens {
		switch {
		case t.isStr:
			words = append(words, value{text: t.str, taint: v.taint})
			r.commandString(sc, v.with(t.str))
		case t.sym != ',' && t.sym != '[' && t.sym != '{' && t.sym != ':' && t.word != "args":
			flush()
		}
	}
	flush()
}

func (r *reader) commandString(sc *scope, v value) {
	words := strings.Fields(v.text)
	if len(words) == 0 {
		return
	}
	first := words[0]
	if len(v.text) < 4000 && (len(words) > 1 || strings.ContainsAny(v.text, ">|;&{$`\u3000\u00a0") || r.table.find(baseName(first)) != nil) {
		r.text(sc, v, nil)
	}
}

// codeStrings takes strings that are paths as read, or as written where the program writes.
func (r *reader) codeStrings(sc *scope, tokens []token, v value, writes bool) {
	for i, t := range tokens {
		s := t.str
		if !t.isStr || len(s) < 2 || len(s) > 512 || strings.ContainsAny(s, "\n*|;<>{}") {
			continue
		}
		if strings.HasPrefix(s, "~/") || s == "~" {
			s = r.ctx.Home + s[1:]
		}
		if !strings.HasPrefix(s, "/") && !strings.HasPrefix(s, ".") && !strings.HasPrefix(s, "id_") {
			continue
		}
		p := v.with(s)
		spot := r.locate(sc, p)
		if spot.free {
			continue
		}
		switch spot.class {
		case places.Secret, places.Private, places.Device, places.Socket, places.Settings:
			r.reads(sc, p)
		case places.Outside, places.Startup, places.Machine:
			if spot.class != places.Startup && isText(tokens, i) {
				continue
			}
			if writes {
				r.writes(sc, p)
			} else if strings.Count(s, "/") > 1 {
				r.reads(sc, p)
			}
		case places.Protected:
			if writes {
				r.writes(sc, p)
			}
		}
	}
}

// codeRemoves takes strings that are roots as removed with all that is in them.
func (r *reader) codeRemoves(sc *scope, tokens []token, v value) {
	for i, t := range tokens {
		if removesTree(t.word) && isHomeCall(tokens, i+1) || isHomeWord(t.word) && listsAfter(tokens, i+1) {
			r.removes(sc, v.with(r.ctx.Home), true)
		}
		s := t.str
		if s == "~" || strings.HasPrefix(s, "~/") {
			s = r.ctx.Home + s[1:]
		}
		if !t.isStr || s == "" || strings.ContainsAny(s, " \n") || len(s) > 512 {
			continue
		}
		p := v.with(strings.TrimSuffix(s, "/*"))
		if spot := r.locate(sc, p); !spot.free && (strings.HasPrefix(s, "/") || strings.HasPrefix(s, "..") || s == ".") &&
			(places.IsRoot(spot.abs, r.ctx.Context) || !r.inWork(spot.abs)) {
			r.removes(sc, p, true)
		}
	}
}

// tellsItself judges an interpreter with options only: most ask which version it is, others run what they find.
func (r *reader) tellsItself(p *parsed) {
	for _, o := range p.options {
		switch o.name {
		case "-V", "-VV", "-v", "-vV", "--version", "-version", "-h", "--help", "-help", "-m", "-i", "--ini", "-showversion", "--v8-options":
		default:
			r.effect(Build)
		}
	}
}
