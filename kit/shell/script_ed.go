package shell

import (
	"strings"

	"rein/guard/effect"
)

// ed reads commands for ed: it writes its file, or others, and may run commands.
func (r *scripts) ed(sc *scope, script, file value) {
	r.Reads(sc, file)
	r.Writes(sc, file)
	for _, line := range strings.Split(script.Text, "\n") {
		line = strings.TrimLeft(line, "0123456789,.$;% ")
		if i := strings.IndexByte(line, '!'); i >= 0 && i <= 3 {
			r.Found(effect.Exec, "ed runs a command")
			r.Shell.Text(sc, script.With(line[i+1:]), nil)
		}
		verb, name, ok := strings.Cut(line, " ")
		switch {
		case !ok || strings.HasPrefix(name, "!"):
		case verb == "w" || verb == "W" || verb == "wq" || verb == "f":
			r.Writes(sc, script.With(name))
		case verb == "r" || verb == "e" || verb == "E":
			r.Reads(sc, script.With(name))
		}
	}
}

// elisp judges what an editor evaluates.
func (r *scripts) elisp(sc *scope, v value) {
	tokens := scanTokens(v.Text, ";")
	r.commandStrings(sc, tokens, v)
	if strings.Contains(v.Text, "delete-") {
		r.codeRemoves(sc, tokens, v)
	}
}
