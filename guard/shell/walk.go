package shell

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"rein/guard/shell/bash"
	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
)

// stmts reads a list of statements and gives what they write to standard output together.
func (r *reader) stmts(sc *judge.Scope, list []*syntax.Stmt, in fact.Data) fact.Data {
	return r.list(sc, list, &in)
}

func (r *reader) list(sc *judge.Scope, list []*syntax.Stmt, in *fact.Data) fact.Data {
	out := fact.Data{Known: true}
	for i, s := range list {
		saved, known := r.Part, len(r.Report.Findings)
		r.Part = fact.Read
		out = fact.Concat(out, r.stmt(sc, s, in))
		if s.Background && i == len(list)-1 && r.Part <= fact.Write && r.builds(known) && r.depth == r.shell {
			r.Found(fact.Unknown, "leaves a process running in the background")
		}
		r.Part = max(saved, r.Part)
		if i < len(list)-1 && !r.perhapsOnly && bash.Leaves(s) {
			r.perhapsOnly = true
			rest := r.branch(sc, func(b *judge.Scope) fact.Data { return r.list(b, list[i+1:], in) })
			r.perhapsOnly = false
			return fact.Data{Taint: out.Taint | rest.Taint}
		}
	}
	return out
}

// builds reports whether one of the findings from the given one on runs code of the project: its output may go to a file.
func (r *reader) builds(from int) bool {
	return slices.ContainsFunc(r.Report.Findings[from:], func(f fact.Finding) bool { return f.Class == fact.Build })
}

// stmt reads one statement with its redirections.
func (r *reader) stmt(sc *judge.Scope, s *syntax.Stmt, in *fact.Data) fact.Data {
	if r.steps++; r.steps > maxSteps {
		r.Found(fact.Unparsed, "too many commands to follow")
		return fact.Data{}
	}
	if r.depth++; r.depth > maxDepth*4 {
		r.depth--
		r.Found(fact.Unparsed, "nested too deep")
		return fact.Data{}
	}
	defer func() { r.depth-- }()
	if s.Background || s.Coprocess {
		sc = sc.Sub()
	}
	if call, ok := s.Cmd.(*syntax.CallExpr); ok {
		return r.simple(sc, s, call, in)
	}
	io := r.redirect(sc, s.Redirs, in)
	if s.Cmd == nil {
		return io.finish(r, sc, fact.Data{Known: true})
	}
	if _, list := s.Cmd.(*syntax.BinaryCmd); !list {
		r.joined++
		defer func() { r.joined-- }()
	}
	return io.finish(r, sc, r.command(io.scope(sc), s.Cmd, io.in))
}

func (r *reader) command(sc *judge.Scope, c syntax.Command, in *fact.Data) fact.Data {
	switch c := c.(type) {
	case *syntax.BinaryCmd:
		return r.binary(sc, c, in)
	case *syntax.Subshell:
		return r.subshell(sc, c, in)
	case *syntax.Block:
		return r.list(sc, c.Stmts, in)
	case *syntax.IfClause:
		return r.ifClause(sc, c, in)
	case *syntax.WhileClause:
		return r.while(sc, c, in)
	case *syntax.ForClause:
		return r.forClause(sc, c, in)
	case *syntax.CaseClause:
		return r.caseClause(sc, c, in)
	case *syntax.FuncDecl:
		r.define(sc, c)
	case *syntax.ArithmCmd:
		r.number(sc, c.X)
	case *syntax.LetClause:
		for _, x := range c.Exprs {
			r.number(sc, x)
		}
	case *syntax.TestClause:
		r.testClause(sc, c.X)
	case *syntax.DeclClause:
		return r.declare(sc, c)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return r.stmt(sc, c.Stmt, in)
		}
	case *syntax.CoprocClause:
		r.coproc(sc, c)
	default:
		r.Found(fact.Unparsed, "a construct that the guard does not know")
	}
	return fact.Data{Known: true}
}

// binary reads a && b, a || b and a | b.
func (r *reader) binary(sc *judge.Scope, c *syntax.BinaryCmd, in *fact.Data) fact.Data {
	switch c.Op {
	case syntax.Pipe, syntax.PipeAll:
		r.joined++
		defer func() { r.joined-- }()
		out := r.stmt(sc.Sub(), c.X, in)
		return r.stmt(sc.Sub(), c.Y, &out)
	case syntax.AndStmt:
		return r.allOf(sc, bash.Chain(c), in)
	default:
		out := r.stmt(sc, c.X, in)
		alt := r.branch(sc, func(b *judge.Scope) fact.Data { return r.stmt(b, c.Y, in) })
		if alt.Known && alt.Text == "" {
			return out
		}
		return fact.Data{Taint: out.Taint | alt.Taint}
	}
}

// allOf reads a && b && c: each finds the state that the ones before it left, as it only runs where they did.
func (r *reader) allOf(sc *judge.Scope, steps []*syntax.Stmt, in *fact.Data) fact.Data {
	out := r.stmt(sc, steps[0], in)
	return fact.Concat(out, r.branch(sc, func(b *judge.Scope) fact.Data {
		rest := fact.Data{Known: true}
		for _, s := range steps[1:] {
			rest = fact.Concat(rest, r.stmt(b, s, in))
		}
		return rest
	}))
}

func (r *reader) subshell(sc *judge.Scope, c *syntax.Subshell, in *fact.Data) fact.Data {
	for _, s := range c.Stmts {
		if s.Background && s == c.Stmts[len(c.Stmts)-1] {
			saved := r.Part
			r.Part = fact.Read
			out := r.list(sc.Sub(), c.Stmts, in)
			if r.Part >= fact.Build {
				r.Found(fact.Unknown, "leaves a process running in the background")
			}
			r.Part = max(r.Part, saved)
			return out
		}
	}
	return r.list(sc.Sub(), c.Stmts, in)
}

// branch reads what may or may not run, and merges the state that it leaves with the state before.
func (r *reader) branch(sc *judge.Scope, run func(*judge.Scope) fact.Data) fact.Data {
	b := sc.Sub()
	out := run(b)
	r.merge(sc, b)
	return out
}

// merge makes the state after a branch that may not have run. Where both agree, or where either is as harmless as
// the other, the branch's stays; else the value is unknown from here on.
func (r *reader) merge(sc, b *judge.Scope) {
	switch {
	case sc.Cwd == b.Cwd:
	case sc.Cwd == "" || b.Cwd == "":
		sc.Cwd = ""
	case !r.InWork(sc.Cwd): // the place where more can go wrong is the one to judge by
	default:
		sc.Cwd = b.Cwd
	}
	sc.Old = b.Old
	for name, v := range b.Vars {
		before, ok := sc.Vars[name]
		switch {
		case ok && before.Text != v.Text:
			v = worse(before, v)
		case !ok:
			v.Unsure = true
		}
		sc.Vars[name] = v
	}
	for name := range sc.Vars {
		if _, ok := b.Vars[name]; !ok { // it is unset, or an array
			sc.Vars[name] = fact.HoleOf(sc.Vars[name].Taint | fact.FromLost)
		}
	}
	for name, a := range b.Arrays {
		if before, ok := sc.Arrays[name]; ok && !before.Equal(a) {
			a = judge.LostArray(a.Taint | fact.FromLost)
		}
		sc.Arrays[name] = a
		delete(sc.Vars, name)
	}
	for name, f := range b.Funcs {
		if before, ok := sc.Funcs[name]; ok && before != f {
			f = either(before, f)
		}
		sc.Funcs[name] = f
	}
	maps.Copy(sc.Fds, b.Fds)
	switch {
	case !sc.ArgsKnown && b.ArgsKnown && sc.ArgsTaint&fact.FromLost == 0: // there were none that the command line gives
		sc.SetArgs(slices.Clone(b.Args))
		for i := range sc.Args {
			sc.Args[i].Unsure = true
		}
	case !sc.ArgsKnown, !b.ArgsKnown, !slices.EqualFunc(sc.Args, b.Args, func(x, y fact.Value) bool { return x.Text == y.Text }):
		sc.ArgsKnown = false
		sc.ArgsTaint |= b.ArgsTaint | fact.FromLost
	}
	sc.NoBraces, sc.NoGlobs = sc.NoBraces && b.NoBraces, sc.NoGlobs && b.NoGlobs
}

// either is a function that is one of two: both are read.
func either(a, b *syntax.Stmt) *syntax.Stmt {
	return &syntax.Stmt{Cmd: &syntax.Block{Stmts: []*syntax.Stmt{a, b}}}
}

// worse is the value of a variable that may have either of two values. The one that can do more harm counts; where both
// can, nothing is known.
func worse(a, b fact.Value) fact.Value {
	switch {
	case isNumber(a.Text) && isNumber(b.Text), a.Text == string(fact.Hole) && (a.Taint|b.Taint)&^fact.FromNumber == 0 && (isNumber(b.Text) || b.Text == a.Text),
		isNumber(a.Text) && b.Text == string(fact.Hole) && b.Taint == fact.FromNumber:
		return fact.HoleOf(fact.FromNumber)
	case harmless(a) && harmless(b):
		return fact.Value{Text: string(fact.Hole), Taint: a.Taint | b.Taint | fact.FromNames, Odd: true, Unsure: true}
	case harmless(a) && b.Known():
		b.Unsure = true
		return b
	case harmless(b) && a.Known():
		a.Unsure = true
		return a
	}
	return fact.HoleOf(a.Taint | b.Taint | fact.FromLost)
}

// harmless values are plain names that stay where the command is.
func harmless(v fact.Value) bool {
	return v.Plain() && !strings.ContainsAny(v.Text, "/~* \t\n?[:") && !strings.HasPrefix(v.Text, "-") && v.Text != ".." && v.Text != "."
}

func (r *reader) ifClause(sc *judge.Scope, c *syntax.IfClause, in *fact.Data) fact.Data {
	out := fact.Data{Known: true}
	for ; c != nil; c = c.Else {
		out = fact.Concat(out, r.list(sc, c.Cond, in))
		then := r.branch(sc, func(b *judge.Scope) fact.Data { return r.list(b, c.Then, in) })
		if then.Known && then.Text == "" {
			continue
		}
		out = fact.Data{Taint: out.Taint | then.Taint}
	}
	return out
}

func (r *reader) caseClause(sc *judge.Scope, c *syntax.CaseClause, in *fact.Data) fact.Data {
	r.word(sc, c.Word)
	var t fact.Taint
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			r.word(sc, p)
		}
		t |= r.branch(sc, func(b *judge.Scope) fact.Data { return r.list(b, item.Stmts, in) }).Taint
	}
	return fact.Data{Taint: t}
}

// testClause reads [[ … ]].
func (r *reader) testClause(sc *judge.Scope, x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr: // numbers: subscripts are evaluated
			for _, side := range []syntax.TestExpr{x.X, x.Y} {
				if w, ok := side.(*syntax.Word); ok {
					r.evaluate(sc, r.word(sc, w))
				}
			}
		}
		r.testClause(sc, x.X)
		r.testClause(sc, x.Y)
	case *syntax.UnaryTest:
		if w, ok := x.X.(*syntax.Word); ok && (x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar) {
			r.nameArgument(sc, r.word(sc, w))
		}
		r.testClause(sc, x.X)
	case *syntax.ParenTest:
		r.testClause(sc, x.X)
	case *syntax.Word:
		r.word(sc, x)
	}
}
