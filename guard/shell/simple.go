package shell

import (
	"path"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"

	"rein/places"
)

// call is one program about to run, with what flows into it.
type call struct {
	name string  // as looked up: the last name of its path
	argv []value // argv[0] is the program as spelled
	in   *data
	spec *program
	got  parsed // the arguments, parsed by the table
}

// simple reads one simple command.
func (r *reader) simple(sc *scope, s *syntax.Stmt, c *syntax.CallExpr, in *data) data {
	saved, savedAt := r.part, r.at
	r.part = Read
	if r.top {
		r.at = [2]int{int(s.Pos().Offset()), int(s.End().Offset())}
	}
	defer func() { r.part = max(saved, r.part); r.at = savedAt }()
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			r.assign(sc, a, true)
		}
		io := r.redirect(sc, s.Redirs, in)
		return io.finish(r, sc, data{known: true})
	}
	if assignsAfter(c) {
		r.found(Unparsed, "assignments after the program, which bash reads as its arguments")
	}
	argv := r.fields(sc, c.Args)
	if len(argv) > 0 && argv[0].odd && versioned(c.Args[0], argv[0].text) {
		argv[0].odd = false
	}
	prefix := r.prefix(sc, c, argv)
	io := r.redirect(sc, s.Redirs, in)
	if isExecRedirect(argv, s.Redirs) {
		return r.keepOpen(sc, s, io)
	}
	out := io.finish(r, sc, r.exec(io.scope(prefix), argv, io.in))
	if s.Background && len(argv) > 0 {
		r.addOwnJob(sc)
	}
	if r.top && r.steps < maxSteps {
		r.notePart(s, c, argv)
	}
	r.keep(sc, prefix)
	return out
}

// versioned reports whether a program's name is written out but for the number of its version: python$v.
func versioned(w *syntax.Word, name string) bool {
	first, ok := w.Parts[0].(*syntax.Lit)
	if !ok || len(first.Value) < 2 || strings.ContainsAny(first.Value, `\/`) {
		return false
	}
	version, ok := strings.CutPrefix(name, first.Value)
	return ok && strings.Trim(version, "0123456789.-") == ""
}

// prefix reads the assignments in front of a command. They count for the command alone.
func (r *reader) prefix(sc *scope, c *syntax.CallExpr, argv []value) *scope {
	if len(c.Assigns) == 0 {
		return sc
	}
	inner := *sc
	name := ""
	if len(argv) > 0 {
		name = path.Base(argv[0].text)
	}
	for _, a := range c.Assigns {
		if a.Name != nil && a.Name.Value == "IFS" && (name == "read" || name == "mapfile" || name == "readarray") {
			r.word(sc, a.Value)
			continue
		}
		r.assign(&inner, a, false)
	}
	return &inner
}

// keep carries over what a command with a prefix changed in its shell: only builtins such as cd and functions can.
func (r *reader) keep(sc, inner *scope) {
	if sc != inner {
		sc.cwd, sc.old = inner.cwd, inner.old
	}
}

func (r *reader) addOwnJob(sc *scope) { sc.vars["!"] = holeOf(fromJob | fromNumber) }

func isExecRedirect(argv []value, redirs []*syntax.Redirect) bool {
	return len(argv) == 1 && argv[0].text == "exec" && len(redirs) > 0
}

// keepOpen reads "exec 5<>file": the redirections stay for the rest of the shell.
func (r *reader) keepOpen(sc *scope, s *syntax.Stmt, io *streams) data {
	for fd, d := range io.opens {
		sc.fds[fd] = d
	}
	if io.net {
		sc.fds["1"] = data{taint: fromSocket}
	}
	if r.top {
		r.report.Parts = append(r.report.Parts, Part{Words: []string{"exec"}, Class: r.part, Start: r.at[0], End: r.at[1]})
	}
	return data{known: true}
}

func (r *reader) notePart(s *syntax.Stmt, c *syntax.CallExpr, argv []value) {
	p := Part{Class: r.part, Start: r.at[0], End: r.at[1]}
	p.Literal = len(c.Assigns) == 0 && len(s.Redirs) == 0 && !s.Background && !s.Negated && r.joined == 0
	for _, v := range argv {
		p.Words = append(p.Words, v.shown())
		p.Literal = p.Literal && v.plain() && !v.odd
	}
	p.Literal = p.Literal && len(argv) > 0 && !argv[0].split
	r.report.Parts = append(r.report.Parts, p)
}

// exec runs a list of words as a command.
func (r *reader) exec(sc *scope, argv []value, in *data) data {
	if r.steps++; r.steps > maxSteps {
		r.found(Unparsed, "too many commands to follow")
		return data{}
	}
	if r.wraps++; r.wraps > maxWraps {
		r.wraps--
		r.found(Unparsed, "too many programs that run programs")
		return data{}
	}
	who := r.who
	defer func() { r.wraps--; r.who = who }()
	for len(argv) > 0 && argv[0].text == "" {
		r.found(Dynamic, "the program's name is empty until it runs")
		argv = argv[1:]
	}
	if len(argv) == 0 {
		return data{}
	}
	name := argv[0]
	note(&r.report.Programs, name.text)
	r.who = name.shown()
	r.noteCommand(argv)
	if !name.plain() {
		return r.unknownName(sc, argv, in)
	}
	r.spelling(name)
	if body, ok := sc.funcs[name.text]; ok {
		return r.callFunction(sc, name.text, body, argv[1:], in)
	}
	if strings.Contains(name.text, "/") {
		return r.execPath(sc, argv, in)
	}
	if name.odd {
		r.found(Dynamic, "the program's name is put together when it runs")
	}
	return r.execNamed(sc, name.text, argv, in)
}

// What is kept of a line for rules.
const (
	maxCommands = 500 // commands
	maxWords    = 64  // words of each
)

func (r *reader) noteCommand(argv []value) {
	if len(r.report.Commands) > maxCommands {
		return
	}
	words := make([]string, min(len(argv), maxWords))
	for i := range words {
		words[i] = argv[i].shown()
	}
	r.report.Commands = append(r.report.Commands, words)
}

// spelling judges how the program's name is written.
func (r *reader) spelling(name value) {
	if strings.ContainsFunc(name.text, func(c rune) bool { return c >= 0x80 && unicode.IsSpace(c) }) {
		r.found(Obfuscated, "contains a Unicode blank that the shell does not treat as a blank")
	}
	if strings.Contains(name.text, "/") {
		return
	}
	if why := oddName(name.text); why != "" {
		r.found(Obfuscated, "%s: %q", why, name.text)
	}
	if name.split {
		r.found(Dynamic, "quotes or backslashes inside a program's name")
	}
}

// execPath runs a program given by its path.
func (r *reader) execPath(sc *scope, argv []value, in *data) data {
	name := argv[0]
	s := r.locate(sc, name)
	base := path.Base(s.abs)
	if s.free {
		r.found(Dynamic, "runs a program from a directory that is not known")
		return data{}
	}
	if w, ok := sc.written[s.abs]; ok {
		return r.runWritten(sc, argv, w, in)
	}
	switch s.class {
	case places.System:
		if name.odd && !strings.HasSuffix(name.text, "/"+base) {
			r.found(Dynamic, "the program's name is put together when it runs")
		} else if name.odd {
			r.found(Dynamic, "the program's path comes from a variable")
		}
		return r.execNamed(sc, base, argv, in)
	case places.Workspace, places.Protected, places.Private:
		return r.execProject(sc, base, argv, in)
	case places.Tools:
		if r.table.find(base) != nil {
			return r.execNamed(sc, base, argv, in)
		}
		r.found(Unknown, "runs %s, which the guard does not know", name.shown())
	default:
		r.found(Exec, "runs %s from outside the workspace", name.shown())
		if r.table.find(base) != nil {
			return r.execNamed(sc, base, argv, in)
		}
	}
	r.anyArgs(sc, argv[1:])
	r.worstGuess(sc, argv[1:])
	return data{taint: in.taint | fromWork}
}

// execProject runs a program of the workspace. Interpreters of a virtual environment are judged as such.
func (r *reader) execProject(sc *scope, base string, argv []value, in *data) data {
	if spec := r.table.find(base); spec != nil && spec.local {
		return r.execNamed(sc, base, argv, in)
	}
	r.found(Build, "runs %s of the project", argv[0].shown())
	r.anyArgs(sc, argv[1:])
	if in.taint&fromSocket != 0 && sc.sent {
		r.found(Backdoor, "opens a program of the project to the network")
	}
	return data{taint: in.taint | fromWork}
}

// runWritten runs a file that the same line wrote.
func (r *reader) runWritten(sc *scope, argv []value, w written, in *data) data {
	r.runText(sc, w.data, "a file that this line writes", argv[1:])
	r.anyArgs(sc, argv[1:])
	return data{taint: in.taint | w.data.taint}
}

// execNamed runs a program of the table.
func (r *reader) execNamed(sc *scope, name string, argv []value, in *data) data {
	for _, self := range r.self() {
		if name == self {
			return r.ownProgram(argv)
		}
	}
	spec, name := r.table.lookup(name)
	if spec == nil {
		return r.execUnknown(sc, name, argv, in)
	}
	if len(argv) == 2 && asksVersion(spec, argv[1].text) {
		return data{}
	}
	c := &call{name: name, argv: argv, in: in, spec: spec}
	return r.runSpec(sc, c)
}

// asksVersion reports whether the only argument asks a program who it is.
func asksVersion(spec *program, arg string) bool {
	switch arg {
	case "--version", "--help", "-version", "--usage":
		return true
	case "version", "help", "-help":
		return spec.subs != nil && spec.class < Privilege
	case "-V":
		return spec.class < Privilege && spec.how != "wrap" && (len(spec.args) == 0 || spec.args[0].kind != "cmd")
	case "-v", "-h":
		return spec.how != "wrap" && (spec.class == Build || spec.subs != nil || spec.how == "code") && spec.class < Privilege
	}
	return false
}

func (r *reader) self() []string {
	if len(r.ctx.Self) == 0 {
		return []string{"rein"}
	}
	return r.ctx.Self
}

// ownProgram judges the harness run by the model: its approvals, modes and settings are not the model's.
func (r *reader) ownProgram(argv []value) data {
	for _, a := range argv[1:] {
		flag, _, _ := strings.Cut(a.text, "=")
		switch flag {
		case "approve", "config", "rules", "trust",
			"--mode", "--policy", "--permission-mode", "--approval-mode", "--yolo", "--allow", "--allowedTools", "--allowed-tools", "--sandbox",
			"--dangerously-skip-permissions", "--dangerously-bypass-approvals-and-sandbox":
			r.found(Tamper, "makes the harness change its own rules")
			return data{}
		}
	}
	r.found(Nested, "starts the harness within the harness")
	return data{}
}
