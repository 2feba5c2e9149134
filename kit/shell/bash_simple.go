package shell

import (
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"

	"rein/guard/effect"
)

// simple reads one simple command.
func (r *reader) simple(sc *scope, s *syntax.Stmt, c *syntax.CallExpr, in *data) data {
	saved, savedAt := r.Part, r.At
	r.Part = effect.Read
	if r.top {
		r.At = [2]int{int(s.Pos().Offset()), int(s.End().Offset())}
	}
	defer func() { r.Part = max(saved, r.Part); r.At = savedAt }()
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			r.assign(sc, a, true)
		}
		io := r.redirect(sc, s.Redirs, in)
		return io.finish(r, sc, data{Known: true})
	}
	if assignsAfter(c) {
		r.Found(effect.Unparsed, "assignments after the program, which bash reads as its arguments")
	}
	var argv []value
	before := sc
	if mayChangeVariables(c.Args) { // the words change variables: other readings begin with what they were
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
	if len(argv) > 0 && argv[0].Odd && isVersionedName(c.Args[0], argv[0].Text) {
		argv[0].Odd = false
	}
	if len(argv) == 0 {
		r.Found(effect.Dynamic, "the program's name is empty until it runs")
	}
	prefix := r.prefix(sc, c, argv)
	io := r.redirect(sc, s.Redirs, in)
	if isExecRedirect(argv, s.Redirs) {
		return r.keepOpen(sc, io)
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
		out = eitherData(out, r.inReading(other, s, c, again))
		other.EndReading(names)
		r.Merge(sc, other)
	}
	return out
}

// prefix reads the assignments in front of a command. They count for the command alone.
func (r *reader) prefix(sc *scope, c *syntax.CallExpr, argv []value) *scope {
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
func (r *reader) keep(sc, inner *scope, prefix []*syntax.Assign) {
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

func (r *reader) addOwnJob(sc *scope) {
	sc.Vars["!"] = holeOf(fromJob | fromNumber)
}

func isExecRedirect(argv []value, redirs []*syntax.Redirect) bool {
	return len(argv) == 1 && argv[0].Text == "exec" && len(redirs) > 0
}

// keepOpen reads "exec 5<>file": the redirections stay for the rest of the shell.
func (r *reader) keepOpen(sc *scope, io *streams) data {
	maps.Copy(sc.Fds, io.opens)
	sc.Aside = sc.Aside || io.gone || io.aside
	if io.net {
		sc.Fds["1"] = data{Taint: fromSocket}
	}
	if r.top {
		r.Report.Parts = append(r.Report.Parts, effect.Part{Words: []string{"exec"}, Class: r.Part, Start: r.At[0], End: r.At[1]})
	}
	return data{Known: true}
}

func (r *reader) notePart(s *syntax.Stmt, c *syntax.CallExpr, argv []value) {
	p := effect.Part{Class: r.Part, Start: r.At[0], End: r.At[1]}
	p.Literal = len(c.Assigns) == 0 && !slices.ContainsFunc(s.Redirs, redirects) && !s.Background && !s.Negated && r.joined == 0
	for _, v := range argv {
		p.Words = append(p.Words, v.Shown())
		p.Literal = p.Literal && v.Plain() && !v.Odd
	}
	p.Literal = p.Literal && len(argv) > 0 && !argv[0].Split
	r.Report.Parts = append(r.Report.Parts, p)
}

// redirects reports whether a redirection changes more than which of the two outputs is which, or whether they are seen: not 2>&1, 2>/dev/null.
func redirects(to *syntax.Redirect) bool {
	word := to.Word.Lit()
	switch to.Op {
	case syntax.DplOut:
		return word != "1" && word != "2"
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrIn:
		return word != "/dev/null"
	}
	return true
}

// Exec runs a list of words as a command.
func (r *reader) Exec(sc *scope, argv []value, in *data) data {
	if r.steps++; r.tired() {
		r.Found(effect.Unparsed, "too many commands to follow")
		return data{}
	}
	if r.wraps++; r.wraps > maxWraps {
		r.wraps--
		r.Found(effect.Unparsed, "too many programs that run programs")
		return data{}
	}
	who := r.Who
	defer func() { r.wraps--; r.Who = who }()
	for len(argv) > 0 && argv[0].Text == "" {
		r.Found(effect.Dynamic, "the program's name is empty until it runs")
		argv = argv[1:]
	}
	if len(argv) == 0 {
		return data{}
	}
	name := argv[0]
	note(&r.Report.Programs, name.Text)
	r.Who = name.Shown()
	r.noteCommand(argv)
	if name.Plain() && name.Unsure {
		r.Found(effect.Dynamic, "the program may be %s or another one", name.Shown())
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
		r.Found(effect.Dynamic, "the program's name is put together when it runs")
	}
	return r.ExecNamed(sc, name.Text, argv, in)
}

// What is kept of a line for rules.
const (
	maxCommands = 500 // commands
	maxWords    = 64  // words of each
)

func (r *reader) noteCommand(argv []value) {
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
func (r *reader) spelling(name value) {
	if strings.ContainsFunc(name.Text, func(c rune) bool { return c >= 0x80 && unicode.IsSpace(c) }) {
		r.Found(effect.Obfuscated, "contains a Unicode blank that the shell does not treat as a blank")
	}
	if strings.Contains(name.Text, "/") {
		return
	}
	if why := oddName(name.Text); why != "" {
		r.Found(effect.Obfuscated, "%s: %q", why, name.Text)
	}
	if name.Split {
		r.Found(effect.Dynamic, "quotes or backslashes inside a program's name")
	}
}
