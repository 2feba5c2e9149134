package shell

import (
	"path"
	"strings"

	"rein/guard/effect"
	"rein/kit/places"
)

func rmProgram(r *programs, sc *scope, c *call) (data, bool) {
	deep := c.Got.Has("-r", "-R", "-d") || c.DeepLong("--recursive")
	for _, v := range c.Got.Operands {
		r.Removes(sc, v, deep)
	}
	return data{Known: true}, true
}

// lnProgram reads ln: a link to somewhere else is a door.
func lnProgram(r *programs, sc *scope, c *call) (data, bool) {
	ops := c.Got.Operands
	dir, ok := c.Got.Value("-t", "--target-directory")
	if !ok && len(ops) > 1 {
		dir, ops = ops[len(ops)-1], ops[:len(ops)-1]
	} else if !ok {
		dir = literal(".")
	}
	r.Writes(sc, dir)
	defer r.copies(sc, dir, ops)
	at := r.linkScope(sc, c, dir, len(ops))
	for _, v := range ops {
		s := r.Locate(at, v)
		switch {
		case s.Free:
			r.Found(effect.OutsideWrite, "makes a link to a path that is not known: %s", v.Shown())
		case s.Class == places.Workspace, s.Class == places.Temp, s.Class == places.System, s.Class == places.Tools,
			s.Class == places.Protected, s.Class == places.Sink:
		case s.Class == places.Private:
			r.Found(effect.Private, "links to %s", v.Shown())
		default:
			r.Found(effect.OutsideWrite, "makes a link to %s, outside the workspace", v.Shown())
		}
		note(&r.Report.Reads, s.Abs)
	}
	return data{Known: true}, true
}

// linkScope is where the target of a symbolic link is looked for: a relative one counts from the directory of the link.
// Whether the last word names the link or a directory to put it in is not known: what climbs higher is taken.
func (r *programs) linkScope(sc *scope, c *call, link value, targets int) *scope {
	abs := r.Absolute(sc, link)
	if !c.Got.Has("-s", "--symbolic") || c.Got.Has("-r", "--relative") || abs == "" {
		return sc
	}
	inner := *sc
	inner.Cwd = path.Dir(abs)
	if targets != 1 || strings.HasSuffix(link.Text, "/") || strings.HasSuffix(link.Text, ".") || c.Got.Has("-t", "--target-directory") {
		inner.Cwd = abs
	}
	return &inner
}

// copyProgram reads cp, install and mv: into which file or directory, and what of.
func copyProgram(r *programs, sc *scope, c *call) (data, bool) {
	ops := c.Got.Operands
	from := "read"
	if c.Name == "mv" {
		from = "move"
	}
	dir, named := c.Got.Value("-t", "--target-directory")
	if !named && len(ops) > 1 {
		dir, ops = ops[len(ops)-1], ops[:len(ops)-1]
	} else if !named {
		dir = value{}
	}
	if c.Name == "install" && c.Got.Has("-d") {
		ops = append(ops, dir)
		for _, v := range ops {
			r.Writes(sc, v)
		}
		return data{Known: true}, true
	}
	var t taint
	for _, v := range ops {
		t |= r.apply1(sc, wordRole{Kind: from}, v, nil)
		r.intoDir(sc, dir, v)
	}
	defer r.copies(sc, dir, ops)
	if dir.Text != "" {
		r.Writes(sc, dir)
		r.Wrote(sc, dir, data{Taint: t})
	}
	if mode, ok := c.Got.Value("-m", "--mode"); ok && setsID(mode.Text) {
		r.Found(effect.Admin, "sets the rights of another user on a program")
	}
	return data{Known: true}, true
}

// copies remembers files that are copies of programs, or links to them: they do what the programs do.
func (r *programs) copies(sc *scope, to value, from []value) {
	for _, v := range from {
		name := baseName(v.Text)
		w, again := sc.Written[r.Absolute(sc, v)]
		if again && w.As != "" {
			name = w.As
		}
		if !v.Plain() || r.Table.Find(name) == nil || !again && r.Locate(sc, v).Class != places.System && !strings.HasPrefix(v.Text, "/") {
			continue
		}
		for _, target := range []string{to.Text, strings.TrimSuffix(to.Text, "/") + "/" + baseName(v.Text)} {
			if abs := r.Absolute(sc, to.With(target)); abs != "" {
				sc.Written[abs] = written{As: name}
			}
		}
	}
}

// intoDir judges the name that a file gets when it is put into a directory: evil.yml in .github/workflows/, .env in ".".
func (r *programs) intoDir(sc *scope, dir, file value) {
	if dir.Text == "" || file.Text == "" {
		return
	}
	base := baseName(strings.TrimSuffix(file.Text, "/"))
	target := dir.With(strings.TrimSuffix(dir.Text, "/") + "/" + base)
	if s := r.Locate(sc, target); !s.Free && s.Class == places.Settings {
		r.Writes(sc, target)
	} else if !s.Free && s.Class == places.Protected && (dir.Text == "." || strings.HasSuffix(dir.Text, "/")) {
		r.Writes(sc, target)
	}
}

func chmodProgram(r *programs, sc *scope, c *call) (data, bool) {
	var ops []value
	mode := ""
	for _, v := range c.Argv[1:] {
		switch {
		case mode == "" && strings.HasPrefix(v.Text, "-") && strings.Trim(v.Text[1:], "rwxXst") == "" && len(v.Text) > 1:
			mode = v.Text
		case strings.HasPrefix(v.Text, "-"):
			if _, after, ok := v.Cut("="); ok && strings.HasPrefix(v.Text, "--ref") {
				mode = "reference"
				r.Reads(sc, after)
			}
		case mode == "":
			mode = v.Text
		default:
			ops = append(ops, v)
		}
	}
	for _, v := range ops {
		r.Writes(sc, v)
		if s := r.Locate(sc, v); !s.Free && places.IsRoot(s.Abs, r.Ctx.Context) && !r.InWork(s.Abs) {
			r.Found(effect.Destroy, "changes the rights of %s", v.Shown())
		}
	}
	if setsID(mode) {
		r.Found(effect.Admin, "sets the rights of another user on a program")
	}
	if opensToAll(mode) || strings.Trim(mode, "0") == "" && mode != "" || !isPlain(mode) {
		r.Found(effect.Admin, "changes the permissions of everybody: %s", showText(mode))
	}
	return data{Known: true}, true
}

func chownProgram(r *programs, sc *scope, c *call) (data, bool) {
	for i, v := range c.Got.Operands {
		if i == 0 {
			continue
		}
		r.Writes(sc, v)
		if s := r.Locate(sc, v); !s.Free && places.IsRoot(s.Abs, r.Ctx.Context) && !r.InWork(s.Abs) {
			r.Found(effect.Destroy, "changes the owner of %s", v.Shown())
		}
	}
	return data{Known: true}, true
}

func ddProgram(r *programs, sc *scope, c *call) (data, bool) {
	t := c.In.Taint
	endless, counted := false, false
	for _, v := range c.Argv[1:] {
		key, val, _ := v.Cut("=")
		switch key.Text {
		case "if":
			r.Reads(sc, val)
			t = r.Contents(sc, val)
			endless = val.Text == "/dev/zero" || val.Text == "/dev/urandom" || val.Text == "/dev/random"
		case "of":
			r.Writes(sc, val)
			r.Wrote(sc, val, data{Taint: t})
		case "count":
			counted = true
		case "skip":
			t |= fromDecoder
		}
	}
	if endless && !counted {
		r.Effect(effect.Fill)
	}
	return data{Taint: t}, true
}

// tarProgram reads tar in its three spellings of options.
func tarProgram(r *programs, sc *scope, c *call) (data, bool) {
	args := c.Argv[1:]
	if len(args) > 0 && !strings.HasPrefix(args[0].Text, "-") && args[0].Plain() {
		args = append(respellTar(args), nil...)
	}
	c.Got = parseArguments(c.Name, c.Spec, args)
	mode := tarMode(&c.Got)
	t := r.applyOptions(sc, c)
	file, hasFile := c.Got.Value("-f", "--file")
	dir, hasDir := c.Got.Value("-C", "--directory")
	switch mode {
	case 'x':
		if hasFile {
			r.Reads(sc, file)
		}
		if !hasDir {
			dir = literal(".")
		}
		if !c.Got.Has("-O", "--to-stdout") {
			r.Writes(sc, dir)
			if !hasFile || file.Text == "-" {
				r.replaces(*c.In, r.Absolute(sc, dir))
			}
			if c.In.Taint&fromNet != 0 || hasFile && r.Contents(sc, file)&fromNet != 0 {
				sc.Fetch(r.Absolute(sc, dir))
			}
		}
		return data{Taint: t | c.In.Taint | fromWork}, true
	case 't':
		r.Reads(sc, file)
		return data{Taint: fromNames}, true
	}
	inner := *sc
	if hasDir {
		inner.Cwd = r.Abs(sc, dir.Text)
	}
	for _, v := range c.Got.Operands {
		r.Reads(&inner, v)
		t |= r.Contents(&inner, v)
		if c.Got.Has("--remove-files") {
			r.Removes(&inner, v, true)
		}
	}
	if hasFile && file.Text != "-" {
		r.Writes(sc, file)
		r.Wrote(sc, file, data{Taint: t})
	}
	return data{Taint: t}, true
}
