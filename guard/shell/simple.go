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
		return r.ExecPath(sc, argv, in)
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
