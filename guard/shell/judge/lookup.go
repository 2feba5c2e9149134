package judge

import (
	"strconv"
	"strings"

	"rein/guard/shell/fact"
)

// Lookup returns a variable's value, and whether it is sure to be set. Unset ones may come from the environment: they
// are unknown.
func (r *Judge) Lookup(sc *Scope, name string) (fact.Value, bool) {
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
	odd := func(s string) (fact.Value, bool) { return fact.Value{Text: s, Odd: true}, true }
	if sc.Gone[name] {
		if name == "IFS" {
			return odd(" \t\n") // words split as with the default
		}
		return fact.Value{Odd: true}, false
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
		return fact.HoleOf(fact.FromVariable | fact.FromInput), true
	case "#":
		if sc.ArgsKnown && !sc.ArgsLoose {
			return odd(strconv.Itoa(len(sc.Args)))
		}
		return fact.HoleOf(fact.FromNumber), true
	case "?", "SHLVL", "COLUMNS", "LINES", "OPTIND", "HOSTNAME", "HOSTTYPE", "OSTYPE", "MACHTYPE", "LANG", "TERM", "-":
		return fact.HoleOf(fact.FromNumber), true
	case "GOPATH":
		return fact.Value{Text: r.Ctx.Home + "/go", Odd: true}, false
	}
	return argumentOrUnknown(sc, name)
}

// ofShell is a variable that the shell itself gives its value, whatever is assigned to it. ok is false for others.
func ofShell(name string) (v fact.Value, set, ok bool) {
	switch name {
	case "PPID":
		return fact.HoleOf(fact.FromParent), true, true
	case "!", "$", "BASHPID":
		return fact.HoleOf(fact.FromJob | fact.FromNumber), true, true
	case "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "SRANDOM", "EPOCHSECONDS", "EPOCHREALTIME", "BASH_SUBSHELL", "BASH_VERSION", "HISTCMD", "PIPESTATUS", "GROUPS":
		return fact.HoleOf(fact.FromNumber), true, true
	case "_":
		return fact.HoleOf(fact.FromVariable | fact.FromInput), true, true
	case "FUNCNAME", "DIRSTACK":
		return fact.HoleOf(fact.FromVariable), false, true
	}
	if rest, found := strings.CutPrefix(name, "BASH_"); found && rest != "ENV" {
		return fact.HoleOf(fact.FromVariable), false, true
	}
	return fact.Value{}, false, false
}

// argumentOrUnknown returns an argument of the shell by its number, or a hole for a variable that nobody set.
func argumentOrUnknown(sc *Scope, name string) (fact.Value, bool) {
	if n, err := strconv.Atoi(name); err == nil {
		if sc.ArgsKnown && !sc.ArgsLoose {
			if n >= 1 && n <= len(sc.Args) {
				return sc.Args[n-1], true
			}
			return fact.Value{Odd: true}, false
		}
		return fact.HoleOf(sc.Strangers()), sc.ArgsTaint != 0 // an unknown caller may have given none
	}
	t := fact.FromVariable
	if fact.SecretVariable(name) {
		t |= fact.FromPrivate
	}
	return fact.HoleOf(t), false
}
