package shell

import (
	"strings"

	"rein/places"
)

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
			for _, root := range roots {
				for _, name := range r.findItems(sc, root, args) {
					r.exec(sc, replaceMark(args[i+1:end], "{}", root.with(name)), &data{known: true})
				}
			}
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
	return r.foundNames(sc, roots, args, t), true
}

// findItems are the names that find gives, as far as they say more than that they lie below: a root that is not ours,
// a name that credentials have.
func (r *reader) findItems(sc *scope, root value, args []value) []string {
	dir := strings.TrimSuffix(root.text, "/")
	var items []string
	for i, a := range args {
		if (a.text != "-name" && a.text != "-iname") || i+1 >= len(args) || i > 0 && (args[i-1].text == "!" || args[i-1].text == "-not") {
			continue
		}
		name := dir + "/" + string(hole) + "/" + strings.NewReplacer("*", string(star), "?", string(one), "[", string(one)).Replace(args[i+1].text)
		s := r.locate(sc, root.with(strings.ReplaceAll(name, string(hole), "x")))
		if !s.free && (s.class == places.Private || s.class == places.Secret) && strings.Trim(args[i+1].text, "*?") != "" {
			items = append(items, strings.Replace(name, string(hole), "x", 1))
		}
	}
	return items
}

// foundNames is the list that find prints.
func (r *reader) foundNames(sc *scope, roots, args []value, t taint) data {
	var lines []string
	for _, root := range roots {
		items := r.findItems(sc, root, args)
		s := r.locate(sc, root)
		if len(items) == 0 && !s.free && !r.inWork(s.abs) && s.class != places.Temp {
			items = []string{strings.TrimSuffix(root.text, "/") + "/" + string(hole)}
		}
		lines = append(lines, items...)
	}
	if len(lines) == 0 {
		return data{taint: t}
	}
	return textData(strings.Join(lines, "\n")+"\n", t)
}

// findExec judges what find runs for what it finds. What it runs has the input of find itself.
func (r *reader) findExec(sc *scope, roots, cmd []value, how string, t taint, in *data) {
	if len(cmd) == 0 {
		return
	}
	if how == "-ok" || how == "-okdir" {
		r.found(Exec, "find asks a question at the terminal, and runs %s", cmd[0].shown())
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
			r.found(Dynamic, "runs the files that it finds as scripts")
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
