package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"rein/guard/effect"
)

// stmts reads a list of statements and returns what they write to standard output together.
func (r *reader) stmts(sc *scope, list []*syntax.Stmt, in data) data {
	return r.list(sc, list, &in)
}

func (r *reader) list(sc *scope, list []*syntax.Stmt, in *data) data {
	out := data{Known: true}
	var exits []*scope // the states in which the list may end before its end
	for i, s := range list {
		saved := r.Part
		r.Part = effect.Read
		one := r.stmt(sc, s, in)
		if len(exits) > 0 {
			out = eitherData(out, concatData(out, one))
		} else {
			out = concatData(out, one)
		}
		if s.Background && i == len(list)-1 && r.Part <= effect.Write && r.depth == r.shell && runsPath(s) {
			r.Found(effect.Unknown, "leaves a program of the project running in the background")
		}
		r.Part = max(saved, r.Part)
		if i < len(list)-1 && !r.tired() && mayLeave(s) {
			r.steps += 1 + (len(sc.Vars)+len(sc.Arrays))>>4
			exits = append(exits, sc.Sub())
		}
	}
	for _, e := range exits {
		r.Merge(sc, e)
	}
	return out
}

// stmt reads one statement with its redirections.
func (r *reader) stmt(sc *scope, s *syntax.Stmt, in *data) data {
	if r.steps++; r.tired() {
		r.Found(effect.Unparsed, "too many commands to follow")
		return data{}
	}
	if r.depth++; r.depth > maxDepth*4 {
		r.depth--
		r.Found(effect.Unparsed, "nested too deep")
		return data{}
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
		return io.finish(r, sc, data{Known: true})
	}
	if _, list := s.Cmd.(*syntax.BinaryCmd); !list {
		r.joined++
		defer func() { r.joined-- }()
	}
	return io.finish(r, sc, r.command(io.scope(sc), s.Cmd, io.in))
}

func (r *reader) command(sc *scope, c syntax.Command, in *data) data {
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
		r.evaluates(sc, c.X)
	case *syntax.LetClause:
		for _, x := range c.Exprs {
			r.evaluates(sc, x)
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
		r.Found(effect.Unparsed, "a construct that the guard does not know")
	}
	return data{Known: true}
}

// binary reads a && b, a || b and a | b.
func (r *reader) binary(sc *scope, c *syntax.BinaryCmd, in *data) data {
	switch c.Op {
	case syntax.Pipe, syntax.PipeAll:
		begins := boolInt(!filters(c.Y))
		r.joined += begins
		out := r.stmt(sc.Sub(), c.X, in)
		r.joined += 1 - begins
		defer func() { r.joined-- }()
		return r.stmt(sc.Sub(), c.Y, &out)
	case syntax.AndStmt:
		return r.allOf(sc, splitChain(c), in)
	default:
		out := r.stmt(sc, c.X, in)
		alt := r.branch(sc, func(b *scope) data { return r.stmt(b, c.Y, in) })
		return eitherData(out, concatData(out, alt))
	}
}

// filters reports whether a pipe leads only to programs that look at text: then a rule may cover what begins it, into which nothing comes.
func filters(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		return len(c.Args) > 0 && slices.Contains(filterPrograms, c.Args[0].Lit())
	case *syntax.BinaryCmd:
		return (c.Op == syntax.Pipe || c.Op == syntax.PipeAll) && filters(c.X) && filters(c.Y)
	}
	return false
}

var filterPrograms = []string{"cat", "column", "cut", "egrep", "fgrep", "grep", "head", "jq", "less", "nl", "rg", "sort", "tac", "tail", "tee", "tr", "uniq", "wc"}

// allOf reads a && b && c: each finds the state that the ones before it left, as it only runs where they did.
func (r *reader) allOf(sc *scope, steps []*syntax.Stmt, in *data) data {
	out := r.stmt(sc, steps[0], in)
	r.branch(sc, func(b *scope) data {
		sure := cannotFail(steps[0])
		for _, s := range steps[1:] {
			next := concatData(out, r.stmt(b, s, in))
			if !sure {
				next = eitherData(out, next)
			}
			out, sure = next, sure && cannotFail(s)
		}
		return out
	})
	return out
}

func (r *reader) subshell(sc *scope, c *syntax.Subshell, in *data) data {
	for _, s := range c.Stmts {
		if s.Background && s == c.Stmts[len(c.Stmts)-1] {
			saved := r.Part
			r.Part = effect.Read
			out := r.list(sc.Sub(), c.Stmts, in)
			if r.Part >= effect.Build {
				r.Found(effect.Unknown, "leaves a process running in the background")
			}
			r.Part = max(r.Part, saved)
			return out
		}
	}
	return r.list(sc.Sub(), c.Stmts, in)
}

// branch reads what may or may not run, and merges the state that it leaves with the state before.
func (r *reader) branch(sc *scope, run func(*scope) data) data {
	b := sc.Sub()
	out := run(b)
	r.Merge(sc, b)
	return out
}

func (r *reader) ifClause(sc *scope, c *syntax.IfClause, in *data) data {
	out := r.list(sc, c.Cond, in)
	then := sc.Sub()
	one := concatData(out, r.list(then, c.Then, in))
	other := out
	switch {
	case c.Else == nil:
	case len(c.Else.Cond) == 0:
		other = concatData(out, r.list(sc, c.Else.Then, in))
	default:
		other = concatData(out, r.ifClause(sc, c.Else, in))
	}
	r.Merge(sc, then)
	return eitherData(one, other)
}

func (r *reader) caseClause(sc *scope, c *syntax.CaseClause, in *data) data {
	r.word(sc, c.Word)
	out := data{Known: true}
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			r.word(sc, p)
		}
		one := r.branch(sc, func(b *scope) data { return r.list(b, item.Stmts, in) })
		out = eitherData(out, concatData(out, one)) // with ;& the next one follows
	}
	return out
}

// testClause reads [[ … ]].
func (r *reader) testClause(sc *scope, x syntax.TestExpr) {
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
