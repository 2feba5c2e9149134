package shell

import (
	"strings"

	"rein/places"
)

// unnamedOperands judges the operands of a build tool: NAME=VALUE, a program of the scratch space,
// a shell.
func (r *reader) unnamedOperands(sc *scope, c *call) {
	for i, a := range c.argv[1:] {
		if isEval(c.argv[i].text) && strings.Contains(a.text, "(") && (c.got.spec.how == "" || c.got.spec.how == "make") {
			r.code(sc, c.name, a, nil, &data{known: true})
		}
		if k := i + 2; k < len(c.argv) && !strings.Contains(a.text, "/") && strings.HasPrefix(c.argv[k].text, "-c") && isShellText(a.text+" -c") && !isEval(c.argv[i].text) && r.isShell(a.text) {
			r.exec(sc, c.argv[i+1:], &data{known: true})
		}
		if strings.Contains(a.text, "\\write18") || strings.Contains(a.text, "\\directlua") {
			r.found(Exec, "runs a program of TeX: %s", a.shown())
		}
	}
	for i, v := range c.got.operands {
		name, val, ok := v.cut("=")
		switch {
		case ok && isSwitch(v.text), ok && strings.HasPrefix(v.text, "/p:"):
			r.unnamedOption(sc, c, name.text, val)
		case ok && isVariable(name.text):
			r.environment(sc, name.text, val)
		case !c.got.spec.flat && isCode(v.text) && strings.HasPrefix(v.text, "/"):
			if s := r.locate(sc, v); !s.free && s.class == places.Temp && !r.wroteHere(sc, s.abs) {
				r.found(Exec, "may run %s, outside the workspace", v.shown())
			}
		case i <= 1 && !c.got.spec.flat && r.buildsThere(sc, c, i):
			r.found(Exec, "builds %s, outside the workspace", v.shown())
		}
	}
}

// buildsThere reports whether the word after a sub-command is a directory of the scratch space: next build /tmp/x.
func (r *reader) buildsThere(sc *scope, c *call, i int) bool {
	v := c.got.operands[i]
	if !strings.HasPrefix(v.text, "/") || strings.Contains(baseName(v.text), ".") || c.got.spec.class != Build || c.got.spec.how != "" {
		return false
	}
	if i == 0 && len(c.got.path) == 0 || i == 1 && !taskName(c.got.operands[0].text, false) {
		return false
	}
	for k, a := range c.argv {
		if k > 0 && a.text == v.text && strings.HasPrefix(c.argv[k-1].text, "-") {
			return false // it may be the option's
		}
	}
	s := r.locate(sc, v)
	return !s.free && s.class == places.Temp
}

// isVariable reports whether a name is spelled like a variable that make, configure and similar commands know.
func isVariable(name string) bool {
	return name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == ""
}

// runsByName judges an option whose name shows that its value is a program or a command line.
func (r *reader) runsByName(sc *scope, name string, v value) bool {
	words := strings.Fields(v.text)
	if len(words) == 0 || !v.plain() {
		return false
	}
	spec := r.table.find(baseName(words[0]))
	switch {
	case len(words) > 1:
		if r.text(sc, v, nil); spec == nil || Runs(words) || strings.Contains(words[0], "/") {
			r.found(Exec, "%s runs %s", name, v.shown())
		}
		return true
	case !strings.Contains(v.text, "/"):
		if spec != nil && (spec.how == "shell" || spec.how == "code") && !strings.HasSuffix(name, "shell") {
			r.found(Exec, "%s runs %s", name, v.shown())
		}
		return !strings.HasPrefix(v.text, ".")
	case r.inWork(r.abs(sc, v.text)) && !isCode(v.text) && (spec == nil || !spec.local):
		r.found(Exec, "%s runs %s", name, v.shown())
		return true
	}
	return false
}

// tameProgram reports whether an option names a known tool by its bare name, which does no more than the table lists:
// sort --compress-program=gzip, man -P cat.
func (r *reader) tameProgram(v value) bool {
	words := strings.Fields(v.text)
	if len(words) != 1 || !v.plain() || v.odd || strings.ContainsAny(v.text, "/;|&$`<>()") {
		return false
	}
	spec := r.table.find(words[0])
	return spec != nil && spec.class <= Write && spec.subs == nil && !Runs(words) && spec.how != "pager"
}

// elsewhere reports whether a place is the user's, but not the work's.
func (r *reader) elsewhere(s spot) bool {
	return !s.free && !r.inWork(s.abs) && (s.class == places.Outside || s.class == places.Startup)
}

func (r *reader) isShell(name string) bool {
	spec := r.table.find(name)
	return spec != nil && spec.how == "shell"
}
