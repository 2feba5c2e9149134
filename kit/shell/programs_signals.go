package shell

import (
	"strings"

	"rein/guard/effect"
)

// killProgram reads kill: whose processes.
func killProgram(r *programs, _ *scope, c *call) (data, bool) {
	args := c.Argv[1:]
	probe, named := false, false
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a.Text == "-l" || a.Text == "-L":
			return data{}, true
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
	return data{Known: true}, true
}

func (r *programs) signals(a value, probe bool) {
	switch {
	case probe:
	case a.Taint&fromParent != 0:
		r.Found(effect.Tamper, "signals the harness")
	case a.Text == "-1" || a.Text == "1":
		r.Found(effect.Exhaust, "signals every process")
	case a.Taint&fromJob != 0 || strings.HasPrefix(a.Text, "%") || a.Text == "0":
		r.Effect(effect.Own)
	default:
		r.Effect(effect.Signal)
	}
}

// pgrepProgram reads pgrep and pidof: whose numbers they give.
func pgrepProgram(r *programs, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	for _, v := range c.Got.Operands {
		for _, self := range r.Self() {
			if v.Text == self || strings.HasPrefix(v.Text, self+" ") || strings.HasSuffix(v.Text, "/"+self) {
				return data{Taint: fromNumber | fromParent}, true
			}
		}
	}
	return data{Taint: fromNumber}, true
}

// pkillProgram reads pkill and killall: by name.
func pkillProgram(r *programs, sc *scope, c *call) (data, bool) {
	for _, a := range c.Argv[1:] {
		switch a.Text {
		case "-0", "-l", "--list", "-SIGNULL":
			return data{Known: true}, true // it only looks
		}
	}
	r.applyOptions(sc, c)
	r.Effect(effect.Signal)
	for _, v := range c.Got.Operands {
		for _, self := range r.Self() {
			if strings.Contains(v.Text, self) && (v.Text == self || strings.HasPrefix(v.Text, self+" ") || strings.HasSuffix(v.Text, "/"+self)) {
				r.Found(effect.Tamper, "signals the harness")
			}
		}
		if v.Text == "." || v.Text == string(anyGlob) || v.Text == ".*" || v.Text == "" {
			r.Found(effect.Exhaust, "signals every process")
		}
	}
	if len(c.Got.Operands) == 0 && (c.Got.Has("-u", "-U", "--euid", "--uid", "-g", "-s")) {
		r.Found(effect.Exhaust, "signals every process of a user")
	}
	return data{Known: true}, true
}
