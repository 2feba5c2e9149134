package shell

import (
	"mvdan.cc/sh/v3/syntax"

	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
)

// define keeps a function. One with the name of a program takes its place unseen.
func (r *reader) define(sc *judge.Scope, f *syntax.FuncDecl) {
	if f.Name == nil {
		r.Found(fact.Unparsed, "a function without a name")
		return
	}
	switch f.Body.Cmd.(type) {
	case *syntax.Block, *syntax.Subshell, *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause, *syntax.ArithmCmd, *syntax.TestClause:
	default:
		r.Found(fact.Unparsed, "a function whose body bash does not accept")
	}
	name := f.Name.Value
	if r.Table.Find(name) != nil {
		r.Found(fact.Dynamic, "a function takes the place of %s", name)
	}
	sc.Funcs[name] = f.Body
	r.defined = append(r.defined, f.Body)
}

func (r *reader) callFunction(sc *judge.Scope, name string, body *syntax.Stmt, args []fact.Value, in *fact.Data) fact.Data {
	for i, caller := range r.calls {
		if caller == name {
			if r.forks[name] || i < len(r.calls)-1 && r.forks[r.calls[i+1]] {
				r.Found(fact.Exhaust, "%s starts itself again and again", name)
			}
			return fact.Data{}
		}
	}
	if r.forks == nil {
		r.forks = map[string]bool{}
	}
	r.forks[name] = branches(body)
	r.calls = append(r.calls, name)
	defer func() { r.calls = r.calls[:len(r.calls)-1] }()
	r.called(body)
	saved, known := sc.Args, sc.ArgsKnown
	sc.Args, sc.ArgsKnown = args, true
	out := r.stmt(sc, body, in)
	sc.Args, sc.ArgsKnown = saved, known
	return out
}

// branches reports whether a function starts processes beside itself.
func branches(body *syntax.Stmt) bool {
	found := false
	syntax.Walk(body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			found = found || n.Background
		case *syntax.BinaryCmd:
			found = found || n.Op == syntax.Pipe || n.Op == syntax.PipeAll
		}
		return !found
	})
	return found
}

// called takes a function off the list of those that nobody calls.
func (r *reader) called(body *syntax.Stmt) {
	for i, b := range r.defined {
		if b == body {
			r.defined = append(r.defined[:i], r.defined[i+1:]...)
			return
		}
	}
}
