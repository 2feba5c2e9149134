package shell

import (
	"path"
	"strings"
)

// shellProgram reads sh, bash and similar commands.
func shellProgram(r *reader, sc *scope, c *call) (data, bool) {
	ops := c.got.operands
	for _, o := range c.got.options {
		if o.known && o.takes && o.role.kind == "script" {
			r.script(sc, o.value, nil)
		}
	}
	if sc.sent && (c.in.taint&fromSocket != 0 || c.got.has("-i") || len(ops) == 0) {
		r.found(Backdoor, "opens a shell to the network")
		return data{taint: fromSocket}, true
	}
	switch {
	case c.got.has("-c"):
		if len(ops) == 0 {
			r.found(Dynamic, "runs whatever is appended as a command")
			return data{}, true
		}
		inner := sc.sub()
		if len(ops) > 1 {
			inner.vars["0"] = ops[1]
		}
		args := []value{}
		if len(ops) > 2 {
			args = ops[2:]
		}
		return r.text(inner, ops[0], args), true
	case len(ops) > 0 && !c.got.has("-s"):
		if ops[0].text == "/dev/stdin" || ops[0].text == "-" {
			return r.runText(sc, *c.in, "its input", ops[1:]), true
		}
		r.script(sc, ops[0], ops[1:])
		r.anyArgs(sc, ops[1:])
		return data{taint: fromWork}, true
	case !c.in.known && c.in.taint&^fromInput == 0:
		r.found(Unknown, "starts a shell that waits for commands")
		return data{}, true
	}
	return r.runText(sc, *c.in, "its input", ops), true
}

// envProgram reads env: assignments, then a command.
func envProgram(r *reader, sc *scope, c *call) (data, bool) {
	args := c.got.operands
	if s, ok := c.got.value("-S", "--split-string"); ok {
		return r.text(sc, joinValues(append([]value{s}, args...), " "), nil), true
	}
	inner := *sc
	u, _ := c.got.value("-u", "--unset")
	inner.bared = sc.bared || c.got.has("-i", "--ignore-environment", "-") || strings.HasPrefix(u.text, "GIT_") || !u.plain()
	for len(args) > 0 && args[0].text == "-" {
		inner.bared, args = true, args[1:]
	}
	for len(args) > 0 {
		name, val, ok := args[0].cut("=")
		if !ok {
			break
		}
		r.environment(&inner, name.text, val)
		args = args[1:]
	}
	if dir, ok := c.got.value("-C", "--chdir"); ok {
		inner.cwd = r.abs(sc, dir.text)
	}
	if len(args) == 0 {
		r.effect(Env)
		return data{taint: fromEnv}, true
	}
	return r.exec(&inner, args, c.in), true
}

// xargsProgram reads xargs: a command with words of its input appended, or put in the place of a mark.
func xargsProgram(r *reader, sc *scope, c *call) (data, bool) {
	cmd := c.got.operands
	none := &data{known: true}
	if file, ok := c.got.value("-a", "--arg-file"); ok {
		none = c.in // what it runs has the input itself
		d := r.readData(sc, file)
		c.in = &d
	}
	if len(cmd) == 0 {
		return data{taint: c.in.taint}, true
	}
	if c.in.taint&fromEndless != 0 {
		r.found(Exhaust, "runs commands without end")
	}
	mark, ok := c.got.value("-I", "-i", "-J", "--replace")
	if ok && mark.text == "" {
		mark.text = "{}"
	}
	var items []value
	if c.in.known && len(c.in.text) < 4096 {
		between := isBlank
		if ok {
			between = isLineBreak // each line is one item
		}
		for _, f := range strings.FieldsFunc(c.in.text, between) {
			items = append(items, value{text: bareItem(f), taint: c.in.taint})
		}
	} else {
		items = []value{holeOf(c.in.taint)}
	}
	if !ok {
		if spec := r.table.find(baseName(cmd[0].text)); spec != nil && spec.how == "shell" && len(items) > 0 && !items[0].known() {
			r.found(Dynamic, "gives a shell words that are not known before it runs")
		}
		return r.exec(sc, append(cmd[:len(cmd):len(cmd)], items...), none), true
	}
	out := data{known: true}
	for _, item := range items {
		out = concat(out, r.exec(sc, replaceMark(cmd, mark.text, item), none))
	}
	return out, true
}

// bareItem takes the quotes and backslashes off an item as xargs does.
func bareItem(s string) string {
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case quote == 0 && c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(c)
		}
	}
	return strings.TrimLeft(b.String(), " \t")
}

func isLineBreak(c rune) bool { return c == '\n' }

// replaceMark puts an item in the place of a mark in all words.
func replaceMark(words []value, mark string, item value) []value {
	out := make([]value, len(words))
	for i, w := range words {
		if strings.Contains(w.text, mark) {
			w.text = strings.ReplaceAll(w.text, mark, item.text)
			w.taint |= item.taint
		}
		out[i] = w
	}
	return out
}

// parallelProgram reads GNU parallel: the words after ::: take the place of the mark, or are commands themselves.
func parallelProgram(r *reader, sc *scope, c *call) (data, bool) {
	var cmd, items []value
	seen := false
	for _, v := range c.got.operands {
		if strings.HasPrefix(v.text, ":::") {
			seen = true
			continue
		}
		if seen {
			items = append(items, v)
		} else {
			cmd = append(cmd, v)
		}
	}
	if c.name == "sem" {
		return r.text(sc, joinValues(cmd, " "), nil), true
	}
	if !seen {
		items = r.inputLines(c.in)
	}
	for _, item := range items {
		if !item.known() && len(cmd) > 0 {
			r.parallelUnknown(sc, cmd, item)
			continue
		}
		words := replaceMark(cmd, "{}", item)
		if !hasMark(cmd) {
			words = append(words, item)
		}
		line := joinValues(words, " ")
		r.text(sc, line, nil)
	}
	return data{taint: c.in.taint | fromWork}, true
}

// parallelUnknown judges a line with an item that is not known: parallel quotes it, so that it stays one word.
func (r *reader) parallelUnknown(sc *scope, cmd []value, item value) {
	line := joinValues(cmd, " ")
	marked := strings.NewReplacer("{}", `"$__item"`, "{.}", `"$__item"`, "{/}", `"$__item"`, "{//}", `"$__item"`, "{/.}", `"$__item"`, "{#}", "1", "{%}", "1").Replace(line.text)
	if marked == line.text {
		marked += ` "$__item"`
	}
	inner := sc.sub()
	inner.vars["__item"] = item
	r.text(inner, line.with(marked), nil)
}

// inputLines are the lines that flow in, each for a command; one unknown where they are not known.
func (r *reader) inputLines(in *data) []value {
	if !in.known || len(in.text) > 4096 {
		return []value{holeOf(in.taint)}
	}
	var lines []value
	for _, l := range strings.FieldsFunc(in.text, isLineBreak) {
		lines = append(lines, value{text: l, taint: in.taint})
	}
	return lines
}

// lingerProgram reads nohup, setsid and the like: what they start outlives the command line.
func lingerProgram(r *reader, sc *scope, c *call) (data, bool) {
	args := c.got.operands
	if len(args) == 0 {
		return data{}, true
	}
	saved := r.part
	r.part = Read
	out := r.exec(sc, args, c.in)
	if r.part == Build {
		r.found(Unknown, "leaves a process running after the command")
	}
	r.part = max(saved, r.part)
	return out, true
}

// joinedProgram reads watch: its words make a line for a shell, or with -x a command by themselves. Both are judged.
func joinedProgram(r *reader, sc *scope, c *call) (data, bool) {
	if len(c.got.operands) > 1 {
		r.exec(sc, c.got.operands, c.in)
	}
	return r.text(sc, joinValues(c.got.operands, " "), nil), true
}

// wrapSecond reads wrappers whose command runs in another root: chroot DIR CMD.
func wrapSecond(r *reader, sc *scope, c *call) (data, bool) {
	if len(c.got.operands) > 1 {
		inner := *sc
		inner.cwd = "/"
		r.exec(&inner, c.got.operands[1:], c.in)
	}
	return data{}, true
}

// pathnameProgram works out basename, dirname and realpath where the name is known.
func pathnameProgram(r *reader, sc *scope, c *call) (data, bool) {
	var t taint
	for _, v := range c.got.operands {
		t |= v.taint
		if v.proc != nil {
			t |= v.proc.taint
		}
	}
	if c.name == "mktemp" {
		if len(c.got.operands) > 0 {
			r.writes(sc, c.got.operands[0])
		}
		return textData("/tmp/tmp."+string(hole)+"\n", fromNumber), true
	}
	if len(c.got.operands) == 0 || !c.got.operands[0].known() {
		return data{taint: t | fromNumber}, true
	}
	v := c.got.operands[0]
	switch c.name {
	case "basename":
		name := path.Base(v.text)
		if len(c.got.operands) == 2 {
			name = strings.TrimSuffix(name, c.got.operands[1].text)
		}
		return textData(name+"\n", t), true
	case "dirname":
		return textData(path.Dir(v.text)+"\n", t), true
	case "which", "command":
		return textData("/usr/bin/"+v.text+"\n", t), true
	case "readlink", "realpath":
		if abs := r.abs(sc, v.text); abs != "" {
			return textData(abs+"\n", t), true
		}
	}
	return data{taint: t | fromNames}, true
}
