package shell

import (
	"slices"
	"strings"

	"rein/guard/effect"
	"rein/kit/places"
)

// replaceMark puts an item in the place of a mark in all words.
func replaceMark(words []value, mark string, item value) []value {
	out := make([]value, len(words))
	for i, w := range words {
		if strings.Contains(w.Text, mark) {
			w.Text = strings.ReplaceAll(w.Text, mark, item.Text)
			w.Taint |= item.Taint
			w.Found = w.Found || item.Found
		}
		out[i] = w
	}
	return out
}

// findProgram reads find: where it looks, what it runs, what it removes.
func findProgram(r *programs, sc *scope, c *call) (data, bool) {
	args := c.Argv[1:]
	var roots []value
	for len(args) > 0 && (args[0].Text == "-H" || args[0].Text == "-L" || args[0].Text == "-P" || strings.HasPrefix(args[0].Text, "-O")) {
		args = args[1:]
	}
	for len(args) > 0 && !strings.HasPrefix(args[0].Text, "-") && args[0].Text != "(" && args[0].Text != "!" {
		roots = append(roots, args[0])
		args = args[1:]
	}
	if len(roots) == 0 {
		roots = []value{literal(".")}
	}
	var t taint
	for _, root := range roots {
		t |= r.Lists(sc, root)
	}
	filtered := false
	for i := 0; i < len(args); i++ {
		switch a := args[i].Text; a {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(args) && args[end].Text != ";" && !(args[end].Text == "+" && args[end-1].Text == "{}") {
				end++
			}
			r.findExec(sc, roots, args[i+1:end], a, t, c.In, findName(args))
			for _, root := range roots {
				for _, name := range r.findItems(sc, root, args) {
					r.Shell.Exec(sc, replaceMark(args[i+1:end], "{}", root.With(name)), &data{Known: true})
				}
			}
			i = end
		case "-delete":
			r.findDelete(sc, roots, filtered, findName(args))
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			if i+1 < len(args) {
				r.Writes(sc, args[i+1])
				r.Found(effect.Exec, "find writes a file by %s", a)
				i++
			}
		case "-files0-from", "-newer", "-anewer", "-cnewer", "-samefile":
			if i+1 < len(args) {
				r.Reads(sc, args[i+1])
				i++
			}
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-size", "-mtime", "-atime", "-ctime", "-mmin", "-empty",
			"-lname", "-perm", "-user", "-group", "-amin", "-cmin", "-newermt":
			bare := i+1 < len(args) && strings.Trim(args[i+1].Text, "*\x01") == ""
			filtered = filtered || !bare
		case "-o", "-or":
			filtered = false
		}
	}
	return r.foundNames(sc, roots, args, t), true
}

// findItems are the names that find gives, as far as they say more than that they are below: a root that is not ours,
// a name that credentials have.
func (r *programs) findItems(sc *scope, root value, args []value) []string {
	dir := strings.TrimSuffix(root.Text, "/")
	var items []string
	for i, a := range args {
		if (a.Text != "-name" && a.Text != "-iname") || i+1 >= len(args) || i > 0 && (args[i-1].Text == "!" || args[i-1].Text == "-not") {
			continue
		}
		name := dir + "/" + string(anyText) + "/" + strings.NewReplacer("*", string(anyGlob), "?", string(oneGlob), "[", string(oneGlob)).Replace(args[i+1].Text)
		s := r.Locate(sc, root.With(strings.ReplaceAll(name, string(anyText), "x")))
		if !s.Free && (s.Class == places.Private || s.Class == places.Secret) && strings.Trim(args[i+1].Text, "*?") != "" {
			items = append(items, strings.Replace(name, string(anyText), "x", 1))
		}
	}
	return items
}

// foundNames is the list that find prints.
func (r *programs) foundNames(sc *scope, roots, args []value, t taint) data {
	var lines []string
	for _, root := range roots {
		items := r.findItems(sc, root, args)
		s := r.Locate(sc, root)
		if len(items) == 0 && !s.Free && !r.InWork(s.Abs) && s.Class != places.Temp {
			items = []string{strings.TrimSuffix(root.Text, "/") + "/" + string(anyText)}
		}
		lines = append(lines, items...)
	}
	if len(lines) == 0 {
		return data{Taint: t}
	}
	end := "\n"
	if slices.ContainsFunc(args, func(a value) bool { return a.Text == "-print0" }) {
		end = string(nulText)
	}
	return textData(strings.Join(lines, end)+end, t)
}

// findExec judges what find runs for what it finds. What it runs has the input of find itself.
func (r *programs) findExec(sc *scope, roots, cmd []value, how string, t taint, in *data, name string) {
	if len(cmd) == 0 {
		return
	}
	if how == "-ok" || how == "-okdir" {
		r.Found(effect.Exec, "find asks a question at the terminal, and runs %s", cmd[0].Shown())
	}
	for _, root := range roots {
		item := value{Text: strings.TrimSuffix(root.Text, "/") + "/" + string(anyText), Taint: t, Odd: true}
		if strings.Trim(root.Text, "/") == "" {
			item.Text = "/" + string(anyText)
		}
		if s := r.Locate(sc, root); name != "" && !s.Free && r.InWork(s.Abs) {
			item.Text, item.Found = item.Text+"/"+name, true
		}
		inner := *sc
		if strings.HasSuffix(how, "dir") {
			item.Text = "./" + string(anyText)
			inner.Cwd = r.Abs(sc, root.Text)
		}
		r.Shell.Exec(&inner, replaceMark(cmd, "{}", item), in)
	}
}

func (r *programs) findDelete(sc *scope, roots []value, filtered bool, name string) {
	for _, root := range roots {
		if s := r.Locate(sc, root); filtered && !s.Free && r.InWork(s.Abs) {
			r.Found(effect.Delete, "removes what it finds in %s", root.Shown())
			if name != "" {
				note(&r.Report.Removes, s.Abs+"/"+string(anyText)+"/"+name)
			} else {
				note(&r.Report.Removes, s.Abs)
			}
			continue
		}
		r.Removes(sc, root, true)
	}
}

// findName is the one name that all have what find finds, as a pattern; "" where they need not have one.
func findName(args []value) (name string) {
	for i, a := range args {
		switch a.Text {
		case "-o", "-or", "!", "-not", ",":
			return ""
		case "-name":
			if i+1 >= len(args) || name != "" || !args[i+1].Plain() || strings.Trim(args[i+1].Text, "*?") == "" || strings.ContainsAny(args[i+1].Text, "[/") {
				return ""
			}
			name = strings.NewReplacer("*", string(anyGlob), "?", string(oneGlob)).Replace(args[i+1].Text)
		}
	}
	return name
}

// fdProgram reads fd: -x and -X run a command for what is found.
func fdProgram(r *programs, sc *scope, c *call) (data, bool) {
	for i, a := range c.Argv {
		if a.Text != "-x" && a.Text != "-X" && a.Text != "--exec" && a.Text != "--exec-batch" {
			continue
		}
		cmd := c.Argv[i+1:]
		item := value{Text: "./" + string(anyText), Taint: fromNames, Odd: true}
		for _, root := range c.Argv[1:i] {
			if isFarPath(root.Text) || root.Text == "/" {
				item.Text = strings.TrimSuffix(root.Text, "/") + "/" + string(anyText)
			}
		}
		words := replaceMark(cmd, "{}", item)
		if len(cmd) > 0 && (strings.HasSuffix(a.Text, "X") || strings.HasSuffix(a.Text, "batch")) || !hasMark(cmd) {
			words = append(words, item)
		}
		none := data{Known: true}
		if spec := r.Table.Find(baseName(cmdName(cmd))); spec != nil && spec.How == "shell" && len(cmd) == 1 {
			r.Found(effect.Dynamic, "runs the files that it finds as scripts")
		}
		r.Shell.Exec(sc, words, &none)
		return data{Taint: fromWork}, true
	}
	t := taint(fromNames)
	for _, v := range c.Got.Operands[min(1, len(c.Got.Operands)):] {
		t |= r.Lists(sc, v)
	}
	r.applyOptions(sc, c)
	return data{Taint: t}, true
}

func cmdName(words []value) string {
	if len(words) == 0 {
		return ""
	}
	return words[0].Text
}

// hasMark reports whether one of the words contains the mark {}.
func hasMark(words []value) bool {
	for _, w := range words {
		if strings.Contains(w.Text, "{}") {
			return true
		}
	}
	return false
}

// grepProgram reads grep and similar commands. The first operand is the pattern, unless an option gives it.
func grepProgram(r *programs, sc *scope, c *call) (data, bool) {
	t := c.In.Taint &^ fromInput
	t |= r.applyOptions(sc, c)
	ops := c.Got.Operands
	given := c.Got.Has("-e", "--regexp", "-f", "--file", "--files", "--type-list") || c.DeepLong("--regexp") || c.DeepLong("--file")
	if !given && len(ops) > 0 {
		t |= ops[0].Taint &^ fromWork
		ops = ops[1:]
	}
	outside := false
	for _, v := range ops {
		r.reads1(sc, v)
		from := r.Contents(sc, v)
		outside = outside || from&^fromWork != 0
		t |= from
	}
	if c.Got.Has("-l", "-L", "--files-with-matches", "--files-without-match", "--files") && !outside {
		return data{Taint: t&^fromWork | fromNames}, true
	}
	if c.Got.Has("-c", "--count") && c.Spec.Name == "grep" && !c.Got.Has("-r", "-R", "-H", "--recursive", "--dereference-recursive", "--with-filename") && (len(ops) == 0 || len(ops) == 1 && ops[0].Plain()) {
		return data{Taint: fromNumber}, true
	}
	if len(ops) == 0 && !c.In.Known && c.In.Taint&^tame == 0 && c.In.Taint != 0 {
		return data{Taint: c.In.Taint}, true // lines of a list of names
	}
	return data{Taint: t | fromWork}, true
}

// reads1 judges an operand that is a file to read, or what a process substitution gives.
func (r *programs) reads1(sc *scope, v value) {
	if v.Proc == nil {
		r.Reads(sc, v)
	}
}
