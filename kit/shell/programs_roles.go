package shell

import (
	"strings"

	"rein/guard/effect"
	"rein/kit/places"
)

// apply1 judges one word by its role and returns the taint of what it brings.
func (r *programs) apply1(sc *scope, ro wordRole, v value, rest []value) taint {
	if v.Proc != nil && ro.Kind != "script" {
		return v.Proc.Taint
	}
	if len(v.Text) > 1 && v.Text[0] == '|' && isShellText(v.Text) {
		switch ro.Kind {
		case "read", "any", "write", "edit", "project", "into", "source":
			r.Found(effect.Exec, "a file's name that is a command: %s", v.Shown())
			r.Shell.Text(sc, v.With(v.Text[1:]), nil)
			return v.Taint
		}
	}
	switch ro.Kind {
	case "read":
		r.Reads(sc, v)
		return r.Contents(sc, v)
	case "list":
		return r.Lists(sc, v)
	case "write", "into":
		r.Writes(sc, v)
		r.Wrote(sc, v, data{Taint: fromWork})
	case "edit":
		r.Reads(sc, v)
		r.Writes(sc, v)
	case "delete":
		r.Removes(sc, v, false)
	case "tree":
		r.Removes(sc, v, true)
	case "move":
		r.Moves(sc, v)
	case "source":
		if strings.HasPrefix(v.Text, "github.com/") || strings.HasPrefix(v.Text, "git@") || strings.HasPrefix(v.Text, "git::") || strings.HasPrefix(v.Text, "ssh://") {
			r.Effect(effect.Network)
			return fromNet
		}
		if strings.HasPrefix(v.Text, "http://") || strings.HasPrefix(v.Text, "https://") {
			r.Effect(effect.Network)
			return r.URL(sc, v)
		}
		r.AnyArg(sc, v)
	case "url":
		return r.URL(sc, v)
	case "upload":
		r.Reads(sc, v)
		r.Sends(r.Contents(sc, v), "to the network")
	case "assign":
		if name, val, ok := v.Cut("="); ok {
			r.Environment(sc, name.Text, val)
		}
	case "any", "place":
		r.AnyArg(sc, v)
	case "class":
		r.Effect(ro.Class)
		r.AnyArg(sc, v)
	default:
		r.runsRole(sc, ro, v, rest)
	}
	return v.Taint
}

// runsRole judges a word that is run, or that says what to run.
func (r *programs) runsRole(sc *scope, ro wordRole, v value, rest []value) {
	switch ro.Kind {
	case "script":
		r.Script(sc, v, rest)
	case "code":
		r.Shell.Code(sc, baseName(r.Who), v, nil, &data{Known: true})
	case "sql":
		r.Shell.Code(sc, "sql", v, nil, nil)
	case "task":
		r.target(v, true)
		r.farWord(sc, v)
	case "project", "settings":
		r.Project(sc, v)
	case "shell":
		r.Shell.Text(sc, v, nil)
	case "registry":
		registry(r, sc, v)
	case "classpath":
		for _, part := range strings.Split(v.Text, ":") {
			r.Project(sc, v.With(part))
			if s := r.Locate(sc, v.With(part)); part != "" && s.Class == places.Temp {
				r.Found(effect.Exec, "loads code from %s", showText(part))
			}
		}
	case "cargo-setting":
		r.CargoSetting(sc, v)
	case "ini":
		r.PHPSetting(v)
	case "library":
		r.Library(sc, v)
	case "program":
		if !r.tameProgram(v) {
			r.Effect(effect.Exec)
		}
		r.Shell.Text(sc, v.With(strings.TrimPrefix(v.Text, "exec=")), nil) // as tar's checkpoints spell it
	case "head":
		r.Effect(effect.Exec)
		r.Shell.Exec(sc, append([]value{v}, rest...), &data{Known: true})
	}
}

// Script judges the running of a program text.
func (r *programs) Script(sc *scope, v value, args []value) {
	if v.Proc != nil {
		r.Shell.RunText(sc, *v.Proc, "a process substitution", args)
		return
	}
	s := r.Locate(sc, v)
	if w, ok := sc.Written[s.Abs]; ok && w.As == "" {
		r.Shell.RunText(sc, w.Data, "a file that this line writes", args)
		return
	}
	if sc.HasFetched(s.Abs) {
		r.Found(effect.RemoteCode, "runs %s, which this line may have downloaded", v.Shown())
		return
	}
	if s.Free || s.Loose {
		r.Found(effect.Dynamic, "runs a script that is not known before it runs: %s", v.Shown())
		return
	}
	switch s.Class {
	case places.Workspace, places.Protected:
		r.Found(effect.Build, "runs %s of the project", v.Shown())
		scriptVerbs(r, v)
	case places.Tools, places.System:
		r.Found(effect.Build, "runs the installed %s", v.Shown())
	case places.Private, places.Secret:
		r.Reads(sc, v)
	default:
		r.Found(effect.Exec, "runs %s from outside the workspace", v.Shown())
	}
}

// scriptVerbs judges a script of the project by its name: deploy.sh sends work away.
func scriptVerbs(r *programs, v value) {
	name, _, _ := strings.Cut(baseName(strings.TrimSuffix(v.Text, "/")), ".")
	if strings.HasSuffix(name, "test") || strings.HasSuffix(name, "tests") || strings.HasSuffix(name, "spec") {
		return
	}
	if c := r.verbs(name, false); v.Plain() && taskName(name, false) && (c == effect.Publish || c == effect.RemoteChange) {
		r.Found(c, "%s: %s", v.Shown(), c.Why())
	}
}

// fetchedWork notes what a client downloads under names that are not known, and judges the building of what the line downloaded.
func (r *programs) fetchedWork(sc *scope, p *parsedArguments) {
	if n := len(p.Path); n > 0 && p.Path[n-1] == "download" && p.Base() == effect.Network {
		sc.Fetch(sc.Cwd)
	}
	if p.Base() == effect.Build && sc.Cwd != "" && sc.HasFetched(sc.Cwd) {
		r.Found(effect.RemoteCode, "builds what this line may have downloaded")
	}
}
