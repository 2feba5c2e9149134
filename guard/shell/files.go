package shell

import (
	"path"
	"strings"

	"rein/places"
)

func rmProgram(r *reader, sc *scope, c *call) (data, bool) {
	deep := c.got.has("-r", "-R", "-d") || c.deepLong("--recursive")
	for _, v := range c.got.operands {
		r.removes(sc, v, deep)
	}
	return data{known: true}, true
}

// deepLong recognises a long option however much it is shortened.
func (c *call) deepLong(full string) bool {
	for _, o := range c.got.options {
		if len(o.name) >= 4 && strings.HasPrefix(full, o.name) {
			return true
		}
	}
	return false
}

// lnProgram reads ln: a link to somewhere else is a door.
func lnProgram(r *reader, sc *scope, c *call) (data, bool) {
	ops := c.got.operands
	dir, ok := c.got.value("-t", "--target-directory")
	if !ok && len(ops) > 1 {
		dir, ops = ops[len(ops)-1], ops[:len(ops)-1]
		ok = true
	}
	if ok {
		r.writes(sc, dir)
	}
	at := r.linkScope(sc, c, dir, len(ops))
	for _, v := range ops {
		s := r.locate(at, v)
		switch {
		case s.free:
			r.found(OutsideWrite, "makes a link to a path that is not known: %s", v.shown())
		case s.class == places.Workspace, s.class == places.Temp, s.class == places.System, s.class == places.Tools,
			s.class == places.Protected, s.class == places.Sink:
		case s.class == places.Private:
			r.found(Private, "links to %s", v.shown())
		default:
			r.found(OutsideWrite, "makes a link to %s, outside the workspace", v.shown())
		}
		note(&r.report.Reads, s.abs)
	}
	return data{known: true}, true
}

// linkScope is where the target of a symbolic link is looked for: a relative one counts from the directory of the link.
// Whether the last word names the link or a directory to put it in is not known: what climbs higher is taken.
func (r *reader) linkScope(sc *scope, c *call, link value, targets int) *scope {
	abs := r.absolute(sc, link)
	if !c.got.has("-s", "--symbolic") || c.got.has("-r", "--relative") || abs == "" {
		return sc
	}
	inner := *sc
	inner.cwd = path.Dir(abs)
	if targets != 1 || strings.HasSuffix(link.text, "/") || strings.HasSuffix(link.text, ".") || c.got.has("-t", "--target-directory") {
		inner.cwd = abs
	}
	return &inner
}

// copyProgram reads cp, install and mv: into which file or directory, and what of.
func copyProgram(r *reader, sc *scope, c *call) (data, bool) {
	ops := c.got.operands
	from := "read"
	if c.name == "mv" {
		from = "move"
	}
	dir, named := c.got.value("-t", "--target-directory")
	if !named && len(ops) > 1 {
		dir, ops = ops[len(ops)-1], ops[:len(ops)-1]
	} else if !named {
		dir = value{}
	}
	if c.name == "install" && c.got.has("-d") {
		ops = append(ops, dir)
		for _, v := range ops {
			r.writes(sc, v)
		}
		return data{known: true}, true
	}
	var t taint
	for _, v := range ops {
		t |= r.apply1(sc, role{kind: from}, v, nil)
		r.intoDir(sc, dir, v)
	}
	if dir.text != "" {
		r.writes(sc, dir)
		r.wrote(sc, dir, data{taint: t})
	}
	if mode, ok := c.got.value("-m", "--mode"); ok && setsID(mode.text) {
		r.found(Admin, "sets the rights of another user on a program")
	}
	return data{known: true}, true
}

// intoDir judges the name that a file gets when it is put into a directory: evil.yml in .github/workflows/, .env in ".".
func (r *reader) intoDir(sc *scope, dir, file value) {
	if dir.text == "" || file.text == "" {
		return
	}
	base := baseName(strings.TrimSuffix(file.text, "/"))
	target := dir.with(strings.TrimSuffix(dir.text, "/") + "/" + base)
	if s := r.locate(sc, target); !s.free && s.class == places.Settings {
		r.writes(sc, target)
	} else if !s.free && s.class == places.Protected && (dir.text == "." || strings.HasSuffix(dir.text, "/")) {
		r.writes(sc, target)
	}
}

func setsID(mode string) bool {
	if len(mode) == 4 && strings.Trim(mode, "01234567") == "" {
		return mode[0] != '0' && mode[0] != '1'
	}
	return strings.Contains(mode, "s") && strings.ContainsAny(mode, "+=")
}

func opensToAll(mode string) bool {
	if strings.Trim(mode, "01234567") == "" && mode != "" {
		return strings.ContainsAny(mode[len(mode)-1:], "2367")
	}
	for _, part := range strings.Split(mode, ",") {
		who, what, ok := strings.Cut(part, "+")
		if !ok {
			who, what, ok = strings.Cut(part, "=")
		}
		if ok && strings.ContainsAny(who, "ao") && strings.Contains(what, "w") {
			return true
		}
	}
	return false
}

func chmodProgram(r *reader, sc *scope, c *call) (data, bool) {
	var ops []value
	mode := ""
	for _, v := range c.argv[1:] {
		switch {
		case mode == "" && strings.HasPrefix(v.text, "-") && strings.Trim(v.text[1:], "rwxXst") == "" && len(v.text) > 1:
			mode = v.text
		case strings.HasPrefix(v.text, "-"):
			if _, after, ok := v.cut("="); ok && strings.HasPrefix(v.text, "--ref") {
				mode = "reference"
				r.reads(sc, after)
			}
		case mode == "":
			mode = v.text
		default:
			ops = append(ops, v)
		}
	}
	for _, v := range ops {
		r.writes(sc, v)
		if s := r.locate(sc, v); !s.free && places.IsRoot(s.abs, r.ctx.Context) && !r.inWork(s.abs) {
			r.found(Destroy, "changes the rights of %s", v.shown())
		}
	}
	if setsID(mode) {
		r.found(Admin, "sets the rights of another user on a program")
	}
	if opensToAll(mode) || strings.Trim(mode, "0") == "" && mode != "" || !isPlain(mode) {
		r.found(Admin, "changes the permissions of everybody: %s", show(mode))
	}
	return data{known: true}, true
}

func isPlain(s string) bool { return !strings.ContainsAny(s, unknowns) }

func chownProgram(r *reader, sc *scope, c *call) (data, bool) {
	for i, v := range c.got.operands {
		if i == 0 {
			continue
		}
		r.writes(sc, v)
		if s := r.locate(sc, v); !s.free && places.IsRoot(s.abs, r.ctx.Context) && !r.inWork(s.abs) {
			r.found(Destroy, "changes the owner of %s", v.shown())
		}
	}
	return data{known: true}, true
}

func ddProgram(r *reader, sc *scope, c *call) (data, bool) {
	t := c.in.taint
	endless, counted := false, false
	for _, v := range c.argv[1:] {
		key, val, _ := v.cut("=")
		switch key.text {
		case "if":
			r.reads(sc, val)
			t = r.contents(sc, val)
			endless = val.text == "/dev/zero" || val.text == "/dev/urandom" || val.text == "/dev/random"
		case "of":
			r.writes(sc, val)
			r.wrote(sc, val, data{taint: t})
		case "count":
			counted = true
		case "skip":
			t |= fromDecoder
		}
	}
	if endless && !counted {
		r.effect(Fill)
	}
	return data{taint: t}, true
}

// tarProgram reads tar in its three spellings of options.
func tarProgram(r *reader, sc *scope, c *call) (data, bool) {
	args := c.argv[1:]
	if len(args) > 0 && !strings.HasPrefix(args[0].text, "-") && args[0].plain() {
		args = append(oldTar(args), nil...)
	}
	c.got = arguments(c.spec, args)
	mode := tarMode(&c.got)
	t := r.applyOptions(sc, c)
	file, hasFile := c.got.value("-f", "--file")
	dir, hasDir := c.got.value("-C", "--directory")
	switch mode {
	case 'x':
		if hasFile {
			r.reads(sc, file)
		}
		if !hasDir {
			dir = literal(".")
		}
		if !c.got.has("-O", "--to-stdout") {
			r.writes(sc, dir)
		}
		return data{taint: t | c.in.taint | fromWork}, true
	case 't':
		r.reads(sc, file)
		return data{taint: fromNames}, true
	}
	inner := *sc
	if hasDir {
		inner.cwd = r.abs(sc, dir.text)
	}
	for _, v := range c.got.operands {
		r.reads(&inner, v)
		t |= r.contents(&inner, v)
		if c.got.has("--remove-files") {
			r.removes(&inner, v, true)
		}
	}
	if hasFile && file.text != "-" {
		r.writes(sc, file)
		r.wrote(sc, file, data{taint: t})
	}
	return data{taint: t}, true
}

// oldTar spells "xzf a.tar" as "-x -z -f a.tar".
func oldTar(args []value) []value {
	var flags, values []value
	rest := args[1:]
	for _, letter := range args[0].text {
		flags = append(flags, literal("-"+string(letter)))
		if strings.ContainsRune("fCbHIKLNTVX", letter) && len(rest) > 0 {
			flags = append(flags, rest[0])
			rest = rest[1:]
		}
	}
	return append(append(flags, values...), rest...)
}

func tarMode(p *parsed) byte {
	for _, o := range p.options {
		switch {
		case o.name == "-x" || o.name == "--extract" || o.name == "--get":
			return 'x'
		case o.name == "-t" || o.name == "--list":
			return 't'
		case o.name == "-d" || o.name == "--diff" || o.name == "--compare":
			return 't'
		}
	}
	return 'c'
}

// uniqProgram reads uniq and similar commands: the second operand is written.
func uniqProgram(r *reader, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	t := c.in.taint
	for i, v := range c.got.operands {
		if i == 0 {
			r.reads(sc, v)
			t |= r.contents(sc, v)
			continue
		}
		r.writes(sc, v)
	}
	return data{taint: t}, true
}

// catProgram passes its input through, or files.
func catProgram(r *reader, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	if len(c.got.operands) == 0 {
		return *c.in, true
	}
	out := data{known: true}
	endless := false
	for _, v := range c.got.operands {
		if v.text == "-" {
			out = concat(out, *c.in)
			continue
		}
		if v.proc != nil {
			out = concat(out, *v.proc)
			continue
		}
		endless = endless || v.text == "/dev/zero" || v.text == "/dev/urandom" || v.text == "/dev/random"
		out = concat(out, r.readData(sc, v))
	}
	if endless {
		out.taint |= fromEndless
	}
	return out, true
}

// filterProgram passes known input through where nothing is done to it that matters: tee, head, tail without files.
func filterProgram(r *reader, sc *scope, c *call) (data, bool) {
	t := r.applyOptions(sc, c)
	if c.name == "tee" {
		for _, v := range c.got.operands {
			if v.proc == nil {
				r.writes(sc, v)
				r.wrote(sc, v, *c.in)
			}
		}
		return *c.in, true
	}
	t |= r.applyOperands(sc, c.got.spec, c.got.operands, c.in)
	if c.name == "tail" {
		if n, ok := c.got.value("-c", "--bytes"); ok && strings.HasPrefix(n.text, "+") {
			t |= fromDecoder
		}
	}
	if len(c.got.operands) > 0 {
		return data{taint: t &^ fromEndless}, true
	}
	if c.in.known && strings.Count(c.in.text, "\n") <= 1 && !c.got.has("-c", "--bytes") {
		return *c.in, true
	}
	return data{taint: (t | c.in.taint) &^ fromEndless}, true
}
