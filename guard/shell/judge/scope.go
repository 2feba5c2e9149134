package judge

import (
	"maps"
	"slices"
	"strconv"

	"mvdan.cc/sh/v3/syntax"

	"rein/guard/shell/fact"
)

// Scope is the state of one shell: a subshell gets a copy.
type Scope struct {
	Cwd, Old  string // absolute; "" is unknown
	Vars      map[string]fact.Value
	Arrays    map[string][]fact.Value
	Funcs     map[string]*syntax.Stmt
	Args      []fact.Value // $1…
	ArgsKnown bool
	Fds       map[string]fact.Data // descriptors opened by exec
	Written   map[string]Written   // files written by this line
	Sent      bool                 // output goes to the network
	Bared     bool                 // the harness's own variables were taken out of the environment
	Unedited  bool                 // the editor that git starts does nothing
}

// Written is a file that the line itself wrote: running it runs what was written.
type Written struct {
	Data fact.Data
}

// NewScope is the state of the shell at the start.
func (r *Judge) NewScope() *Scope {
	dir := r.Ctx.Abs(".")
	sc := &Scope{
		Cwd: dir, Old: dir,
		Vars: map[string]fact.Value{}, Arrays: map[string][]fact.Value{}, Funcs: map[string]*syntax.Stmt{},
		Fds: map[string]fact.Data{}, Written: map[string]Written{},
	}
	return sc
}

// Sub copies the scope for a subshell. What the line wrote to files is shared: files are not undone by ")".
func (sc *Scope) Sub() *Scope {
	c := *sc
	c.Vars, c.Arrays, c.Funcs, c.Fds = maps.Clone(sc.Vars), maps.Clone(sc.Arrays), maps.Clone(sc.Funcs), maps.Clone(sc.Fds)
	c.Args = slices.Clone(sc.Args)
	return &c
}

// Lookup returns a variable's value, and whether it is sure to be set. Unset ones may come from the environment: they
// are unknown.
func (r *Judge) Lookup(sc *Scope, name string) (fact.Value, bool) {
	if v, ok := sc.Vars[name]; ok {
		v.Odd = true
		return v, true
	}
	if list, ok := sc.Arrays[name]; ok && len(list) > 0 {
		return list[0], true
	}
	odd := func(s string) (fact.Value, bool) { return fact.Value{Text: s, Odd: true}, true }
	switch name {
	case "HOME":
		return odd(r.Ctx.Home)
	case "PWD":
		if sc.Cwd != "" {
			return odd(sc.Cwd)
		}
	case "OLDPWD":
		if sc.Old != "" {
			return odd(sc.Old)
		}
	case "USER", "LOGNAME":
		return odd(r.User())
	case "SHELL", "BASH", "0":
		return odd("/bin/bash")
	case "TMPDIR":
		return odd("/tmp")
	case "IFS":
		return odd(" \t\n")
	case "PPID":
		return fact.HoleOf(fact.FromParent), true
	case "!":
		return fact.HoleOf(fact.FromJob | fact.FromNumber), true
	case "$", "BASHPID":
		return fact.HoleOf(fact.FromJob | fact.FromNumber), true
	case "?", "#", "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "SRANDOM", "EPOCHSECONDS", "EPOCHREALTIME", "SHLVL",
		"COLUMNS", "LINES", "BASH_SUBSHELL", "OPTIND":
		return fact.HoleOf(fact.FromNumber), true
	case "HOSTNAME", "HOSTTYPE", "OSTYPE", "MACHTYPE", "BASH_VERSION", "LANG", "TERM", "OPTARG", "REPLY", "-":
		return fact.HoleOf(fact.FromNumber), true
	case "GOPATH":
		return fact.Value{Text: r.Ctx.Home + "/go", Odd: true}, false
	case "@", "*":
		if sc.ArgsKnown {
			return fact.JoinValues(sc.Args, " "), true
		}
		return fact.HoleOf(fact.FromArgument), false
	}
	return argumentOrUnknown(sc, name)
}

// argumentOrUnknown gives an argument of the shell by its number, or a hole for a variable that nobody set.
func argumentOrUnknown(sc *Scope, name string) (fact.Value, bool) {
	if n, err := strconv.Atoi(name); err == nil {
		if sc.ArgsKnown {
			if n >= 1 && n <= len(sc.Args) {
				return sc.Args[n-1], true
			}
			return fact.Value{Odd: true}, false
		}
		return fact.HoleOf(fact.FromArgument), false
	}
	t := fact.FromVariable
	if fact.SecretVariable(name) {
		t |= fact.FromPrivate
	}
	return fact.HoleOf(t), false
}
