package shell

import (
	"slices"

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
	n := 1 + len(got.Path)
	if n == 1 || len(words) < n || !slices.Equal(words[1:n], got.Path) {
		return words, false // options are between: git -c x=y push
	}
	if (got.Spec.How == "script-name" || got.Unlisted) && len(words) > n {
		n++ // npm run NAME, docker compose up: each is a thing of its own
	}
	return words[:n], true
}

// Lasting returns the words that a lasting approval of a command is about. more is true where any words may follow: the table says that
// the sub-command only looks, and no option says that it looks elsewhere. Else the words are the whole command: other operands are
// other packages, targets and places.
func Lasting(words []string) (prefix []string, more bool) {
	prefix, more = Prefix(words)
	if !more {
		return words, false
	}
	spec, name := programTable().Lookup(baseName(words[0]))
	got := parseArguments(name, spec, literals(words[1:]))
	if !got.Spec.Open || got.Base() > effect.Network || len(Places(words)) > 0 {
		return words, false
	}
	return prefix, true
}

// Places returns the options of a command that say where it takes effect, or from where it takes what it runs, with their values.
func Places(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	spec, name := programTable().Lookup(baseName(words[0]))
	if spec == nil {
		spec = &programRow{}
	}
	var all []string
	for _, o := range parseArguments(name, spec, literals(words[1:])).Options {
		parts := optionParts(o.Name)
		if o.Role.Kind == "place" || o.Role.Kind == "registry" || len(o.Name) > 2 && len(parts) > 0 && optionPlaces().Has(parts[len(parts)-1]) {
			all = append(all, o.Name+"="+o.Value.Text)
		}
	}
	slices.Sort(all)
	return all
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
