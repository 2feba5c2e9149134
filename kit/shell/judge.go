package shell

// The files judge_… note the effects of a command on files, hosts and data in a report, and give each effect its
// class by the place that it concerns.

import (
	"fmt"

	"rein/guard/effect"
	"rein/kit/places"
)

// judging is one reading of one command line: what it knows of its surroundings, and the report that it makes.
type judging struct {
	Ctx    Context
	Report *effect.Report
	// At is the byte range of the current simple command, and Who its program.
	At  [2]int
	Who string
	// Part is the worst class of the current part.
	Part effect.Class
	// Wiped is true after the removal of a root.
	Wiped bool

	// Doubts are the variables with several values that the current words use.
	Doubts []string
	// Work is how many entries were copied with scopes and arrays: more than a limit, and the line is not followed.
	Work int
	// Rereading means that a command is read again, with other values of its variables.
	Rereading bool

	known map[string]places.Class // paths that were classified
}

// Effect notes an effect with its general words.
func (r *judging) Effect(c effect.Class) {
	if c == effect.Read {
		return
	}
	r.Found(c, "%s", c.Why())
}

// UnknownText judges running text that is not known, by where it comes from.
func (r *judging) UnknownText(t taint) {
	switch {
	case t&fromSocket != 0:
		r.Found(effect.Backdoor, "runs code that arrives over a connection")
	case t&fromDecoder != 0 && t&fromNet == 0:
		r.Found(effect.Obfuscated, "runs decoded text")
	case t&fromNet != 0:
		r.Found(effect.RemoteCode, "runs code from the network")
	default:
		r.Found(effect.Dynamic, "runs text that is not known before it runs")
	}
}

// User is the name of the user.
func (r *judging) User() string {
	if r.Ctx.User == "" {
		return "user"
	}
	return r.Ctx.User
}

// Context describes where a command would run.
type Context struct {
	places.Context
	// User is the name of the user; empty means "user".
	User string
	// Self are program names of the harness; empty means "rein".
	Self []string
	// Dashed are absolute paths of files whose names begin with a dash: wildcards turn them into options.
	Dashed []string
	// Git names the settings of the current repository that make git run programs, and "hooks" where it has any.
	Git []string
	// Fetches and Pushes are the directories of this machine that remotes of git are, by their names; "" is the one of the branch.
	Fetches, Pushes map[string]string
}

// Found notes an effect.
func (r *judging) Found(c effect.Class, why string, args ...any) {
	if c > r.Part {
		r.Part = c
	}
	if c == effect.Read {
		return
	}
	r.Report.Add(effect.Finding{Class: c, Why: fmt.Sprintf(why, args...), Program: r.Who, Start: r.At[0], End: r.At[1]})
}

// Self lists the program names of the harness.
func (r *judging) Self() []string {
	if len(r.Ctx.Self) == 0 {
		return []string{"rein"}
	}
	return r.Ctx.Self
}

// SettleCleaning takes back that a program cleans where the same program builds later in the line: it was a part of the build.
func (r *judging) SettleCleaning() {
	builds := map[string]bool{}
	for i := len(r.Report.Findings) - 1; i >= 0; i-- {
		f := &r.Report.Findings[i]
		switch {
		case f.Class == effect.Delete && f.Why == effect.Delete.Why() && builds[f.Program]:
			f.Class = effect.Build
			for j := range r.Report.Parts {
				if p := &r.Report.Parts[j]; p.Start == f.Start && p.End == f.End && p.Class == effect.Delete {
					p.Class = effect.Build
				}
			}
		case f.Class == effect.Delete && f.Why == effect.Delete.Why():
			builds[f.Program] = false
		case f.Class == effect.Build:
			if _, seen := builds[f.Program]; !seen {
				builds[f.Program] = true
			}
		}
	}
}
