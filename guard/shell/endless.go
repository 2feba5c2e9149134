package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
)

// withoutEnd reads the body of a loop that only its body can end. One that neither ends nor waits fills the disk with
// what it writes, or the machine with what it leaves running.
func (r *reader) withoutEnd(sc *judge.Scope, body []*syntax.Stmt, in *fact.Data) fact.Data {
	saved := r.Part
	r.Part = fact.Read
	out := r.again(sc, func() fact.Data {
		return r.branch(sc, func(b *judge.Scope) fact.Data { return r.list(b, body, in) })
	}, true)
	ends, leaves := false, false
	for _, s := range body {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Word:
				return false
			case *syntax.Stmt:
				leaves = leaves || n.Background
			case *syntax.CallExpr:
				if len(n.Args) > 0 {
					ends = ends || slices.Contains([]string{"break", "exit", "return", "sleep", "read", "wait", "kill", "inotifywait", "entr"}, n.Args[0].Lit())
				}
			}
			return true
		})
	}
	switch {
	case ends:
	case leaves:
		r.Found(fact.Exhaust, "starts programs without end")
	case r.Part == fact.Write:
		r.Found(fact.Fill, "writes without end")
	}
	r.Part = max(saved, r.Part)
	return fact.Data{Taint: out.Taint}
}
