package shell

import (
	"maps"
	"slices"
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// scope is the state of one shell: a subshell gets a copy.
type scope struct {
	cwd, old  string // absolute; "" is unknown
	vars      map[string]value
	arrays    map[string][]value
	funcs     map[string]*syntax.Stmt
	args      []value // $1…
	argsKnown bool
	fds       map[string]data    // descriptors opened by exec
	written   map[string]written // files written by this line
	sent      bool               // output goes to the network
	bared     bool               // the harness's own variables were taken out of the environment
	unedited  bool               // the editor that git starts does nothing
}

// written is a file that the line itself wrote: running it runs what was written.
type written struct {
	data data
}

func (r *reader) newScope() *scope {
	dir := r.ctx.Abs(".")
	sc := &scope{
		cwd: dir, old: dir,
		vars: map[string]value{}, arrays: map[string][]value{}, funcs: map[string]*syntax.Stmt{},
		fds: map[string]data{}, written: map[string]written{},
	}
	return sc
}

// sub copies the scope for a subshell. What the line wrote to files is shared: files are not undone by ")".
func (sc *scope) sub() *scope {
	c := *sc
	c.vars, c.arrays, c.funcs, c.fds = maps.Clone(sc.vars), maps.Clone(sc.arrays), maps.Clone(sc.funcs), maps.Clone(sc.fds)
	c.args = slices.Clone(sc.args)
	return &c
}

func (r *reader) user() string {
	if r.ctx.User == "" {
		return "user"
	}
	return r.ctx.User
}

// lookup returns a variable's value, and whether it is sure to be set. Unset ones may come from the environment: they
// are unknown.
func (r *reader) lookup(sc *scope, name string) (value, bool) {
	if v, ok := sc.vars[name]; ok {
		v.odd = true
		return v, true
	}
	if list, ok := sc.arrays[name]; ok && len(list) > 0 {
		return list[0], true
	}
	odd := func(s string) (value, bool) { return value{text: s, odd: true}, true }
	switch name {
	case "HOME":
		return odd(r.ctx.Home)
	case "PWD":
		if sc.cwd != "" {
			return odd(sc.cwd)
		}
	case "OLDPWD":
		if sc.old != "" {
			return odd(sc.old)
		}
	case "USER", "LOGNAME":
		return odd(r.user())
	case "SHELL", "BASH", "0":
		return odd("/bin/bash")
	case "TMPDIR":
		return odd("/tmp")
	case "IFS":
		return odd(" \t\n")
	case "PPID":
		return holeOf(fromParent), true
	case "!":
		return holeOf(fromJob | fromNumber), true
	case "$", "BASHPID":
		return holeOf(fromJob | fromNumber), true
	case "?", "#", "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "SRANDOM", "EPOCHSECONDS", "EPOCHREALTIME", "SHLVL",
		"COLUMNS", "LINES", "BASH_SUBSHELL", "OPTIND":
		return holeOf(fromNumber), true
	case "HOSTNAME", "HOSTTYPE", "OSTYPE", "MACHTYPE", "BASH_VERSION", "LANG", "TERM", "OPTARG", "REPLY", "-":
		return holeOf(fromNumber), true
	case "GOPATH":
		return value{text: r.ctx.Home + "/go", odd: true}, false
	case "@", "*":
		if sc.argsKnown {
			return joinValues(sc.args, " "), true
		}
		return holeOf(fromArgument), false
	}
	return argumentOrUnknown(sc, name)
}

// argumentOrUnknown gives an argument of the shell by its number, or a hole for a variable that nobody set.
func argumentOrUnknown(sc *scope, name string) (value, bool) {
	if n, err := strconv.Atoi(name); err == nil {
		if sc.argsKnown {
			if n >= 1 && n <= len(sc.args) {
				return sc.args[n-1], true
			}
			return value{odd: true}, false
		}
		return holeOf(fromArgument), false
	}
	t := fromVariable
	if secretVariable(name) {
		t |= fromPrivate
	}
	return holeOf(t), false
}
