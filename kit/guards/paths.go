package guards

import (
	"context"
	"slices"

	"rein/guard"
	"rein/guard/effect"
	"rein/kit/places"
	"rein/kit/shell"
)

// Paths is the guard of files: it judges what a call would read and write by the same table of places and the same
// classes as a shell command.
type Paths struct {
	Here Here
	// Plan is the one file that may be written in plan mode, relative to the workspace or absolute; "" is none.
	Plan string
	// Confined are the names of the tools that cannot open a file outside the workspace, whatever the isolation is: they
	// open files only through a workspace.Workspace. All other tools are judged by the isolation of the case.
	Confined []string
}

// Judge judges the paths of the intent.
func (p Paths) Judge(_ context.Context, c guard.Case) guard.Verdict {
	reads, writes := p.paths(c)
	if len(reads) == 0 && len(writes) == 0 {
		return guard.Verdict{}
	}
	at := p.Here.Places(c)
	r := &effect.Report{}
	for _, name := range reads {
		class := shell.ReadClass(places.Classify(name, at))
		r.Reads = append(r.Reads, name)
		r.Findings = append(r.Findings, effect.Finding{Class: class, Why: "reads " + name + pathWhy(class)})
	}
	for _, name := range writes {
		class := shell.WriteClass(places.Classify(name, at))
		if c.Mode == guard.Plan && p.Plan != "" && at.Abs(name) == at.Abs(p.Plan) {
			class = effect.Read
		}
		r.Writes = append(r.Writes, name)
		r.Findings = append(r.Findings, effect.Finding{Class: class, Why: "writes " + name + pathWhy(class) + whenRun(class, name)})
	}
	isolation := c.Isolation
	if c.Intent.Command == "" && slices.Contains(p.Confined, c.Call.Name) {
		isolation = max(isolation, guard.FileIsolation)
	}
	v := VerdictOf(r, c.Mode, isolation)
	v.Guard = "paths"
	for i, rule := range v.Rules {
		v.Rules[i] = "path." + rule[len("shell."):]
	}
	return v
}

// paths are what a tool declares, and what a command reaches through links: the guard of commands judges the links' names.
func (p Paths) paths(c guard.Case) (reads, writes []string) {
	reads, writes = c.Intent.Reads, c.Intent.Writes
	if s := c.Intent.Surroundings; c.Intent.Command != "" && s != nil && len(s.Links) > 0 {
		r := Programs{Here: p.Here}.Read(c)
		changes := slices.Concat(r.Writes, r.Removes)
		reads = slices.Concat(reads, s.Reached(r.Reads)[len(r.Reads):])
		writes = slices.Concat(writes, s.Reached(changes)[len(changes):])
	}
	return reads, writes
}

// whenRun says what runs a file that is written, where that is known.
func whenRun(c effect.Class, name string) string {
	if c != effect.Config {
		return ""
	}
	return ": " + places.WhenRun(name)
}

func pathWhy(c effect.Class) string {
	switch c {
	case effect.Private:
		return ", which may hold credentials"
	case effect.SecretRead:
		return ", which holds credentials"
	case effect.OutsideRead, effect.OutsideWrite:
		return ", outside the workspace"
	case effect.Config:
		return ", which later programs or agents trust"
	case effect.Destroy:
		return ", which belongs to the machine"
	case effect.Tamper:
		return ", which belongs to the harness"
	}
	return ""
}
