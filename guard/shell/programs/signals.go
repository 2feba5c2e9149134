package programs

import (
	"strings"

	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
	"rein/guard/shell/table"
)

// killProgram reads kill: whose processes.
func killProgram(r *Programs, _ *judge.Scope, c *table.Call) (fact.Data, bool) {
	args := c.Argv[1:]
	probe, named := false, false
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a.Text == "-l" || a.Text == "-L":
			return fact.Data{}, true
		case a.Text == "-s" || a.Text == "-n":
			i++
			named = true
		case a.Text == "--":
			named = true
		case a.Text == "-0":
			probe, named = true, true
		case !named && strings.HasPrefix(a.Text, "-") && a.Plain():
			named = true
		default:
			r.signals(a, probe)
		}
	}
	return fact.Data{Known: true}, true
}

func (r *Programs) signals(a fact.Value, probe bool) {
	switch {
	case probe:
	case a.Taint&fact.FromParent != 0:
		r.Found(fact.Tamper, "signals the harness")
	case a.Text == "-1" || a.Text == "1":
		r.Found(fact.Exhaust, "signals every process")
	case a.Taint&fact.FromJob != 0 || strings.HasPrefix(a.Text, "%") || a.Text == "0":
		r.Effect(fact.Own)
	default:
		r.Effect(fact.Signal)
	}
}

// pgrepProgram reads pgrep and pidof: whose numbers they give.
func pgrepProgram(r *Programs, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	r.applyOptions(sc, c)
	for _, v := range c.Got.Operands {
		for _, self := range r.Self() {
			if v.Text == self || strings.HasPrefix(v.Text, self+" ") || strings.HasSuffix(v.Text, "/"+self) {
				return fact.Data{Taint: fact.FromNumber | fact.FromParent}, true
			}
		}
	}
	return fact.Data{Taint: fact.FromNumber}, true
}

// pkillProgram reads pkill and killall: by name.
func pkillProgram(r *Programs, sc *judge.Scope, c *table.Call) (fact.Data, bool) {
	for _, a := range c.Argv[1:] {
		switch a.Text {
		case "-0", "-l", "--list", "-SIGNULL":
			return fact.Data{Known: true}, true // it only looks
		}
	}
	r.applyOptions(sc, c)
	r.Effect(fact.Signal)
	for _, v := range c.Got.Operands {
		for _, self := range r.Self() {
			if strings.Contains(v.Text, self) && (v.Text == self || strings.HasPrefix(v.Text, self+" ") || strings.HasSuffix(v.Text, "/"+self)) {
				r.Found(fact.Tamper, "signals the harness")
			}
		}
		if v.Text == "." || v.Text == string(fact.Star) || v.Text == ".*" || v.Text == "" {
			r.Found(fact.Exhaust, "signals every process")
		}
	}
	if len(c.Got.Operands) == 0 && (c.Got.Has("-u", "-U", "--euid", "--uid", "-g", "-s")) {
		r.Found(fact.Exhaust, "signals every process of a user")
	}
	return fact.Data{Known: true}, true
}
