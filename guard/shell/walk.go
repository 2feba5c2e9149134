package shell

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

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
		r.arithm(sc, c.X)
	case *syntax.LetClause:
		for _, x := range c.Exprs {
			r.arithm(sc, x)
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
		return r.allOf(sc, chain(c), in)
	default:
		out := r.stmt(sc, c.X, in)
		alt := r.branch(sc, func(b *judge.Scope) fact.Data { return r.stmt(b, c.Y, in) })
		if alt.Known && alt.Text == "" {
			return out
		}
		return fact.Data{Taint: out.Taint | alt.Taint}
	}
}

// chain takes a && b && c apart.
func chain(c *syntax.BinaryCmd) []*syntax.Stmt {
	x := c.X
	if left, ok := x.Cmd.(*syntax.BinaryCmd); ok && left.Op == syntax.AndStmt && !x.Negated && !x.Background && len(x.Redirs) == 0 {
		return append(chain(left), c.Y)
	}
	return []*syntax.Stmt{x, c.Y}
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
		if ok && before.Text != v.Text {
			v = worse(before, v)
		}
		sc.Vars[name] = v
	}
	maps.Copy(sc.Arrays, b.Arrays)
	maps.Copy(sc.Funcs, b.Funcs)
	maps.Copy(sc.Fds, b.Fds)
	sc.Args, sc.ArgsKnown = b.Args, b.ArgsKnown
}

// worse picks of two values that a variable may have the one that can do more harm; unknown where both can.
func worse(a, b fact.Value) fact.Value {
	switch {
	case harmless(a) && b.Known():
		return b
	case harmless(b) && a.Known():
		return a
	}
	return fact.HoleOf(a.Taint | b.Taint | fact.FromVariable)
}

// harmless values are plain names that stay where the command is.
func harmless(v fact.Value) bool {
	return v.Plain() && !strings.ContainsAny(v.Text, "/~") && !strings.HasPrefix(v.Text, "-") && v.Text != ".." && v.Text != "."
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

const maxRounds = 256 // of one loop that reads known lines

func (r *reader) while(sc *judge.Scope, c *syntax.WhileClause, in *fact.Data) fact.Data {
	out := fact.Data{Known: true}
	if !c.Until && endless(c.Cond, "true", ":") || c.Until && endless(c.Cond, "false") {
		return r.withoutEnd(sc, c.Do, in)
	}
	for range maxRounds {
		before := *in
		out = fact.Concat(out, r.list(sc, c.Cond, in))
		body := r.branch(sc, func(b *judge.Scope) fact.Data { return r.list(b, c.Do, in) })
		out = fact.Data{Taint: out.Taint | body.Taint}
		if !in.Known || in.Text == "" || in.Text == before.Text || r.steps > maxSteps {
			return out
		}
	}
	r.Found(fact.Unparsed, "a loop over too many lines to follow")
	return out
}

func (r *reader) forClause(sc *judge.Scope, c *syntax.ForClause, in *fact.Data) fact.Data {
	out := fact.Data{Known: true}
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		if loop, ok := c.Loop.(*syntax.CStyleLoop); ok {
			for _, x := range []syntax.ArithmExpr{loop.Init, loop.Cond, loop.Post} {
				if x != nil {
					r.arithm(sc, x)
				}
			}
		}
		if loop, ok := c.Loop.(*syntax.CStyleLoop); ok && loop.Cond == nil {
			return r.withoutEnd(sc, c.Do, in)
		}
		return fact.Data{Taint: r.list(sc, c.Do, in).Taint}
	}
	items := sc.Args
	if iter.InPos.IsValid() {
		items = r.fields(sc, iter.Items)
	} else if !sc.ArgsKnown {
		items = []fact.Value{fact.HoleOf(fact.FromArgument)}
	}
	for _, v := range fewer(items) {
		if r.steps > maxSteps {
			break
		}
		sc.Vars[iter.Name.Value] = v
		out = fact.Concat(out, r.list(sc, c.Do, in))
	}
	return out
}

// fewer makes numbers one unknown number: a loop over 1..500 does the same thing 500 times.
func fewer(items []fact.Value) []fact.Value {
	var out []fact.Value
	numbers := false
	for _, v := range items {
		if v.Text != "" && strings.Trim(v.Text, "0123456789") == "" {
			numbers = true
			continue
		}
		out = append(out, v)
	}
	if numbers {
		out = append(out, fact.HoleOf(fact.FromNumber))
	}
	return out
}

// testClause reads [[ … ]].
func (r *reader) testClause(sc *judge.Scope, x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr: // numbers: subscripts are evaluated
			for _, side := range []syntax.TestExpr{x.X, x.Y} {
				if w, ok := side.(*syntax.Word); ok {
					r.hiddenSubscript(r.word(sc, w).Text)
				}
			}
		}
		r.testClause(sc, x.X)
		r.testClause(sc, x.Y)
	case *syntax.UnaryTest:
		if w, ok := x.X.(*syntax.Word); ok && (x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar) {
			r.hiddenSubscript(r.word(sc, w).Text)
		}
		r.testClause(sc, x.X)
	case *syntax.ParenTest:
		r.testClause(sc, x.X)
	case *syntax.Word:
		r.word(sc, x)
	}
}
