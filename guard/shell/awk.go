package shell

import "strings"

// awkProgram reads awk: its program may run commands and read and write files.
func awkProgram(r *reader, sc *scope, c *call) (data, bool) {
	ops := c.got.operands
	r.applyOptions(sc, c)
	fromFile, edits := false, false
	for _, o := range c.got.options {
		switch o.name {
		case "-f", "--file", "-E", "--exec":
			fromFile = true
		case "-i", "--include":
			if o.value.text != "inplace" {
				r.found(Exec, "awk loads other code")
			}
			edits = edits || o.value.text == "inplace"
		case "-e", "--source":
			fromFile = true
			r.awkScript(sc, o.value)
		}
	}
	if !fromFile && len(ops) > 0 {
		r.awkScript(sc, ops[0])
		ops = ops[1:]
	}
	t := c.in.taint
	for _, v := range ops {
		if i := strings.IndexByte(v.text, '='); i > 0 && strings.IndexByte(v.text[:i], '/') < 0 {
			continue
		}
		r.reads(sc, v)
		if edits {
			r.writes(sc, v)
		}
		t |= r.contents(sc, v)
	}
	return data{taint: t | fromWork&boolTaint(len(ops) > 0)}, true
}

// awkScript finds what a program runs and writes: system(…), "cmd" | getline, print | "cmd", print > "file".
func (r *reader) awkScript(sc *scope, v value) {
	if v.taint&^(fromNumber|fromWork|fromNames|fromJob) != 0 && !v.known() {
		r.found(Dynamic, "awk's program is not known before it runs")
	}
	tokens := codeTokens(v.text, "#")
	printing, depth := false, 0
	for i, t := range tokens {
		switch {
		case t.word == "print" || t.word == "printf":
			printing, depth = true, 0
		case t.sym == '(':
			depth++
		case t.sym == ')':
			depth--
		case t.sym == ';' || t.sym == '}' || t.sym == '{':
			printing = false
		case t.sym == '>' && printing && depth == 0 && !tokenAt(tokens, i+1).isStr:
			r.effect(Write) // to a file that the data names
		}
		next, before := tokenAt(tokens, i+1), tokenAt(tokens, i-1)
		switch {
		case t.word == "system" && next.sym == '(':
			r.found(Exec, "awk runs a command")
			r.text(sc, v.with(tokenAt(tokens, i+2).str), nil)
		case t.sym == '|' && next.sym == '|', t.sym == '|' && before.sym == '|':
		case t.sym == '|' && next.sym == '&', t.sym == '|' && next.word == "getline":
			r.found(Exec, "awk runs a command")
			r.text(sc, v.with(before.str), nil)
		case t.sym == '|' && (next.isStr || next.word != ""):
			r.found(Exec, "awk writes to a command")
			r.text(sc, v.with(next.str), nil)
		case t.sym == '>' && next.isStr:
			if strings.HasPrefix(next.str, "/dev/std") {
				continue
			}
			r.writes(sc, v.with(next.str))
		case t.sym == '>' && before.sym == '>' && next.word != "", t.sym == '<' && next.isStr && before.word == "getline":
			r.reads(sc, v.with(next.str))
		case t.word == "@load" || t.word == "@include" || t.word == "@" && (next.word == "load" || next.word == "include"):
			r.found(Exec, "awk loads other code")
		case strings.HasPrefix(next.str, "/inet"):
			r.reaches(Contact{Host: "inet"})
			if strings.Contains(v.text, "|&") && strings.Contains(v.text, "|getline") || strings.Contains(v.text, "system(") {
				r.found(Backdoor, "awk runs code that arrives over a connection")
			}
		case t.word == "ENVIRON":
			r.effect(Env)
		}
	}
	r.codeStrings(sc, tokens, v, false)
}
