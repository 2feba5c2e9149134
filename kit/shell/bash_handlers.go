package shell

import (
	"rein/guard/effect"
)

// handler judges a builtin of the shell, or a program that runs others. See programsHandler.
type handler func(r *reader, sc *scope, c *call) (out data, done bool)

// Handle finds the handler that a table names. A test checks that there is one for every name of the tables.
func (r *reader) Handle(how string, sc *scope, c *call) (data, bool) {
	if h := handlers[how]; h != nil {
		return h(r, sc, c)
	}
	if h := programHandlerNamed(how); h != nil {
		return h(r.programs, sc, c)
	}
	r.Found(effect.Unparsed, "the guard's table names no handler %q", how)
	return data{}, true
}

var handlers = map[string]handler{
	"shell":    shellProgram,
	"env":      envProgram,
	"exec":     execBuiltin,
	"eval":     evalBuiltin,
	"source":   sourceBuiltin,
	"cd":       cdBuiltin,
	"popd":     popdBuiltin,
	"pwd":      pwdBuiltin,
	"command":  commandBuiltin,
	"export":   exportBuiltin,
	"unset":    unsetBuiltin,
	"set":      setBuiltin,
	"shift":    shiftBuiltin,
	"shopt":    shoptBuiltin,
	"getopts":  getoptsBuiltin,
	"wait":     waitBuiltin,
	"read":     readBuiltin,
	"test":     testBuiltin,
	"trap":     trapBuiltin,
	"echo":     echoBuiltin,
	"printf":   printfBuiltin,
	"alias":    aliasBuiltin,
	"history":  historyBuiltin,
	"xargs":    xargsProgram,
	"parallel": parallelProgram,
	"joined":   joinedProgram,
	"linger":   lingerProgram,
	"chroot":   wrapSecond,
}
