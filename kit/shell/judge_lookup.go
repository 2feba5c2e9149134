package shell

import (
	"strconv"
	"strings"

	"rein/guard/effect"
)

// Lookup returns a variable's value, and whether it is sure to be set. Unset ones may come from the environment: they
// are unknown.
func (r *judging) Lookup(sc *scope, name string) (effect.Value, bool) {
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
	odd := func(s string) (effect.Value, bool) { return effect.Value{Text: s, Odd: true}, true }
	if sc.Gone[name] {
		if name == "IFS" {
			return odd(" \t\n") // words split as with the default
		}
		return effect.Value{Odd: true}, false
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
		return effect.HoleOf(effect.FromVariable | effect.FromInput), true
	case "#":
		if sc.ArgsKnown && !sc.ArgsLoose {
			return odd(strconv.Itoa(len(sc.Args)))
		}
		return effect.HoleOf(effect.FromNumber), true
	case "?", "SHLVL", "COLUMNS", "LINES", "OPTIND", "HOSTNAME", "HOSTTYPE", "OSTYPE", "MACHTYPE", "LANG", "TERM", "-":
		return effect.HoleOf(effect.FromNumber), true
	case "GOPATH":
		return effect.Value{Text: r.Ctx.Home + "/go", Odd: true}, false
	}
	return argumentOrUnknown(sc, name)
}

// ofShell is a variable that the shell itself gives its value, whatever is assigned to it. ok is false for others.
func ofShell(name string) (v effect.Value, set, ok bool) {
	switch name {
	case "PPID":
		return effect.HoleOf(effect.FromParent), true, true
	case "!", "$", "BASHPID":
		return effect.HoleOf(effect.FromJob | effect.FromNumber), true, true
	case "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "SRANDOM", "EPOCHSECONDS", "EPOCHREALTIME", "BASH_SUBSHELL", "BASH_VERSION", "HISTCMD", "PIPESTATUS", "GROUPS":
		return effect.HoleOf(effect.FromNumber), true, true
	case "_":
		return effect.HoleOf(effect.FromVariable | effect.FromInput), true, true
	case "FUNCNAME", "DIRSTACK":
		return effect.HoleOf(effect.FromVariable), false, true
	}
	if rest, found := strings.CutPrefix(name, "BASH_"); found && rest != "ENV" {
		return effect.HoleOf(effect.FromVariable), false, true
	}
	return effect.Value{}, false, false
}

// argumentOrUnknown returns an argument of the shell by its number, or a hole for a variable that nobody set.
func argumentOrUnknown(sc *scope, name string) (effect.Value, bool) {
	if n, err := strconv.Atoi(name); err == nil {
		if sc.ArgsKnown && !sc.ArgsLoose {
			if n >= 1 && n <= len(sc.Args) {
				return sc.Args[n-1], true
			}
			return effect.Value{Odd: true}, false
		}
		return effect.HoleOf(sc.Strangers()), sc.ArgsTaint != 0 // an unknown caller may have given none
	}
	t := effect.FromVariable
	if effect.SecretVariable(name) {
		t |= effect.FromPrivate
	}
	return effect.HoleOf(t), false
}
