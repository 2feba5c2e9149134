package shell

import (
	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
	"rein/guard/shell/table"
)

// unlisted is a program that the table does not know: its options are judged by their names.
var unlisted = &table.Program{Class: fact.Unknown}

// ExecUnknown runs a program that the table does not know.
func (r *reader) ExecUnknown(sc *judge.Scope, name string, argv []fact.Value, in *fact.Data) fact.Data {
	if len(argv) == 2 && !r.sourced && argv[1].Plain() && (argv[1].Text == "--version" || argv[1].Text == "--help") {
		return fact.Data{} // every tool that knows the option prints and ends
	}
	if r.sourced {
		r.Found(fact.Dynamic, "runs %s, which a file read into the shell may define", fact.Show(name))
	}
	r.Found(fact.Unknown, "runs %s, which the guard does not know", fact.Show(name))
	c := &table.Call{Name: name, Argv: argv, In: in, Spec: unlisted}
	c.Got = table.Arguments(name, unlisted, argv[1:])
	r.UnnamedOptions(sc, c)
	r.AnyArgs(sc, argv[1:])
	r.WorstGuess(sc, argv[1:])
	return fact.Data{Taint: in.Taint}
}

// unknownName runs a command whose program is not known. What it would do to its operands is judged for the worst.
func (r *reader) unknownName(sc *judge.Scope, argv []fact.Value, in *fact.Data) fact.Data {
	name := argv[0]
	switch {
	case name.Taint&(fact.FromNet|fact.FromSocket) != 0:
		r.Found(fact.RemoteCode, "runs downloaded code")
	case name.Taint&fact.FromDecoder != 0:
		r.Found(fact.Obfuscated, "runs decoded text")
	default:
		r.Found(fact.Dynamic, "runs a program that is not known before it runs: %s", name.Shown())
	}
	r.AnyArgs(sc, argv[1:])
	r.WorstGuess(sc, argv[1:])
	if len(argv) > 1 && name.Text == string(fact.Hole) && name.Taint&fact.FromVariable != 0 {
		return r.Exec(sc, argv[1:], in) // an empty variable leaves the rest as the command
	}
	return fact.Data{Taint: in.Taint}
}
