package shell

import (
	"rein/guard/effect"
)

// Runs reports whether a program with these first words runs whatever its further arguments contain: interpreters,
// launchers, builders with rules of their own. No prefix of such a command shows what it does.
func Runs(words []string) bool {
	if len(words) == 0 {
		return true
	}
	spec, _ := programTable().Lookup(baseName(words[0]))
	if spec == nil {
		return false
	}
	got := parseArguments(baseName(words[0]), spec, literals(words[1:]))
	if spec.Runner && got.Spec == spec || got.Spec.Class >= effect.Privilege || got.Spec.Class == effect.RemoteShell {
		return true
	}
	switch got.Spec.How {
	case "shell", "code", "code-words", "env", "xargs", "find", "fd", "parallel", "eval", "source", "exec", "make", "npx", "awk", "sed", "editor",
		"linger", "trap", "alias", "container", "command", "chroot", "powershell", "sql":
		return true
	}
	for _, r := range got.Spec.Args {
		if r.Kind == "cmd" || r.Kind == "task-or-cmd" || r.Kind == "shell" {
			return true
		}
	}
	return len(got.Spec.Subs) > 0 && len(got.Operands) == 0 // git, docker, docker compose without a sub-command
}

// Prefix returns the words of a command that say what kind of thing it does: the program and its sub-command, as far as
// the table knows it to have one. more is true where other words follow that the kind does not depend on.
func Prefix(words []string) (prefix []string, more bool) {
	if len(words) == 0 {
		return nil, false
	}
	spec, _ := programTable().Lookup(baseName(words[0]))
	if spec == nil || len(spec.Subs) == 0 || Runs(words) {
		return words, false
	}
	got := parseArguments(baseName(words[0]), spec, literals(words[1:]))
	path := got.Path
	if len(path) == 0 || len(words) < 1+len(path) {
		return words, false
	}
	for i, p := range path {
		if words[1+i] != p {
			return words, false // options are between: git -c x=y push
		}
	}
	n := 1 + len(path)
	if (got.Spec.How == "script-name" || got.Unlisted) && len(words) > n {
		n++ // npm run NAME, docker compose up: each is a thing of its own
	}
	return words[:n], true
}

// SubCommand returns the words of a command without the program and without its options in front of the sub-command:
// "log -p" of "git -C dir log -p".
func SubCommand(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	args := literals(words[1:])
	if spec, _ := programTable().Lookup(baseName(words[0])); spec != nil {
		for p := (parsedArguments{Spec: spec}); len(args) > 0 && isOption(args[0]); {
			args = args[1+p.option(args[0], args[1:]):]
		}
	}
	return words[len(words)-len(args):]
}

func literals(words []string) []value {
	all := make([]value, len(words))
	for i, w := range words {
		all[i] = literal(w)
	}
	return all
}
