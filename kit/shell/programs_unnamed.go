package shell

import (
	"strings"

	"rein/guard/effect"
	"rein/kit/places"
)

// unnamedOperands judges the operands of a build tool: NAME=VALUE, a program of the scratch space,
// a shell.
func (r *programs) unnamedOperands(sc *scope, c *call) {
	for i, a := range c.Argv[1:] {
		if isEval(c.Argv[i].Text) && strings.Contains(a.Text, "(") && (c.Got.Spec.How == "" || c.Got.Spec.How == "make") {
			r.Shell.Code(sc, c.Name, a, nil, &data{Known: true})
		}
		if k := i + 2; k < len(c.Argv) && !strings.Contains(a.Text, "/") && strings.HasPrefix(c.Argv[k].Text, "-c") && isShellText(a.Text+" -c") && !isEval(c.Argv[i].Text) && r.isShell(a.Text) {
			r.Shell.Exec(sc, c.Argv[i+1:], &data{Known: true})
		}
		if strings.Contains(a.Text, "\\write18") || strings.Contains(a.Text, "\\directlua") {
			r.Found(effect.Exec, "runs a program of TeX: %s", a.Shown())
		}
	}
	for i, v := range c.Got.Operands {
		name, val, ok := v.Cut("=")
		switch {
		case ok && isSwitch(v.Text), ok && strings.HasPrefix(v.Text, "/p:"):
			r.UnnamedOption(sc, c, name.Text, val)
		case ok && isVariable(name.Text):
			r.Environment(sc, name.Text, val)
		case !c.Got.Spec.Flat && isCode(v.Text) && strings.HasPrefix(v.Text, "/"):
			if s := r.Locate(sc, v); !s.Free && s.Class == places.Temp && !r.wroteHere(sc, s.Abs) {
				r.Found(effect.Exec, "may run %s, outside the workspace", v.Shown())
			}
		case i <= 1 && !c.Got.Spec.Flat && r.buildsThere(sc, c, i):
			r.Found(effect.Exec, "builds %s, outside the workspace", v.Shown())
		}
	}
}

// buildsThere reports whether the word after a sub-command is a directory of the scratch space: next build /tmp/x.
func (r *programs) buildsThere(sc *scope, c *call, i int) bool {
	v := c.Got.Operands[i]
	if !strings.HasPrefix(v.Text, "/") || strings.Contains(baseName(v.Text), ".") || c.Got.Spec.Class != effect.Build || c.Got.Spec.How != "" {
		return false
	}
	if i == 0 && len(c.Got.Path) == 0 || i == 1 && !taskName(c.Got.Operands[0].Text, false) {
		return false
	}
	for k, a := range c.Argv {
		if k > 0 && a.Text == v.Text && strings.HasPrefix(c.Argv[k-1].Text, "-") {
			return false // it may be the option's
		}
	}
	s := r.Locate(sc, v)
	return !s.Free && s.Class == places.Temp
}

// isVariable reports whether a name is spelled like a variable that make, configure and similar commands know.
func isVariable(name string) bool {
	return name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == ""
}

// runsByName judges an option whose name shows that its value is a program or a command line.
func (r *programs) runsByName(sc *scope, name string, v value) bool {
	words := strings.Fields(v.Text)
	if len(words) == 0 || !v.Plain() {
		return false
	}
	spec := r.Table.Find(baseName(words[0]))
	switch {
	case len(words) > 1:
		if r.Shell.Text(sc, v, nil); spec == nil || Runs(words) || strings.Contains(words[0], "/") {
			r.Found(effect.Exec, "%s runs %s", name, v.Shown())
		}
		return true
	case !strings.Contains(v.Text, "/"):
		if spec != nil && (spec.How == "shell" || spec.How == "code") && !strings.HasSuffix(name, "shell") {
			r.Found(effect.Exec, "%s runs %s", name, v.Shown())
		}
		return !strings.HasPrefix(v.Text, ".")
	case r.InWork(r.Abs(sc, v.Text)) && !isCode(v.Text) && (spec == nil || !spec.Local):
		r.Found(effect.Exec, "%s runs %s", name, v.Shown())
		return true
	}
	return false
}

// tameProgram reports whether an option names a known tool by its bare name, which does no more than the table lists:
// sort --compress-program=gzip, man -P cat.
func (r *programs) tameProgram(v value) bool {
	words := strings.Fields(v.Text)
	if len(words) != 1 || !v.Plain() || v.Odd || strings.ContainsAny(v.Text, "/;|&$`<>()") {
		return false
	}
	spec := r.Table.Find(words[0])
	return spec != nil && spec.Class <= effect.Write && spec.Subs == nil && !Runs(words) && spec.How != "pager"
}

// elsewhere reports whether a place is the user's, but not the work's.
func (r *programs) elsewhere(s location) bool {
	return !s.Free && !r.InWork(s.Abs) && (s.Class == places.Outside || s.Class == places.Startup)
}

func (r *programs) isShell(name string) bool {
	spec := r.Table.Find(name)
	return spec != nil && spec.How == "shell"
}
