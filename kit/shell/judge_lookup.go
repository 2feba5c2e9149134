package shell

import (
	"strconv"
	"strings"
)

// Lookup returns a variable's value, and whether it is sure to be set. Unset ones may come from the environment: they
// are unknown.
func (r *judging) Lookup(sc *scope, name string) (value, bool) {
	if v, set, ok := ofShell(name); ok {
		return v, set
	}
	if v, ok := sc.Vars[name]; ok {
		if len(v.Else) > 0 {
			r.Doubts = append(r.Doubts, name)
		}
		v.Odd = true
		return v, true
	}
	if list, ok := sc.Arrays[name]; ok {
		v, set := list.Item("0")
		v.Odd = true
		return v, set
	}
	odd := func(s string) (value, bool) { return value{Text: s, Odd: true}, true }
	if sc.Gone[name] {
		if name == "IFS" {
			return odd(" \t\n") // words split as with the default
		}
		return value{Odd: true}, false
	}
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
	case "OPTARG", "REPLY":
		return holeOf(fromVariable | fromInput), true
	case "#":
		if sc.ArgsKnown && !sc.ArgsLoose {
			return odd(strconv.Itoa(len(sc.Args)))
		}
		return holeOf(fromNumber), true
	case "?", "SHLVL", "COLUMNS", "LINES", "OPTIND", "HOSTNAME", "HOSTTYPE", "OSTYPE", "MACHTYPE", "LANG", "TERM", "-":
		return holeOf(fromNumber), true
	case "GOPATH":
		return value{Text: r.Ctx.Home + "/go", Odd: true}, false
	}
	return argumentOrUnknown(sc, name)
}

// ofShell is a variable that the shell itself gives its value, whatever is assigned to it. ok is false for others.
func ofShell(name string) (v value, set, ok bool) {
	switch name {
	case "PPID":
		return holeOf(fromParent), true, true
	case "!", "$", "BASHPID":
		return holeOf(fromJob | fromNumber), true, true
	case "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "SRANDOM", "EPOCHSECONDS", "EPOCHREALTIME", "BASH_SUBSHELL", "BASH_VERSION", "HISTCMD", "PIPESTATUS", "GROUPS":
		return holeOf(fromNumber), true, true
	case "_":
		return holeOf(fromVariable | fromInput), true, true
	case "FUNCNAME", "DIRSTACK":
		return holeOf(fromVariable), false, true
	}
	if rest, found := strings.CutPrefix(name, "BASH_"); found && rest != "ENV" {
		return holeOf(fromVariable), false, true
	}
	return value{}, false, false
}

// argumentOrUnknown returns an argument of the shell by its number, or a hole for a variable that nobody set.
func argumentOrUnknown(sc *scope, name string) (value, bool) {
	if n, err := strconv.Atoi(name); err == nil {
		if sc.ArgsKnown && !sc.ArgsLoose {
			if n >= 1 && n <= len(sc.Args) {
				return sc.Args[n-1], true
			}
			return value{Odd: true}, false
		}
		return holeOf(sc.Strangers()), sc.ArgsTaint != 0 // an unknown caller may have given none
	}
	t := fromVariable
	if secretVariable(name) {
		t |= fromPrivate
	}
	return holeOf(t), false
}
