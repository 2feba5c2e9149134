package shell

import (
	"slices"
	"strings"

	"rein/guard/effect"
	"rein/kit/places"
)

// replaceMark puts an item in the place of a mark in all words.
func replaceMark(words []effect.Value, mark string, item effect.Value) []effect.Value {
	out := make([]effect.Value, len(words))
	for i, w := range words {
		if strings.Contains(w.Text, mark) {
			w.Text = strings.ReplaceAll(w.Text, mark, item.Text)
			w.Taint |= item.Taint
		}
		out[i] = w
	}
	return out
}

// findProgram reads find: where it looks, what it runs, what it removes.
func findProgram(r *programs, sc *scope, c *call) (effect.Data, bool) {
	args := c.Argv[1:]
	var roots []effect.Value
	for len(args) > 0 && (args[0].Text == "-H" || args[0].Text == "-L" || args[0].Text == "-P" || strings.HasPrefix(args[0].Text, "-O")) {
		args = args[1:]
	}
	for len(args) > 0 && !strings.HasPrefix(args[0].Text, "-") && args[0].Text != "(" && args[0].Text != "!" {
		roots = append(roots, args[0])
		args = args[1:]
	}
	if len(roots) == 0 {
		roots = []effect.Value{effect.Literal(".")}
	}
	var t effect.Taint
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
			r.findExec(sc, roots, args[i+1:end], a, t, c.In)
			for _, root := range roots {
				for _, name := range r.findItems(sc, root, args) {
					r.Shell.Exec(sc, replaceMark(args[i+1:end], "{}", root.With(name)), &effect.Data{Known: true})
				}
			}
			i = end
		case "-delete":
			r.findDelete(sc, roots, filtered)
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
func (r *programs) findItems(sc *scope, root effect.Value, args []effect.Value) []string {
	dir := strings.TrimSuffix(root.Text, "/")
	var items []string
	for i, a := range args {
		if (a.Text != "-name" && a.Text != "-iname") || i+1 >= len(args) || i > 0 && (args[i-1].Text == "!" || args[i-1].Text == "-not") {
			continue
		}
		name := dir + "/" + string(effect.Hole) + "/" + strings.NewReplacer("*", string(effect.Star), "?", string(effect.One), "[", string(effect.One)).Replace(args[i+1].Text)
		s := r.Locate(sc, root.With(strings.ReplaceAll(name, string(effect.Hole), "x")))
		if !s.Free && (s.Class == places.Private || s.Class == places.Secret) && strings.Trim(args[i+1].Text, "*?") != "" {
			items = append(items, strings.Replace(name, string(effect.Hole), "x", 1))
		}
	}
	return items
}

// foundNames is the list that find prints.
func (r *programs) foundNames(sc *scope, roots, args []effect.Value, t effect.Taint) effect.Data {
	var lines []string
	for _, root := range roots {
		items := r.findItems(sc, root, args)
		s := r.Locate(sc, root)
		if len(items) == 0 && !s.Free && !r.InWork(s.Abs) && s.Class != places.Temp {
			items = []string{strings.TrimSuffix(root.Text, "/") + "/" + string(effect.Hole)}
		}
		lines = append(lines, items...)
	}
	if len(lines) == 0 {
		return effect.Data{Taint: t}
	}
	end := "\n"
	if slices.ContainsFunc(args, func(a effect.Value) bool { return a.Text == "-print0" }) {
		end = string(effect.Nul)
	}
	return effect.TextData(strings.Join(lines, end)+end, t)
}

// findExec judges what find runs for what it finds. What it runs has the input of find itself.
func (r *programs) findExec(sc *scope, roots, cmd []effect.Value, how string, t effect.Taint, in *effect.Data) {
	if len(cmd) == 0 {
		return
	}
	if how == "-ok" || how == "-okdir" {
		r.Found(effect.Exec, "find asks a question at the terminal, and runs %s", cmd[0].Shown())
	}
	for _, root := range roots {
		item := effect.Value{Text: strings.TrimSuffix(root.Text, "/") + "/" + string(effect.Hole), Taint: t, Odd: true}
		if strings.Trim(root.Text, "/") == "" {
			item.Text = "/" + string(effect.Hole)
		}
		inner := *sc
		if strings.HasSuffix(how, "dir") {
			item.Text = "./" + string(effect.Hole)
			inner.Cwd = r.Abs(sc, root.Text)
		}
		r.Shell.Exec(&inner, replaceMark(cmd, "{}", item), in)
	}
}

func (r *programs) findDelete(sc *scope, roots []effect.Value, filtered bool) {
	for _, root := range roots {
		if s := r.Locate(sc, root); filtered && !s.Free && r.InWork(s.Abs) {
			r.Found(effect.Delete, "removes what it finds in %s", root.Shown())
			effect.Note(&r.Report.Removes, s.Abs)
			continue
		}
		r.Removes(sc, root, true)
	}
}

// fdProgram reads fd: -x and -X run a command for what is found.
func fdProgram(r *programs, sc *scope, c *call) (effect.Data, bool) {
	for i, a := range c.Argv {
		if a.Text != "-x" && a.Text != "-X" && a.Text != "--exec" && a.Text != "--exec-batch" {
			continue
		}
		cmd := c.Argv[i+1:]
		item := effect.Value{Text: "./" + string(effect.Hole), Taint: effect.FromNames, Odd: true}
		for _, root := range c.Argv[1:i] {
			if isFarPath(root.Text) || root.Text == "/" {
				item.Text = strings.TrimSuffix(root.Text, "/") + "/" + string(effect.Hole)
			}
		}
		words := replaceMark(cmd, "{}", item)
		if len(cmd) > 0 && (strings.HasSuffix(a.Text, "X") || strings.HasSuffix(a.Text, "batch")) || !hasMark(cmd) {
			words = append(words, item)
		}
		none := effect.Data{Known: true}
		if spec := r.Table.Find(effect.BaseName(cmdName(cmd))); spec != nil && spec.How == "shell" && len(cmd) == 1 {
			r.Found(effect.Dynamic, "runs the files that it finds as scripts")
		}
		r.Shell.Exec(sc, words, &none)
		return effect.Data{Taint: effect.FromWork}, true
	}
	t := effect.Taint(effect.FromNames)
	for _, v := range c.Got.Operands[min(1, len(c.Got.Operands)):] {
		t |= r.Lists(sc, v)
	}
	r.applyOptions(sc, c)
	return effect.Data{Taint: t}, true
}

func cmdName(words []effect.Value) string {
	if len(words) == 0 {
		return ""
	}
	return words[0].Text
}

// hasMark reports whether one of the words contains the mark {}.
func hasMark(words []effect.Value) bool {
	for _, w := range words {
		if strings.Contains(w.Text, "{}") {
			return true
		}
	}
	return false
}

// grepProgram reads grep and similar commands. The first operand is the pattern, unless an option gives it.
func grepProgram(r *programs, sc *scope, c *call) (effect.Data, bool) {
	t := c.In.Taint &^ effect.FromInput
	t |= r.applyOptions(sc, c)
	ops := c.Got.Operands
	given := c.Got.Has("-e", "--regexp", "-f", "--file", "--files", "--type-list") || c.DeepLong("--regexp") || c.DeepLong("--file")
	if !given && len(ops) > 0 {
		t |= ops[0].Taint &^ effect.FromWork
		ops = ops[1:]
	}
	outside := false
	for _, v := range ops {
		r.reads1(sc, v)
		from := r.Contents(sc, v)
		outside = outside || from&^effect.FromWork != 0
		t |= from
	}
	if c.Got.Has("-l", "-L", "--files-with-matches", "--files-without-match", "--files") && !outside {
		return effect.Data{Taint: t&^effect.FromWork | effect.FromNames}, true
	}
	if c.Got.Has("-c", "--count") && c.Spec.Name == "grep" && !c.Got.Has("-r", "-R", "-H", "--recursive", "--dereference-recursive", "--with-filename") && (len(ops) == 0 || len(ops) == 1 && ops[0].Plain()) {
		return effect.Data{Taint: effect.FromNumber}, true
	}
	if len(ops) == 0 && !c.In.Known && c.In.Taint&^effect.Tame == 0 && c.In.Taint != 0 {
		return effect.Data{Taint: c.In.Taint}, true // lines of a list of names
	}
	return effect.Data{Taint: t | effect.FromWork}, true
}

// reads1 judges an operand that is a file to read, or what a process substitution gives.
func (r *programs) reads1(sc *scope, v effect.Value) {
	if v.Proc == nil {
		r.Reads(sc, v)
	}
}
