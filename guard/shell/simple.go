package shell

import (
	"maps"
	"path"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"

	"rein/guard/shell/bash"
	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
	"rein/guard/shell/table"
	"rein/places"
)

// simple reads one simple command.
func (r *reader) simple(sc *judge.Scope, s *syntax.Stmt, c *syntax.CallExpr, in *fact.Data) fact.Data {
	saved, savedAt := r.Part, r.At
	r.Part = fact.Read
	if r.top {
		r.At = [2]int{int(s.Pos().Offset()), int(s.End().Offset())}
	}
	defer func() { r.Part = max(saved, r.Part); r.At = savedAt }()
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			r.assign(sc, a, true)
		}
		io := r.redirect(sc, s.Redirs, in)
		return io.finish(r, sc, fact.Data{Known: true})
	}
	if bash.AssignsAfter(c) {
		r.Found(fact.Unparsed, "assignments after the program, which bash reads as its arguments")
	}
	var argv []fact.Value
	before := sc
	if bash.Counts(c.Args) { // the words change variables: other readings begin with what they were
		before = sc.Sub()
	}
	names := r.InDoubt(func() { argv = r.fields(sc, c.Args) })
	for _, n := range names {
		if _, ok := before.Vars[n]; !ok { // the output of a substitution
			before.Vars[n] = sc.Vars[n]
		}
	}
	others, again := r.Readings(before, names), *in
	if r.Rereading && len(names) > 0 {
		argv = r.fields(sc, c.Args)
	}
	sc.EndReading(names)
	if len(argv) > 0 && argv[0].Odd && bash.Versioned(c.Args[0], argv[0].Text) {
		argv[0].Odd = false
	}
	if len(argv) == 0 {
		r.Found(fact.Dynamic, "the program's name is empty until it runs")
	}
	prefix := r.prefix(sc, c, argv)
	io := r.redirect(sc, s.Redirs, in)
	if isExecRedirect(argv, s.Redirs) {
		return r.keepOpen(sc, s, io)
	}
	out := io.finish(r, sc, r.Exec(io.scope(prefix), argv, io.in))
	if s.Background && len(argv) > 0 {
		r.addOwnJob(sc)
	}
	if r.top && r.steps < maxSteps {
		r.notePart(s, c, argv)
	}
	r.keep(sc, prefix, c.Assigns)
	for _, other := range others {
		out = fact.EitherData(out, r.inReading(other, s, c, again))
		other.EndReading(names)
		r.Merge(sc, other)
	}
	return out
}

// prefix reads the assignments in front of a command. They count for the command alone.
func (r *reader) prefix(sc *judge.Scope, c *syntax.CallExpr, argv []fact.Value) *judge.Scope {
	if len(c.Assigns) == 0 {
		return sc
	}
	inner := *sc
	r.Work += len(sc.Vars)
	inner.Vars, inner.Exported = maps.Clone(sc.Vars), maps.Clone(sc.Exported)
	name := ""
	if len(argv) > 0 {
		name = path.Base(argv[0].Text)
	}
	for _, a := range c.Assigns {
		if a.Name != nil && a.Name.Value == "IFS" && (name == "read" || name == "mapfile" || name == "readarray") {
			inner.Vars["IFS"] = r.word(sc, a.Value)
			continue
		}
		r.assign(&inner, a, false)
	}
	return &inner
}

// keep carries over what a command with a prefix changed in its shell, as builtins and functions can. The variables of the
// prefix have their old values again.
func (r *reader) keep(sc, inner *judge.Scope, prefix []*syntax.Assign) {
	if sc == inner {
		return
	}
	before, sent, exported := sc.Vars, sc.Sent, sc.Exported
	*sc = *inner
	sc.Sent, sc.Exported = sent, exported
	for _, a := range prefix {
		if a.Name == nil {
			continue
		}
		if v, ok := before[a.Name.Value]; ok {
			sc.Vars[a.Name.Value] = v
		} else {
			delete(sc.Vars, a.Name.Value)
		}
	}
	sc.Bared, sc.Unedited = false, false
}

func (r *reader) addOwnJob(sc *judge.Scope) {
	sc.Vars["!"] = fact.HoleOf(fact.FromJob | fact.FromNumber)
}

func isExecRedirect(argv []fact.Value, redirs []*syntax.Redirect) bool {
	return len(argv) == 1 && argv[0].Text == "exec" && len(redirs) > 0
}

// keepOpen reads "exec 5<>file": the redirections stay for the rest of the shell.
func (r *reader) keepOpen(sc *judge.Scope, s *syntax.Stmt, io *streams) fact.Data {
	for fd, d := range io.opens {
		sc.Fds[fd] = d
	}
	sc.Aside = sc.Aside || io.gone || io.aside
	if io.net {
		sc.Fds["1"] = fact.Data{Taint: fact.FromSocket}
	}
	if r.top {
		r.Report.Parts = append(r.Report.Parts, fact.Part{Words: []string{"exec"}, Class: r.Part, Start: r.At[0], End: r.At[1]})
	}
	return fact.Data{Known: true}
}

func (r *reader) notePart(s *syntax.Stmt, c *syntax.CallExpr, argv []fact.Value) {
	p := fact.Part{Class: r.Part, Start: r.At[0], End: r.At[1]}
	p.Literal = len(c.Assigns) == 0 && len(s.Redirs) == 0 && !s.Background && !s.Negated && r.joined == 0
	for _, v := range argv {
		p.Words = append(p.Words, v.Shown())
		p.Literal = p.Literal && v.Plain() && !v.Odd
	}
	p.Literal = p.Literal && len(argv) > 0 && !argv[0].Split
	r.Report.Parts = append(r.Report.Parts, p)
}

// Exec runs a list of words as a command.
func (r *reader) Exec(sc *judge.Scope, argv []fact.Value, in *fact.Data) fact.Data {
	if r.steps++; r.tired() {
		r.Found(fact.Unparsed, "too many commands to follow")
		return fact.Data{}
	}
	if r.wraps++; r.wraps > maxWraps {
		r.wraps--
		r.Found(fact.Unparsed, "too many programs that run programs")
		return fact.Data{}
	}
	who := r.Who
	defer func() { r.wraps--; r.Who = who }()
	for len(argv) > 0 && argv[0].Text == "" {
		r.Found(fact.Dynamic, "the program's name is empty until it runs")
		argv = argv[1:]
	}
	if len(argv) == 0 {
		return fact.Data{}
	}
	name := argv[0]
	fact.Note(&r.Report.Programs, name.Text)
	r.Who = name.Shown()
	r.noteCommand(argv)
	if name.Plain() && name.Unsure {
		r.Found(fact.Dynamic, "the program may be %s or another one", name.Shown())
		r.WorstGuess(sc, argv[1:])
	}
	if !name.Plain() {
		return r.unknownName(sc, argv, in)
	}
	r.spelling(name)
	if body, ok := sc.Funcs[name.Text]; ok {
		return r.callFunction(sc, name.Text, body, argv[1:], in)
	}
	if strings.Contains(name.Text, "/") {
		return r.execPath(sc, argv, in)
	}
	if name.Odd {
		r.Found(fact.Dynamic, "the program's name is put together when it runs")
	}
	return r.ExecNamed(sc, name.Text, argv, in)
}

// What is kept of a line for rules.
const (
	maxCommands = 500 // commands
	maxWords    = 64  // words of each
)

func (r *reader) noteCommand(argv []fact.Value) {
	if len(r.Report.Commands) > maxCommands {
		return
	}
	words := make([]string, min(len(argv), maxWords))
	for i := range words {
		words[i] = argv[i].Shown()
	}
	r.Report.Commands = append(r.Report.Commands, words)
}

// spelling judges how the program's name is written.
func (r *reader) spelling(name fact.Value) {
	if strings.ContainsFunc(name.Text, func(c rune) bool { return c >= 0x80 && unicode.IsSpace(c) }) {
		r.Found(fact.Obfuscated, "contains a Unicode blank that the shell does not treat as a blank")
	}
	if strings.Contains(name.Text, "/") {
		return
	}
	if why := fact.OddName(name.Text); why != "" {
		r.Found(fact.Obfuscated, "%s: %q", why, name.Text)
	}
	if name.Split {
		r.Found(fact.Dynamic, "quotes or backslashes inside a program's name")
	}
}

// execPath runs a program given by its path.
func (r *reader) execPath(sc *judge.Scope, argv []fact.Value, in *fact.Data) fact.Data {
	name := argv[0]
	s := r.Locate(sc, name)
	base := path.Base(s.Abs)
	if s.Free {
		r.Found(fact.Dynamic, "runs a program from a directory that is not known")
		return fact.Data{}
	}
	if w, ok := sc.Written[s.Abs]; ok && w.As != "" {
		r.Found(fact.Dynamic, "runs a copy of %s under another name", w.As)
		return r.ExecNamed(sc, w.As, argv, in)
	} else if ok {
		return r.runWritten(sc, argv, w, in)
	}
	switch s.Class {
	case places.System:
		if name.Odd && !strings.HasSuffix(name.Text, "/"+base) {
			r.Found(fact.Dynamic, "the program's name is put together when it runs")
		} else if name.Odd {
			r.Found(fact.Dynamic, "the program's path comes from a variable")
		}
		return r.ExecNamed(sc, base, argv, in)
	case places.Workspace, places.Protected, places.Private:
		return r.execProject(sc, base, argv, in)
	case places.Tools:
		if r.Table.Find(base) != nil {
			return r.ExecNamed(sc, base, argv, in)
		}
		r.Found(fact.Unknown, "runs %s, which the guard does not know", name.Shown())
	default:
		r.Found(fact.Exec, "runs %s from outside the workspace", name.Shown())
		if r.Table.Find(base) != nil {
			return r.ExecNamed(sc, base, argv, in)
		}
	}
	r.AnyArgs(sc, argv[1:])
	r.WorstGuess(sc, argv[1:])
	return fact.Data{Taint: in.Taint | fact.FromWork}
}

// execProject runs a program of the workspace. Interpreters of a virtual environment are judged as such.
func (r *reader) execProject(sc *judge.Scope, base string, argv []fact.Value, in *fact.Data) fact.Data {
	if spec := r.Table.Find(base); spec != nil && spec.Local {
		return r.ExecNamed(sc, base, argv, in)
	}
	if sc.HasFetched(r.Absolute(sc, argv[0])) {
		r.Found(fact.RemoteCode, "runs %s, which this line may have downloaded", argv[0].Shown())
	}
	r.Found(fact.Build, "runs %s of the project", argv[0].Shown())
	r.AnyArgs(sc, argv[1:])
	if in.Taint&fact.FromSocket != 0 && sc.Sent {
		r.Found(fact.Backdoor, "opens a program of the project to the network")
	}
	return fact.Data{Taint: in.Taint | fact.FromWork}
}

// runWritten runs a file that the same line wrote.
func (r *reader) runWritten(sc *judge.Scope, argv []fact.Value, w judge.Written, in *fact.Data) fact.Data {
	r.RunText(sc, w.Data, "a file that this line writes", argv[1:])
	r.AnyArgs(sc, argv[1:])
	return fact.Data{Taint: in.Taint | w.Data.Taint}
}

// ExecNamed runs a program of the table.
func (r *reader) ExecNamed(sc *judge.Scope, name string, argv []fact.Value, in *fact.Data) fact.Data {
	for _, self := range r.Self() {
		if name == self {
			return r.ownProgram(argv)
		}
	}
	spec, name := r.Table.Lookup(name)
	if spec == nil {
		return r.execUnknown(sc, name, argv, in)
	}
	if len(argv) == 2 && spec.AsksVersion(argv[1].Text) {
		return fact.Data{}
	}
	c := &table.Call{Name: name, Argv: argv, In: in, Spec: spec}
	return r.RunSpec(sc, c)
}

// ownProgram judges the harness run by the model: its approvals, modes and settings are not the model's.
func (r *reader) ownProgram(argv []fact.Value) fact.Data {
	for _, a := range argv[1:] {
		flag, _, _ := strings.Cut(a.Text, "=")
		switch flag {
		case "approve", "config", "rules", "trust",
			"--mode", "--policy", "--permission-mode", "--approval-mode", "--yolo", "--allow", "--allowedTools", "--allowed-tools", "--sandbox",
			"--dangerously-skip-permissions", "--dangerously-bypass-approvals-and-sandbox":
			r.Found(fact.Tamper, "makes the harness change its own rules")
			return fact.Data{}
		}
	}
	r.Found(fact.Nested, "starts the harness within the harness")
	return fact.Data{}
}
