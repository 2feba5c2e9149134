package shell

import (
	"strings"

	"rein/places"
)

// runSpec judges a program of the table.
func (r *reader) runSpec(sc *scope, c *call) data {
	c.got = arguments(c.spec, c.argv[1:])
	spec := c.got.spec
	if c.got.asksHelp(c.spec) {
		return data{}
	}
	r.effect(c.got.base())
	if !spec.flat && (spec.how == "" || spec.how == "language") {
		r.tasks(sc, c)
	}
	how := spec.how
	if c.spec.how == "git" {
		how = "git"
	}
	if how != "" {
		if out, done := r.handle(how, sc, c); done {
			if c.got.spec.class >= Build || how == "code" {
				r.unnamedOptions(sc, c)
			}
			return out
		}
	}
	return r.apply(sc, c)
}

// base is the effect of the program apart from its words. A flag that makes it lighter (--list, --dry-run, --staged)
// counts instead of it; what flags add is added later.
func (p *parsed) base() Class {
	spec := p.spec
	c := spec.class
	switch {
	case spec.how == "script-name" && len(p.operands) == 0 && p.has("-e", "--eval", "-p", "--print"): // bun -e
		c = Build
	case p.unlisted && spec.unknown != nil:
		c = *spec.unknown
		if c < Exec && len(p.operands) > 0 && localVerb(p.operands[0].text, c) {
			c = Build
		}
	case spec.bare != nil && len(p.operands) == 0 && len(p.options) == 0:
		c = *spec.bare
	}
	for _, o := range p.options {
		if o.known && !o.takes && o.role.kind == "class" && o.role.class < c {
			c = o.role.class
		}
	}
	return c
}

// asksHelp reports whether a sub-command is only asked what it does: "terraform apply --help", "aws s3 help". Programs
// that run others, or that may hand the option on, are left out.
func (p *parsed) asksHelp(root *program) bool {
	if root.subs == nil || root.runner || p.spec.class >= Privilege || p.spec.how == "script-name" {
		return false
	}
	help := false
	for _, o := range p.options {
		if o.takes {
			return false
		}
		help = help || o.name == "--help" || o.name == "-help" || o.name == "-h" && root.goStyle
	}
	if len(p.operands) == 1 && p.operands[0].text == "help" {
		return p.spec.class != Build || p.unlisted && len(p.options) == 0
	}
	return help && len(p.operands) == 0
}

// apply judges options and operands by their roles, and gives what flows out.
func (r *reader) apply(sc *scope, c *call) data {
	t := c.in.taint &^ fromInput
	t |= r.applyOptions(sc, c)
	t |= r.applyOperands(sc, c.got.spec, c.got.operands, c.in)
	return r.output(sc, c, t)
}

func (r *reader) applyOptions(sc *scope, c *call) taint {
	var t taint
	r.unnamedOptions(sc, c)
	for _, o := range c.got.options {
		switch {
		case o.known && o.takes:
			t |= r.apply1(sc, o.role, o.value, c.got.operands)
		case o.known:
			r.effect(o.role.class)
		case o.takes:
			r.anyArg(sc, o.value)
		case len(o.value.text) > 2 && strings.ContainsAny(o.value.text, "/~"):
			r.anyArg(sc, o.value)
		}
	}
	return t
}

func (r *reader) applyOperands(sc *scope, spec *program, operands []value, in *data) taint {
	var t taint
	for i, v := range operands {
		ro := role{kind: "any"}
		if len(spec.args) > 0 {
			ro = spec.args[min(i, len(spec.args)-1)]
		}
		if spec.last != nil && i == len(operands)-1 && i > 0 {
			ro = *spec.last
		}
		if ro.kind == "task-or-cmd" && r.namedScript(sc, operands[i:]) {
			return t | fromWork
		}
		if ro.kind == "cmd" || ro.kind == "task-or-cmd" {
			if o, takes, _ := spec.option(v.text); takes && o.kind == "shell" && i+1 < len(operands) {
				return t | r.text(sc, operands[i+1], nil).taint // flock FILE -c LINE
			}
			return t | r.exec(sc, operands[i:], in).taint
		}
		t |= r.apply1(sc, ro, v, operands[i+1:])
	}
	return t
}

// apply1 judges one word by its role and gives the taint of what it brings.
func (r *reader) apply1(sc *scope, ro role, v value, rest []value) taint {
	if v.proc != nil && ro.kind != "script" {
		return v.proc.taint
	}
	if len(v.text) > 1 && v.text[0] == '|' && isShellText(v.text) {
		switch ro.kind {
		case "read", "any", "write", "edit", "project", "into", "source":
			r.found(Exec, "a file's name that is a command: %s", v.shown())
			r.text(sc, v.with(v.text[1:]), nil)
			return v.taint
		}
	}
	switch ro.kind {
	case "read":
		r.reads(sc, v)
		return r.contents(sc, v)
	case "list":
		return r.lists(sc, v)
	case "write", "into":
		r.writes(sc, v)
		r.wrote(sc, v, data{taint: fromWork})
	case "edit":
		r.reads(sc, v)
		r.writes(sc, v)
	case "delete":
		r.removes(sc, v, false)
	case "tree":
		r.removes(sc, v, true)
	case "move":
		r.moves(sc, v)
	case "script":
		r.script(sc, v, rest)
	case "project", "settings":
		r.project(sc, v)
	case "shell":
		r.text(sc, v, nil)
	case "classpath":
		for _, part := range strings.Split(v.text, ":") {
			r.project(sc, v.with(part))
			if s := r.locate(sc, v.with(part)); part != "" && s.class == places.Temp {
				r.found(Exec, "loads code from %s", show(part))
			}
		}
	case "source":
		if strings.HasPrefix(v.text, "http://") || strings.HasPrefix(v.text, "https://") {
			r.effect(Network)
			return r.url(sc, v)
		}
		r.anyArg(sc, v)
	case "cargo-setting":
		r.cargoSetting(sc, v)
	case "ini":
		r.phpSetting(v)
	case "library":
		r.library1(sc, v)
	case "program":
		if !r.tameProgram(v) {
			r.effect(Exec)
		}
		r.text(sc, v.with(strings.TrimPrefix(v.text, "exec=")), nil) // as tar's checkpoints spell it
	case "head":
		r.effect(Exec)
		r.exec(sc, append([]value{v}, rest...), &data{known: true})
	case "url":
		return r.url(sc, v)
	case "upload":
		r.reads(sc, v)
		r.sends(r.contents(sc, v), "to the network")
	case "assign":
		if name, val, ok := v.cut("="); ok {
			r.environment(sc, name.text, val)
		}
	case "any":
		r.anyArg(sc, v)
	case "class":
		r.effect(ro.class)
		r.anyArg(sc, v)
	}
	return v.taint
}

// lists judges the listing of a directory: names are less than contents.
func (r *reader) lists(sc *scope, v value) taint {
	s := r.locate(sc, v)
	switch {
	case !s.free && (s.class == places.Private || s.class == places.Settings && !v.plain()):
		return fromNames
	case !s.free && s.class == places.Secret && r.inHome(s.abs):
		r.found(Private, "lists %s", v.shown())
		return fromNames | fromOutside
	}
	r.reads(sc, v)
	switch {
	case s.free:
		return fromNames | v.taint
	case s.class == places.Workspace, s.class == places.Protected, s.class == places.Temp, s.class == places.System, s.class == places.Tools:
		return fromNames
	}
	return fromNames | fromOutside
}

// moves judges that a file goes away from where it is.
func (r *reader) moves(sc *scope, v value) {
	s := r.locate(sc, v)
	if !s.free && (s.class == places.Workspace || s.class == places.Temp) && !places.IsRoot(s.abs, r.ctx.Context) {
		note(&r.report.Removes, s.abs)
		r.effect(Write)
		return
	}
	if !s.free && r.inHome(s.abs) && s.class == places.Secret {
		r.reads(sc, v)
	}
	r.removes(sc, v, true)
}

// script judges the running of a program text.
func (r *reader) script(sc *scope, v value, args []value) {
	if v.proc != nil {
		r.runText(sc, *v.proc, "a process substitution", args)
		return
	}
	s := r.locate(sc, v)
	if w, ok := sc.written[s.abs]; ok {
		r.runText(sc, w.data, "a file that this line writes", args)
		return
	}
	if s.free || s.loose {
		r.found(Dynamic, "runs a script that is not known before it runs: %s", v.shown())
		return
	}
	switch s.class {
	case places.Workspace, places.Protected:
		r.found(Build, "runs %s of the project", v.shown())
	case places.Tools, places.System:
		r.found(Build, "runs the installed %s", v.shown())
	case places.Private, places.Secret:
		r.reads(sc, v)
	default:
		r.found(Exec, "runs %s from outside the workspace", v.shown())
	}
}

// project judges a directory or file that gives instructions to a build tool.
func (r *reader) project(sc *scope, v value) {
	s := r.locate(sc, v.with(strings.TrimPrefix(v.text, "@")))
	switch {
	case s.free:
		r.found(Dynamic, "builds a path that is not known: %s", v.shown())
	case s.class == places.Workspace, s.class == places.Protected:
	case s.class == places.System, s.class == places.Tools, s.class == places.Sink:
	default:
		r.found(Exec, "takes its instructions from %s, outside the workspace", v.shown())
		r.reads(sc, v)
	}
}

// classWhy describes in general what an effect is.
var classWhy = [classes]string{
	Env: "prints the environment", Own: "controls its own processes", Build: "runs the project's own code",
	Write: "changes files of the workspace", Commit: "changes the local history", Delete: "removes files or history of the workspace",
	Network: "contacts the network", Install: "downloads and runs other people's packages", OutsideRead: "reads outside the workspace",
	Unknown: "does something that the guard cannot predict", Container: "uses the container daemon", Configured: "runs a program that the repository's settings name", Signal: "signals processes that may not be its own",
	Fill: "may fill the disk", Publish: "publishes work", Unparsed: "is not understood", Dynamic: "runs code that is not known before it runs",
	Exec: "runs another program by an option", OutsideWrite: "changes things outside the workspace", Config: "changes files that later programs trust",
	Wipe: "removes an unknown number of files", Admin: "administers the machine", Private: "may show credentials",
	Upload: "sends local data away", RemoteChange: "changes or destroys shared things", RemoteShell: "opens a channel to another machine",
	RemoteCode: "runs code from the network", Nested: "starts another agent", Foreign: "is a destructive command of another system",
	Exhaust: "stops or exhausts the machine", SecretRead: "reads credentials", Exfil: "sends secrets away",
	Obfuscated: "hides what it does", Privilege: "takes the rights of another user", Backdoor: "opens a shell to the network",
	Tamper: "changes or stops the harness", Destroy: "destroys what belongs to the machine",
}

// effect notes an effect with its general words.
func (r *reader) effect(c Class) {
	if c == Read {
		return
	}
	r.found(c, "%s", classWhy[c])
}

// output describes what flows out of a program.
func (r *reader) output(sc *scope, c *call, t taint) data {
	switch c.got.spec.out {
	case "none", "text":
		return data{taint: t & (fromPrivate | fromSecret | fromNet | fromSocket)}
	case "number":
		return data{taint: fromNumber}
	case "names":
		return data{taint: t&^fromInput | fromNames}
	case "decode":
		return data{taint: t | fromDecoder}
	case "jobs":
		return data{taint: fromJob | fromNumber}
	case "endless":
		return data{taint: fromEndless}
	case "env":
		return data{taint: t | fromEnv}
	case "net":
		return data{taint: t | fromNet}
	case "socket":
		return data{taint: t | fromSocket}
	case "daemon":
		return data{taint: t | fromDaemon}
	case "pass":
		if c.in.known && len(c.got.operands) == 0 {
			return *c.in
		}
	}
	if len(c.got.operands) == 0 && c.in.known && t == c.in.taint {
		return data{taint: t}
	}
	return data{taint: t | fromWork&boolTaint(c.got.spec.class >= Build)}
}

func boolTaint(b bool) taint {
	if b {
		return ^taint(0)
	}
	return 0
}
