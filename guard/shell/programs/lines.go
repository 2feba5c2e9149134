package programs

import (
	"strings"

	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
	"rein/guard/shell/table"
)

// dcProgram reads dc: a line that begins with ! is one for a shell.
func dcProgram(r *Programs, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	texts := []fact.Value{c.In.AsValue()}
	for _, o := range c.Got.Options {
		if o.Name == "-e" || o.Name == "--expression" {
			texts = append(texts, o.Value)
		}
	}
	for _, v := range texts {
		if _, cmd, ok := v.Cut("!"); ok && !strings.ContainsAny(cmd.Text[:min(1, len(cmd.Text))], "<>=") {
			r.Found(fact.Exec, "dc runs a command")
			r.Shell.Text(sc, cmd, nil)
		}
	}
	return fact.Data{}, false
}

// linesProgram reads concurrently and hyperfine: each operand is a line for a shell, or names a script of the project. Where the
// operands together look like one command, they are judged as that, too.
func linesProgram(r *Programs, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	r.applyOptions(sc, c)
	if ops := c.Got.Operands; len(ops) > 1 && !strings.ContainsAny(ops[0].Text, " :;|&") {
		r.Shell.Exec(sc, ops, c.In)
		r.Effect(fact.Build)
		return fact.Data{Taint: fact.FromWork}, true
	}
	for _, v := range c.Got.Operands {
		runner, name, ok := strings.Cut(v.Text, ":")
		switch runner {
		case "npm", "pnpm", "yarn", "bun", "node", "deno":
			if ok && !strings.ContainsAny(name, " ;|&") {
				r.target(v.With(name))
				continue
			}
		}
		r.Shell.Text(sc, v, nil)
	}
	return fact.Data{Taint: fact.FromWork}, true
}

// bucketProgram reads copies from and to a bucket: upwards is publishing, downwards a download.
func bucketProgram(r *Programs, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	r.applyOptions(sc, c)
	ops := c.Got.Operands
	if len(ops) < 2 {
		return fact.Data{Taint: fact.FromNet}, true
	}
	from, to := ops[0], ops[1]
	if c.Got.Has("--delete") || c.Got.Spec.Name == "mv" && isBucket(from) {
		r.Effect(fact.RemoteChange)
	}
	if isBucket(to) || !to.Known() {
		r.Effect(fact.Publish)
	}
	if isBucket(from) {
		if to.Text != "-" && !isBucket(to) {
			r.Writes(sc, to)
			r.Wrote(sc, to, fact.Data{Taint: fact.FromNet})
		}
		return fact.Data{Taint: fact.FromNet}, true
	}
	r.Reads(sc, from)
	r.Sends(r.Contents(sc, from), "to a bucket")
	return fact.Data{Taint: fact.FromNet}, true
}

func isBucket(v fact.Value) bool { return strings.Contains(v.Text, "://") }
