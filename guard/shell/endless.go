package shell

import (
	"mvdan.cc/sh/v3/syntax"

	"rein/guard/shell/bash"
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
	ends, leaves := bash.Stops(body)
	switch {
	case ends:
	case leaves:
		r.Found(fact.Exhaust, "starts programs without end")
	case r.Part == fact.Write:
		r.Found(fact.Fill, "writes without end")
	}
	r.Part = max(saved, r.Part)
	return out.Lost()
}
