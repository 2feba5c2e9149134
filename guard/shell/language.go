package shell

import (
	"strings"

	"rein/places"
)

// startsPrograms looks for calls whose names are no words for the usual languages: Lisp, Erlang, Nix.
func startsPrograms(text, lang string) bool {
	switch lang {
	case "python", "python3":
		return strings.Contains(text, "webbrowser.get(")
	case "node", "deno", "bun", "tsx", "ts-node", "perl", "ruby", "php", "lua", "go":
		return false
	}
	for _, call := range []string{"run-program", "shell/sh", "(shell ", "(sh ", "os:cmd", "builtins.exec", "Process()", "(system ", "%sh{", "sys.process"} {
		if strings.Contains(text, call) {
			return true
		}
	}
	return false
}

// languageProgram reads building tools that run a text or a file as well: erl -eval, scala -e, dart x.dart.
func languageProgram(r *reader, sc *scope, c *call) (data, bool) {
	for i, a := range c.argv[1:] {
		switch {
		case isCode(a.text) && strings.Contains(a.text, "/") || strings.HasSuffix(a.text, "."+c.name):
			if s := r.locate(sc, a); !s.free && s.class == places.Temp && c.argv[i].text != "-o" {
				r.script(sc, a, nil)
			}
		case strings.ContainsAny(a.text, "({") && i > 0 && strings.HasPrefix(c.argv[i].text, "-"), strings.ContainsAny(a.text, "({\"'"), isEval(c.argv[i].text):
			r.code(sc, c.name, a, nil, &data{known: true})
		}
	}
	return data{}, false
}

func isEval(option string) bool {
	switch option {
	case "-e", "-eval", "--eval", "-E", "eval", "-if":
		return true
	}
	return strings.HasPrefix(option, "--") && (strings.HasSuffix(option, "expr") || strings.HasSuffix(option, "eval"))
}
