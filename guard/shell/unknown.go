package shell

import (
	"strings"

	"rein/places"
)

// unlisted is a program that the table does not know: its options are judged by their names.
var unlisted = &program{class: Unknown}

func (r *reader) execUnknown(sc *scope, name string, argv []value, in *data) data {
	if len(argv) == 2 && !r.sourced && argv[1].plain() && (argv[1].text == "--version" || argv[1].text == "--help") {
		return data{} // every tool that knows the option prints and ends
	}
	if r.sourced {
		r.found(Dynamic, "runs %s, which a file read into the shell may define", show(name))
	}
	r.found(Unknown, "runs %s, which the guard does not know", show(name))
	c := &call{name: name, argv: argv, in: in, spec: unlisted}
	c.got = arguments(unlisted, argv[1:])
	r.unnamedOptions(sc, c)
	r.anyArgs(sc, argv[1:])
	r.worstGuess(sc, argv[1:])
	return data{taint: in.taint}
}

// unknownName runs a command whose program is not known. What it would do to its operands is judged for the worst.
func (r *reader) unknownName(sc *scope, argv []value, in *data) data {
	name := argv[0]
	switch {
	case name.taint&(fromNet|fromSocket) != 0:
		r.found(RemoteCode, "runs downloaded code")
	case name.taint&fromDecoder != 0:
		r.found(Obfuscated, "runs decoded text")
	default:
		r.found(Dynamic, "runs a program that is not known before it runs: %s", name.shown())
	}
	r.anyArgs(sc, argv[1:])
	r.worstGuess(sc, argv[1:])
	if len(argv) > 1 && name.text == string(hole) && name.taint&fromVariable != 0 {
		return r.exec(sc, argv[1:], in) // an empty variable leaves the rest as the command
	}
	return data{taint: in.taint}
}

// worstGuess judges the operands of an unknown program as if it removed them, where the options look so.
func (r *reader) worstGuess(sc *scope, args []value) {
	flags := ""
	for _, a := range args {
		if strings.HasPrefix(a.text, "-") {
			flags += a.text
		}
	}
	if !strings.ContainsAny(flags, "rR") || !strings.ContainsAny(flags, "fF") {
		return
	}
	for _, a := range args {
		if s := r.locate(sc, a); !strings.HasPrefix(a.text, "-") && !s.free && places.IsRoot(plainGlob(s.abs), r.ctx.Context) {
			r.found(Destroy, "looks like the removal of %s", a.shown())
		}
	}
}

// anyArgs judges the arguments of a program that nobody knows: what looks like a path is taken as read.
func (r *reader) anyArgs(sc *scope, args []value) {
	for _, a := range args {
		r.anyArg(sc, a)
	}
}

func (r *reader) anyArg(sc *scope, a value) {
	text := a.text
	if strings.HasPrefix(text, "-") {
		if _, after, ok := a.cut("="); ok {
			a = after
		} else if i := strings.IndexAny(text, "/~"); i > 0 {
			a = a.with(text[i:])
		} else {
			return
		}
	}
	a = a.with(strings.TrimPrefix(a.text, "@"))
	if i := strings.LastIndex(a.text, ":/"); i > 0 && !strings.Contains(a.text, "://") {
		a = a.with(a.text[i+1:])
	}
	if !strings.ContainsAny(a.text, "/.") && !strings.Contains(a.text, "id_") {
		return
	}
	switch s := r.locate(sc, a); {
	case s.free || strings.Contains(a.text, "://"):
	case s.class == places.Secret, s.class == places.Private, s.class == places.Device, s.class == places.Settings,
		s.class == places.Socket:
		r.reads(sc, a)
	case strings.HasPrefix(a.text, "//"), isSwitch(a.text), a.label, noRoot(a.text): // a path within a document, a property for msbuild, a pattern
	case (s.class == places.Outside || s.class == places.Machine) && strings.Contains(a.text, "/") && !s.loose:
		r.reads(sc, a)
	}
}

// isRootName reports whether a name is one that may be met directly below the root of a machine.
func isRootName(name string) bool {
	switch name {
	case "bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "libx32", "media", "mnt", "opt", "proc", "root",
		"run", "sbin", "snap", "srv", "sys", "tmp", "usr", "var", "nix", "lost+found", "users", "volumes", "applications",
		"library", "system", "private", "cores", "network", "data", "code", "repo", "repos", "src", "work", "workspace",
		"workspaces", "projects", "project", "backup", "backups", "storage", "export", "net", "host", "secrets", "config",
		"vault", "certs", "keys", "secret", "c", "d":
		return true
	}
	return false
}

// noRoot reports whether a word with one name behind a slash is a pattern, a route or a switch: /valid/, /api, /nologo.
// Such directories could be made; the sandbox stops a tool of the project that reads outside.
func noRoot(s string) bool {
	name := strings.TrimSuffix(strings.TrimPrefix(s, "/"), "/")
	if strings.HasPrefix(s, "~") && len(s) > 1 && !strings.Contains(s, "/") {
		return true // --tag ~slow
	}
	return strings.HasPrefix(s, "/") && name != "" && !strings.ContainsAny(name, "/.*~\x00\x01\x02") && !isRootName(strings.ToLower(name))
}

// isSwitch reports whether a word is an option of another system: /p:NAME=VALUE.
func isSwitch(s string) bool {
	name, _, ok := strings.Cut(s, ":")
	return ok && len(name) > 1 && strings.Trim(name[1:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
