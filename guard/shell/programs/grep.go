package programs

import (
	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
	"rein/guard/shell/table"
)

// grepProgram reads grep and similar commands. The first operand is the pattern, unless an option gives it.
func grepProgram(r *Programs, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	t := c.In.Taint &^ fact.FromInput
	t |= r.applyOptions(sc, c)
	ops := c.Got.Operands
	given := c.Got.Has("-e", "--regexp", "-f", "--file", "--files", "--type-list") || c.DeepLong("--regexp") || c.DeepLong("--file")
	if !given && len(ops) > 0 {
		t |= ops[0].Taint &^ fact.FromWork
		ops = ops[1:]
	}
	outside := false
	for _, v := range ops {
		r.reads1(sc, v)
		from := r.Contents(sc, v)
		outside = outside || from&^fact.FromWork != 0
		t |= from
	}
	if c.Got.Has("-l", "-L", "--files-with-matches", "--files-without-match", "--files") && !outside {
		return fact.Data{Taint: t&^fact.FromWork | fact.FromNames}, true
	}
	if len(ops) == 0 && !c.In.Known && c.In.Taint&^fact.Tame == 0 && c.In.Taint != 0 {
		return fact.Data{Taint: c.In.Taint}, true // lines of a list of names
	}
	return fact.Data{Taint: t | fact.FromWork}, true
}

// reads1 judges an operand that is a file to read, or what a process substitution gives.
func (r *Programs) reads1(sc *judge.Scope, v fact.Value) {
	if v.Proc == nil {
		r.Reads(sc, v)
	}
}
