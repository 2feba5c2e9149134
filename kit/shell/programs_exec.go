package shell

import (
	"path"
	"slices"
	"strings"

	"rein/guard/effect"
	"rein/kit/places"
)

// ExecPath runs a program given by its path.
func (r *programs) ExecPath(sc *scope, argv []value, in *data) data {
	name := argv[0]
	s := r.Locate(sc, name)
	base := path.Base(s.Abs)
	if s.Free {
		r.Found(effect.Dynamic, "runs a program from a directory that is not known")
		return data{}
	}
	if w, ok := sc.Written[s.Abs]; ok && w.As != "" {
		r.Found(effect.Dynamic, "runs a copy of %s under another name", w.As)
		return r.ExecNamed(sc, w.As, argv, in)
	} else if ok {
		return r.runWritten(sc, argv, w, in)
	}
	switch s.Class {
	case places.System:
		if name.Odd && !strings.HasSuffix(name.Text, "/"+base) {
			r.Found(effect.Dynamic, "the program's name is put together when it runs")
		} else if name.Odd {
			r.Found(effect.Dynamic, "the program's path comes from a variable")
		}
		return r.ExecNamed(sc, base, argv, in)
	case places.Workspace, places.Protected, places.Private:
		return r.execProject(sc, base, argv, in)
	case places.Tools:
		if r.Table.Find(base) != nil {
			return r.ExecNamed(sc, base, argv, in)
		}
		r.Found(effect.Unknown, "runs %s, which the guard does not know", name.Shown())
	default:
		r.Found(effect.Exec, "runs %s from outside the workspace", name.Shown())
		if r.Table.Find(base) != nil {
			return r.ExecNamed(sc, base, argv, in)
		}
	}
	r.AnyArgs(sc, argv[1:])
	r.WorstGuess(sc, argv[1:])
	return data{Taint: in.Taint | fromWork}
}

// execProject runs a program of the workspace. Interpreters of a virtual environment are judged as such.
func (r *programs) execProject(sc *scope, base string, argv []value, in *data) data {
	if spec := r.Table.Find(base); spec != nil && spec.Local {
		return r.ExecNamed(sc, base, argv, in)
	}
	if sc.HasFetched(r.Absolute(sc, argv[0])) {
		r.Found(effect.RemoteCode, "runs %s, which this line may have downloaded", argv[0].Shown())
	}
	r.Found(effect.Build, "runs %s of the project", argv[0].Shown())
	scriptVerbs(r, argv[0])
	r.AnyArgs(sc, argv[1:])
	if in.Taint&fromSocket != 0 && sc.Sent {
		r.Found(effect.Backdoor, "opens a program of the project to the network")
	}
	return data{Taint: in.Taint | fromWork}
}

// runWritten runs a file that the same line wrote.
func (r *programs) runWritten(sc *scope, argv []value, w written, in *data) data {
	r.Shell.RunText(sc, w.Data, "a file that this line writes", argv[1:])
	r.AnyArgs(sc, argv[1:])
	return data{Taint: in.Taint | w.Data.Taint}
}

// ExecNamed runs a program by a name of the table, whatever argv[0] is.
func (r *programs) ExecNamed(sc *scope, name string, argv []value, in *data) data {
	if slices.Contains(r.Self(), name) {
		return r.ownProgram(argv)
	}
	spec, name := r.Table.Lookup(name)
	if spec == nil {
		return r.Shell.ExecUnknown(sc, name, argv, in)
	}
	if len(argv) == 2 && spec.AsksVersion(argv[1].Text) {
		return data{}
	}
	c := &call{Name: name, Argv: argv, In: in, Spec: spec}
	return r.RunSpec(sc, c)
}

// ownProgram judges the harness run by the model: its approvals, modes and settings are not the model's.
func (r *programs) ownProgram(argv []value) data {
	for _, a := range argv[1:] {
		flag, _, _ := strings.Cut(a.Text, "=")
		switch flag {
		case "approve", "config", "rules", "trust",
			"--mode", "--policy", "--permission-mode", "--approval-mode", "--yolo", "--allow", "--allowedTools", "--allowed-tools", "--sandbox",
			"--dangerously-skip-permissions", "--dangerously-bypass-approvals-and-sandbox":
			r.Found(effect.Tamper, "makes the harness change its own rules")
			return data{}
		}
	}
	r.Found(effect.Nested, "starts the harness within the harness")
	return data{}
}
