package shell

import (
	"rein/guard/effect"
)

// unlisted is a program that the table does not know: its options are judged by their names.
var unlisted = &programRow{Class: effect.Unknown}

// ExecUnknown runs a program that the table does not know.
func (r *reader) ExecUnknown(sc *scope, name string, argv []value, in *data) data {
	if len(argv) == 2 && !r.sourced && argv[1].Plain() && (argv[1].Text == "--version" || argv[1].Text == "--help") {
		return data{} // every tool that knows the option prints and ends
	}
	if r.sourced {
		r.Found(effect.Dynamic, "runs %s, which a file read into the shell may define", showText(name))
	}
	r.Found(effect.Unknown, "runs %s, which the guard does not know", showText(name))
	c := &call{Name: name, Argv: argv, In: in, Spec: unlisted}
	c.Got = parseArguments(name, unlisted, argv[1:])
	r.UnnamedOptions(sc, c)
	r.AnyArgs(sc, argv[1:])
	r.WorstGuess(sc, argv[1:])
	return data{Taint: in.Taint}
}

// unknownName runs a command whose program is not known. What it would do to its operands is judged for the worst.
func (r *reader) unknownName(sc *scope, argv []value, in *data) data {
	name := argv[0]
	switch {
	case name.Taint&(fromNet|fromSocket) != 0:
		r.Found(effect.RemoteCode, "runs downloaded code")
	case name.Taint&fromDecoder != 0:
		r.Found(effect.Obfuscated, "runs decoded text")
	default:
		r.Found(effect.Dynamic, "runs a program that is not known before it runs: %s", name.Shown())
	}
	r.AnyArgs(sc, argv[1:])
	r.WorstGuess(sc, argv[1:])
	if len(argv) > 1 && name.Text == string(anyText) && name.Taint&fromVariable != 0 {
		return r.Exec(sc, argv[1:], in) // an empty variable leaves the rest as the command
	}
	return data{Taint: in.Taint}
}
