package shell

import (
	"path"
	"strings"
)

// shellProgram reads sh, bash and their kin.
func shellProgram(r *reader, sc *scope, c *call) (data, bool) {
	ops := c.got.operands
	for _, o := range c.got.options {
		if o.known && o.takes && o.role.kind == "script" {
			r.script(sc, o.value, nil)
		}
	}
	if sc.sent && (c.in.taint&fromSocket != 0 || c.got.has("-i") || len(ops) == 0) {
		r.found(Backdoor, "gives a shell to the network")
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
			r.found(Dynamic, "gives a shell words that are only known when it runs")
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

// findProgram reads find: where it looks, what it runs, what it removes.
func findProgram(r *reader, sc *scope, c *call) (data, bool) {
	args := c.argv[1:]
	var roots []value
	for len(args) > 0 && (args[0].text == "-H" || args[0].text == "-L" || args[0].text == "-P" || strings.HasPrefix(args[0].text, "-O")) {
		args = args[1:]
	}
	for len(args) > 0 && !strings.HasPrefix(args[0].text, "-") && args[0].text != "(" && args[0].text != "!" {
		roots = append(roots, args[0])
		args = args[1:]
	}
	if len(roots) == 0 {
		roots = []value{literal(".")}
	}
	var t taint
	for _, root := range roots {
		t |= r.lists(sc, root)
	}
	filtered := false
	for i := 0; i < len(args); i++ {
		switch a := args[i].text; a {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(args) && args[end].text != ";" && !(args[end].text == "+" && args[end-1].text == "{}") {
				end++
			}
			r.findExec(sc, roots, args[i+1:end], a, t, c.in)
			i = end
		case "-delete":
			r.findDelete(sc, roots, filtered)
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			if i+1 < len(args) {
				r.writes(sc, args[i+1])
				r.found(Exec, "find writes a file by %s", a)
				i++
			}
		case "-files0-from", "-newer", "-anewer", "-cnewer", "-samefile":
			if i+1 < len(args) {
				r.reads(sc, args[i+1])
				i++
			}
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-size", "-mtime", "-atime", "-ctime", "-mmin", "-empty",
			"-lname", "-perm", "-user", "-group", "-amin", "-cmin", "-newermt":
			bare := i+1 < len(args) && strings.Trim(args[i+1].text, "*\x01") == ""
			filtered = filtered || !bare
		case "-o", "-or":
			filtered = false
		}
	}
	return data{taint: t}, true
}

// findExec judges what find runs for what it finds. What it runs has the input of find itself.
func (r *reader) findExec(sc *scope, roots, cmd []value, how string, t taint, in *data) {
	if len(cmd) == 0 {
		return
	}
	if how == "-ok" || how == "-okdir" {
		r.found(Exec, "find asks at a terminal before it runs %s", cmd[0].shown())
	}
	for _, root := range roots {
		item := value{text: strings.TrimSuffix(root.text, "/") + "/" + string(hole), taint: t, odd: true}
		if strings.Trim(root.text, "/") == "" {
			item.text = "/" + string(hole)
		}
		inner := *sc
		if strings.HasSuffix(how, "dir") {
			item.text = "./" + string(hole)
			inner.cwd = r.abs(sc, root.text)
		}
		r.exec(&inner, replaceMark(cmd, "{}", item), in)
	}
}

func (r *reader) findDelete(sc *scope, roots []value, filtered bool) {
	for _, root := range roots {
		if s := r.locate(sc, root); filtered && !s.free && r.inWork(s.abs) {
			r.found(Delete, "removes what it finds in %s", root.shown())
			note(&r.report.Removes, s.abs)
			continue
		}
		r.removes(sc, root, true)
	}
}

// fdProgram reads fd: -x and -X run a command for what is found.
func fdProgram(r *reader, sc *scope, c *call) (data, bool) {
	for i, a := range c.argv {
		if a.text != "-x" && a.text != "-X" && a.text != "--exec" && a.text != "--exec-batch" {
			continue
		}
		cmd := c.argv[i+1:]
		item := value{text: "./" + string(hole), taint: fromNames, odd: true}
		words := replaceMark(cmd, "{}", item)
		if len(cmd) > 0 && (strings.HasSuffix(a.text, "X") || strings.HasSuffix(a.text, "batch")) || !hasMark(cmd) {
			words = append(words, item)
		}
		none := data{known: true}
		if spec := r.table.find(baseName(cmdName(cmd))); spec != nil && spec.how == "shell" && len(cmd) == 1 {
			r.found(Dynamic, "runs what it finds as scripts")
		}
		r.exec(sc, words, &none)
		return data{taint: fromWork}, true
	}
	t := taint(fromNames)
	for _, v := range c.got.operands[min(1, len(c.got.operands)):] {
		t |= r.lists(sc, v)
	}
	r.applyOptions(sc, c)
	return data{taint: t}, true
}

func cmdName(words []value) string {
	if len(words) == 0 {
		return ""
	}
	return words[0].text
}

func hasMark(words []value) bool {
	for _, w := range words {
		if strings.Contains(w.text, "{}") {
			return true
		}
	}
	return false
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
		t := in.taint
		if t&^fromInput == 0 {
			t |= fromInput
		}
		return []value{holeOf(t)}
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
