package shell

import (
	"path"
	"strings"

	"rein/guard/effect"
)

// A word that leads out of the workspace is read at least, unless the table says that it is no path. Lines of the table are for many
// programs, so that "text" is only believed of the names of options that say the same.

// farWords judges the words of a program that nothing has judged as paths. What asks anyway is left as it is.
func farWords(r *programs, sc *scope, c *call) {
	if r.Part > effect.Commit || c.Spec.How == "git" || c.Got.Spec.How == "grep" {
		return
	}
	for _, o := range c.Got.Options {
		if o.Role.Kind == "text" && !labels(o.Name) || !o.Known {
			r.farWord(sc, o.Value)
		}
	}
	spec := c.Got.Spec
	if c.Got.Has("-c", "--check") && c.In.Known && strings.Contains(c.Name, "sum") { // a list of sums and files
		r.farPieces(sc, c.In.AsValue())
	}
	if spec.How != "" || spec.Out == "none" {
		return
	}
	for i, v := range c.Got.Operands {
		if len(spec.Args) > 0 && spec.Args[min(i, len(spec.Args)-1)].Kind == "text" {
			r.farWord(sc, v)
		}
	}
}

// farWord judges a word that may be a path: by itself, behind the = of NAME=VALUE, or behind the letter of an option.
func (r *judging) farWord(sc *scope, v value) {
	if !strings.ContainsAny(v.Text, "/~") || strings.ContainsAny(v.Text, " \n") {
		return
	}
	if len(v.Text) > 2 && v.Text[0] == '-' && v.Text[1] != '-' && (v.Text[2] == '/' || v.Text[2] == '~') {
		v = v.With(v.Text[2:])
	}
	for _, part := range strings.FieldsFunc(v.Text, func(c rune) bool { return c == '=' || c == ',' || c == '@' }) {
		if strings.HasPrefix(part, "~/") {
			part = r.Ctx.Home + part[1:] // many programs read it so
		}
		if isFarPath(part) && (part[0] != '/' || mayBeFile(part)) {
			r.AnyArg(sc, v.With(part))
		}
	}
}

// mayBeFile reports whether an absolute name is rather a file than a route or a pattern: it begins as paths of machines do, or has an
// ending.
func mayBeFile(name string) bool {
	first, rest, deep := strings.Cut(name[1:], "/")
	return isRootName(strings.ToLower(first)) || deep && rest != "" && path.Ext(rest) != ""
}

// listed judges a list of files that a program reads, or puts into an archive: in a file, or on its input.
func (r *judging) listed(sc *scope, list data) taint {
	if !list.Known {
		if list.Taint&^(tame|fromInput) != 0 {
			r.Found(effect.OutsideRead, "reads the files that a list names, which is not known before it runs")
			return list.Taint | fromLost
		}
		return fromWork
	}
	t := fromWork
	for name := range strings.FieldsFuncSeq(list.Text, func(c rune) bool { return c == '\n' || c == rune(nulText) }) {
		v := value{Text: name, Taint: list.Taint}
		r.Reads(sc, v)
		t |= r.Contents(sc, v)
	}
	return t
}

// listIn is listed for the value of an option; "-" is the input of the program.
func (r *judging) listIn(sc *scope, c *call, v value) taint {
	if isInput(v.Text) {
		return r.listed(sc, *c.In)
	}
	return r.listed(sc, r.ReadData(sc, v))
}

// isInput reports whether a word names the standard input of a program.
func isInput(name string) bool {
	return name == "-" || name == "/dev/stdin" || strings.HasPrefix(name, "/dev/fd/") || strings.HasPrefix(name, "/proc/self/fd/")
}

// listProgram reads cpio and similar programs: the files on its input are read, unless it unpacks.
func listProgram(r *programs, sc *scope, c *call) (data, bool) {
	if c.Got.Has("-i", "--extract", "-t", "--list") || c.Name == "pax" && (!c.Got.Has("-w") || len(c.Got.Operands) > 0) {
		return data{}, false
	}
	out := r.apply(sc, c)
	out.Taint |= r.listed(sc, *c.In)
	return out, true
}

// archiveProgram reads packers: some take away what they have packed, or read the names of it.
func archiveProgram(r *programs, sc *scope, c *call) (data, bool) {
	files := c.Got.Operands
	if c.Name != "zip" && c.Got.Unlisted && len(files) > 0 {
		files = files[1:] // the command
	}
	if c.Name == "zip" && c.Got.Has("-m", "--move") || c.Name != "zip" && c.Got.Has("-sdel", "-df", "-dr", "-dw") || strings.HasPrefix(c.Got.Spec.Name, "m") {
		for _, v := range files[min(1, len(files)):] {
			if !strings.HasPrefix(v.Text, "-") {
				r.Removes(sc, v, true)
			}
		}
	}
	for _, v := range c.Argv[1:] {
		switch {
		case v.Text == "-@" && c.Name == "zip":
			r.listed(sc, *c.In)
		case len(v.Text) > 1 && v.Text[0] == '@' && c.Name != "zip":
			r.listIn(sc, c, v.With(v.Text[1:]))
		}
	}
	return data{}, false
}

// repositoryProgram reads programs that make backups: whether the place where they keep them is on another machine.
func repositoryProgram(r *programs, sc *scope, c *call) (data, bool) {
	for _, v := range c.Argv[1:] {
		_, text, ok := v.Cut("=")
		if !ok {
			text = v
		}
		kind, _, named := strings.Cut(text.Text, ":")
		if dir, is := strings.CutPrefix(text.Text, "file://"); is {
			r.Writes(sc, text.With(dir))
		}
		if strings.HasPrefix(text.Text, "file://") || strings.HasPrefix(text.Text, "-") || strings.Contains(kind, "/") || !named {
			continue
		}
		if strings.Contains(text.Text, "://") || kind == "sftp" || kind == "s3" || kind == "rest" || kind == "b2" || kind == "rclone" || strings.Contains(kind, "@") || !strings.HasPrefix(text.Text, kind+"::") {
			r.Found(effect.Network, "keeps its copies on another machine: %s", text.Shown())
		}
	}
	return data{}, false
}

// dateProgram reads date: a time that is no format sets the clock.
func dateProgram(r *programs, _ *scope, c *call) (data, bool) {
	for _, v := range c.Got.Operands {
		if !strings.HasPrefix(v.Text, "+") && !c.Got.Has("-j") && (v.Wild() || isNumber(strings.ReplaceAll(v.Text, ".", ""))) {
			r.Found(effect.Admin, "sets the clock of the machine")
		}
	}
	return data{}, false
}

// piecesProgram reads TeX, PostScript and statements over files: a word may be a text of a language in which paths stand without quotes.
func piecesProgram(r *programs, sc *scope, c *call) (data, bool) {
	for _, v := range c.Argv[1:] {
		if !strings.ContainsAny(v.Text, "\\( ") {
			continue
		}
		if strings.Contains(v.Text, "|") || strings.Contains(v.Text, "write18") {
			r.Found(effect.Exec, "TeX runs a command")
		}
		r.farPieces(sc, v)
	}
	return data{}, false
}

// farPieces judges the paths in a text of a language without quotes: what leads out of the workspace is read.
func (r *judging) farPieces(sc *scope, v value) {
	for _, part := range strings.FieldsFunc(v.Text, func(c rune) bool { return strings.ContainsRune("{}[]()=,; \t\n|\"'`", c) }) {
		if isFarPath(part) && (part[0] != '/' || mayBeFile(part)) {
			r.AnyArg(sc, v.With(part))
		}
	}
}
