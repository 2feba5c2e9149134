package shell

import (
	"mvdan.cc/sh/v3/syntax"

	"rein/guard/effect"
)

// define keeps a function. One with the name of a program takes its place unseen.
func (r *reader) define(sc *scope, f *syntax.FuncDecl) {
	if f.Name == nil {
		r.Found(effect.Unparsed, "a function without a name")
		return
	}
	switch f.Body.Cmd.(type) {
	case *syntax.Block, *syntax.Subshell, *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause, *syntax.ArithmCmd, *syntax.TestClause:
	default:
		r.Found(effect.Unparsed, "a function whose body bash does not accept")
	}
	name := f.Name.Value
	if r.Table.Find(name) != nil {
		r.Found(effect.Dynamic, "a function takes the place of %s", name)
	}
	sc.Funcs[name] = f.Body
	r.defined = append(r.defined, f.Body)
}

// maxRecursion is how many calls of a function within itself are followed exactly.
const maxRecursion = 3

func (r *reader) callFunction(sc *scope, name string, body *syntax.Stmt, args []value, in *data) data {
	rounds := 0 // calls of this function that have not ended
	for i, caller := range r.calls {
		if caller == body {
			if r.forks[body] || i < len(r.calls)-1 && r.forks[r.calls[i+1]] {
				r.Found(effect.Exhaust, "%s starts itself again and again", name)
				return data{}
			}
			rounds++
		}
	}
	switch {
	case rounds == maxRecursion: // from here on, nothing is known of what changes from call to call
		args = []value{{Text: string(anyText), Taint: joinValues(args, "").Taint | fromLost, Odd: true, Many: true}}
		sc.Forget(fromLost)
	case rounds > maxRecursion:
		return data{Taint: fromLost}
	}
	if r.forks == nil {
		r.forks = map[*syntax.Stmt]bool{}
	}
	r.forks[body] = startsProcesses(body)
	r.calls = append(r.calls, body)
	defer func() { r.calls = r.calls[:len(r.calls)-1] }()
	r.called(body)
	saved, known, from, loose := sc.Args, sc.ArgsKnown, sc.ArgsTaint, sc.ArgsLoose
	sc.SetArgs(args)
	r.locals = append(r.locals, locals{})
	out := r.stmt(sc, body, in)
	r.locals[len(r.locals)-1].Restore(sc)
	r.locals = r.locals[:len(r.locals)-1]
	sc.Args, sc.ArgsKnown, sc.ArgsTaint, sc.ArgsLoose = saved, known, from, loose
	return out
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
