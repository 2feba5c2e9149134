package shell

import "strings"

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

// hasName reports whether a filter contains a name by itself, not as a field.
func hasName(filter, name string) bool {
	for i := 0; ; {
		j := strings.Index(filter[i:], name)
		if j < 0 {
			return false
		}
		at := i + j
		end := at + len(name)
		before := at == 0 || !isWordByte(filter[at-1]) && filter[at-1] != '.' && filter[at-1] != '"'
		after := end == len(filter) || !isWordByte(filter[end]) && filter[end] != '"' && filter[end] != ':'
		if before && after {
			return true
		}
		i = end
	}
}
