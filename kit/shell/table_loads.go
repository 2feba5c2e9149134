package shell

import (
	"strings"

	"rein/guard/effect"
)

// Options that the table does not name still say in their own names what they do: --plugin=x.so, --rcfile /tmp/x,
// --rsh-command=x load or run their value in every tool. Where the value lies decides: a building tool may load what is
// the project's own, nothing may load what is outside. What a tool that runs code gets from outside by an option
// whose name gives no hint is taken as loaded, too.

// mayLoad reports whether the word after an unknown option may be a file that it loads, or a program that it runs.
func (p *parsedArguments) mayLoad(option, next string) bool {
	if strings.HasPrefix(option, "--") && isFlags(option) && strings.HasPrefix(next, "-") && strings.Contains(next, "/") {
		return true
	}
	if strings.ContainsAny(option, "=/~") || strings.HasPrefix(next, "-") || next == "" || labels(option) {
		return false
	}
	long := strings.HasPrefix(option, "--")
	if !long && (p.Spec.posix || strings.Contains(next, "://")) {
		return false // what follows is a command, or a line for a shell
	}
	if !long && len(option) <= 4 {
		if _, takes, known := p.Spec.Option("-" + option[len(option)-1:]); known && takes {
			return false // the last of a cluster takes it
		}
	}
	switch {
	case isShellText(next) && (long || p.Spec.Class == effect.Build && !p.Spec.posix):
		return true
	case p.Spec.Class == effect.Build && len(option) == 2 && strings.Contains(loadLetters, option[1:]) && strings.HasPrefix(next, "/"):
		return true
	case !strings.ContainsAny(next, "/."):
		return false
	case (long || option == "-c") && strings.ContainsAny(next, "/~"):
		return true
	case (long || len(option) >= 6) && hintOf(option) >= hintConfig:
		return true
	}
	return (isCode(next) || isSettings(next) && p.Spec.Class == effect.Build) && strings.Contains(next, "/") && option != "-o"
}

// attached takes -Xplugin:/tmp/x, -fuse-ld=/tmp/x and --inject:/tmp/x apart, as building tools spell options.
func (p *parsedArguments) attached(a value) (parsedOption, bool) {
	if p.Spec.Class != effect.Build || len(a.Text) < 4 {
		return parsedOption{}, false
	}
	if len(a.Text) > 3 && a.Text[1] != '-' && (a.Text[2] == '/' || strings.HasPrefix(a.Text[2:], "./")) && strings.Contains(loadLetters, a.Text[1:2]) {
		if _, _, known := p.Spec.Option(a.Text[:2]); !known {
			return parsedOption{Name: a.Text[:2], Value: a.With(a.Text[2:]), Takes: true}, true
		}
	}
	for _, sep := range []string{"=", ":"} {
		name, after, ok := a.Cut(sep)
		if !ok || len(name.Text) < 3 || strings.ContainsAny(name.Text, "/~ ,") || !strings.ContainsAny(after.Text, "/~") && !isShellText(after.Text) {
			continue
		}
		if _, takes, known := p.Spec.Option(name.Text[:2]); known && takes && !strings.HasPrefix(a.Text, "--") {
			continue
		}
		return parsedOption{Name: name.Text, Value: after, Takes: true}, true
	}
	return parsedOption{}, false
}
