package shell

import (
	"strings"

	"rein/guard/effect"
)

// sed walks through a script: it knows enough of the language to find w, r, e and the flags of s.
func (r *scripts) sed(sc *scope, v value) {
	if v.Taint&^(fromNumber|fromWork|fromNames) != 0 && !v.Known() {
		r.Found(effect.Dynamic, "sed's script is not known before it runs")
	}
	s := &sedScanner{Text: v.Text}
	for !s.Done() {
		s.Skip(" \t\n;{}!")
		s.Address()
		s.Skip(" \t!")
		if s.Done() {
			return
		}
		switch cmd := s.Next(); cmd {
		case 's':
			if flags, file := s.Substitute(); strings.Contains(flags, "e") {
				r.Found(effect.Exec, "sed runs what it substitutes")
			} else if strings.Contains(flags, "w") {
				r.Writes(sc, v.With(file))
			}
		case 'y':
			s.Substitute()
		case 'e':
			line := s.Line()
			r.Found(effect.Exec, "sed runs a command: %s", line)
			r.Shell.Text(sc, v.With(strings.TrimSpace(line)), nil)
		case 'w', 'W':
			r.Writes(sc, v.With(strings.TrimSpace(s.Line())))
		case 'r', 'R':
			r.Reads(sc, v.With(strings.TrimSpace(s.Line())))
		case 'a', 'i', 'c':
			s.Line()
		case 'b', 't', 'T', ':':
			s.Until(";\n}")
		case '#':
			s.Line()
		}
	}
}
