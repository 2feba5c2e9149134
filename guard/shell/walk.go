package shell

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// stmts reads a list of statements and gives what they write to standard output together.
func (r *reader) stmts(sc *scope, list []*syntax.Stmt, in data) data {
	return r.list(sc, list, &in)
}

func (r *reader) list(sc *scope, list []*syntax.Stmt, in *data) data {
	out := data{known: true}
	for i, s := range list {
		saved, known := r.part, len(r.report.Findings)
		r.part = Read
		out = concat(out, r.stmt(sc, s, in))
		if s.Background && i == len(list)-1 && r.part <= Write && r.builds(known) && r.depth == r.shell {
			r.found(Unknown, "leaves a process running in the background")
		}
		r.part = max(saved, r.part)
	}
	return out
}

// builds reports whether one of the findings from the given one on runs code of the project: its output may go to a file.
func (r *reader) builds(from int) bool {
	return slices.ContainsFunc(r.report.Findings[from:], func(f Finding) bool { return f.Class == Build })
}

func concat(a, b data) data {
	switch {
	case a.known && b.known:
		return textData(a.text+b.text, a.taint|b.taint)
	default:
		return data{taint: a.taint | b.taint}
	}
}

// stmt reads one statement with its redirections.
func (r *reader) stmt(sc *scope, s *syntax.Stmt, in *data) data {
	if r.steps++; r.steps > maxSteps {
		r.found(Unparsed, "too many commands to follow")
		return data{}
	}
	if r.depth++; r.depth > maxDepth*4 {
		r.depth--
		r.found(Unparsed, "nested too deep")
		return data{}
	}
	defer func() { r.depth-- }()
	if s.Background || s.Coprocess {
		sc = sc.sub()
	}
	if call, ok := s.Cmd.(*syntax.CallExpr); ok {
		return r.simple(sc, s, call, in)
	}
	io := r.redirect(sc, s.Redirs, in)
	if s.Cmd == nil {
		return io.finish(r, sc, data{known: true})
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
		r.found(Unparsed, "a construct that the guard does not know")
	}
	return data{known: true}
}

// binary reads a && b, a || b and a | b.
func (r *reader) binary(sc *scope, c *syntax.BinaryCmd, in *data) data {
	switch c.Op {
	case syntax.Pipe, syntax.PipeAll:
		r.joined++
		defer func() { r.joined-- }()
		out := r.stmt(sc.sub(), c.X, in)
		return r.stmt(sc.sub(), c.Y, &out)
	case syntax.AndStmt:
		return r.allOf(sc, chain(c), in)
	default:
		out := r.stmt(sc, c.X, in)
		alt := r.branch(sc, func(b *scope) data { return r.stmt(b, c.Y, in) })
		if alt.known && alt.text == "" {
			return out
		}
		return data{taint: out.taint | alt.taint}
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
func (r *reader) allOf(sc *scope, steps []*syntax.Stmt, in *data) data {
	out := r.stmt(sc, steps[0], in)
	return concat(out, r.branch(sc, func(b *scope) data {
		rest := data{known: true}
		for _, s := range steps[1:] {
			rest = concat(rest, r.stmt(b, s, in))
		}
		return rest
	}))
}

func (r *reader) subshell(sc *scope, c *syntax.Subshell, in *data) data {
	for _, s := range c.Stmts {
		if s.Background && s == c.Stmts[len(c.Stmts)-1] {
			saved := r.part
			r.part = Read
			out := r.list(sc.sub(), c.Stmts, in)
			if r.part >= Build {
				r.found(Unknown, "leaves a process running in the background")
			}
			r.part = max(r.part, saved)
			return out
		}
	}
	return r.list(sc.sub(), c.Stmts, in)
}

// branch reads what may or may not run, and merges the state that it leaves with the state before.
func (r *reader) branch(sc *scope, run func(*scope) data) data {
	b := sc.sub()
	out := run(b)
	r.merge(sc, b)
	return out
}

// merge makes the state after a branch that may not have run. Where both agree, or where either is as harmless as
// the other, the branch's stays; else the value is unknown from here on.
func (r *reader) merge(sc, b *scope) {
	switch {
	case sc.cwd == b.cwd:
	case sc.cwd == "" || b.cwd == "":
		sc.cwd = ""
	case !r.inWork(sc.cwd): // the place where more can go wrong is the one to judge by
	default:
		sc.cwd = b.cwd
	}
	sc.old = b.old
	for name, v := range b.vars {
		before, ok := sc.vars[name]
		if ok && before.text != v.text {
			v = worse(before, v)
		}
		sc.vars[name] = v
	}
	maps.Copy(sc.arrays, b.arrays)
	maps.Copy(sc.funcs, b.funcs)
	maps.Copy(sc.fds, b.fds)
	sc.args, sc.argsKnown = b.args, b.argsKnown
}

// worse picks of two values that a variable may have the one that can do more harm; unknown where both can.
func worse(a, b value) value {
	switch {
	case harmless(a) && b.known():
		return b
	case harmless(b) && a.known():
		return a
	}
	return holeOf(a.taint | b.taint | fromVariable)
}

// harmless values are plain names that stay where the command is.
func harmless(v value) bool {
	return v.plain() && !strings.ContainsAny(v.text, "/~") && !strings.HasPrefix(v.text, "-") && v.text != ".." && v.text != "."
}

func (r *reader) ifClause(sc *scope, c *syntax.IfClause, in *data) data {
	out := data{known: true}
	for ; c != nil; c = c.Else {
		out = concat(out, r.list(sc, c.Cond, in))
		then := r.branch(sc, func(b *scope) data { return r.list(b, c.Then, in) })
		if then.known && then.text == "" {
			continue
		}
		out = data{taint: out.taint | then.taint}
	}
	return out
}

func (r *reader) caseClause(sc *scope, c *syntax.CaseClause, in *data) data {
	r.word(sc, c.Word)
	var t taint
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			r.word(sc, p)
		}
		t |= r.branch(sc, func(b *scope) data { return r.list(b, item.Stmts, in) }).taint
	}
	return data{taint: t}
}

const maxRounds = 256 // of one loop that reads known lines

func (r *reader) while(sc *scope, c *syntax.WhileClause, in *data) data {
	out := data{known: true}
	if !c.Until && endless(c.Cond, "true", ":") || c.Until && endless(c.Cond, "false") {
		return r.withoutEnd(sc, c.Do, in)
	}
	for range maxRounds {
		before := *in
		out = concat(out, r.list(sc, c.Cond, in))
		body := r.branch(sc, func(b *scope) data { return r.list(b, c.Do, in) })
		out = data{taint: out.taint | body.taint}
		if !in.known || in.text == "" || in.text == before.text || r.steps > maxSteps {
			return out
		}
	}
	r.found(Unparsed, "a loop over too many lines to follow")
	return out
}

func (r *reader) forClause(sc *scope, c *syntax.ForClause, in *data) data {
	out := data{known: true}
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
		return data{taint: r.list(sc, c.Do, in).taint}
	}
	items := sc.args
	if iter.InPos.IsValid() {
		items = r.fields(sc, iter.Items)
	} else if !sc.argsKnown {
		items = []value{holeOf(fromArgument)}
	}
	for _, v := range fewer(items) {
		if r.steps > maxSteps {
			break
		}
		sc.vars[iter.Name.Value] = v
		out = concat(out, r.list(sc, c.Do, in))
	}
	return out
}

// fewer makes numbers one unknown number: a loop over 1..500 does the same thing 500 times.
func fewer(items []value) []value {
	var out []value
	numbers := false
	for _, v := range items {
		if v.text != "" && strings.Trim(v.text, "0123456789") == "" {
			numbers = true
			continue
		}
		out = append(out, v)
	}
	if numbers {
		out = append(out, holeOf(fromNumber))
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
					r.hiddenSubscript(r.word(sc, w).text)
				}
			}
		}
		r.testClause(sc, x.X)
		r.testClause(sc, x.Y)
	case *syntax.UnaryTest:
		if w, ok := x.X.(*syntax.Word); ok && (x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar) {
			r.hiddenSubscript(r.word(sc, w).text)
		}
		r.testClause(sc, x.X)
	case *syntax.ParenTest:
		r.testClause(sc, x.X)
	case *syntax.Word:
		r.word(sc, x)
	}
}
