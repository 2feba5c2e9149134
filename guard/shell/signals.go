package shell

import "strings"

// killProgram reads kill: whose processes.
func killProgram(r *reader, _ *scope, c *call) (data, bool) {
	args := c.argv[1:]
	probe, named := false, false
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a.text == "-l" || a.text == "-L":
			return data{}, true
		case a.text == "-s" || a.text == "-n":
			i++
			named = true
		case a.text == "--":
			named = true
		case a.text == "-0":
			probe, named = true, true
		case !named && strings.HasPrefix(a.text, "-") && a.plain():
			named = true
		default:
			r.signals(a, probe)
		}
	}
	return data{known: true}, true
}

func (r *reader) signals(a value, probe bool) {
	switch {
	case probe:
	case a.taint&fromParent != 0:
		r.found(Tamper, "signals the harness")
	case a.text == "-1" || a.text == "1":
		r.found(Exhaust, "signals every process")
	case a.taint&fromJob != 0 || strings.HasPrefix(a.text, "%") || a.text == "0":
		r.effect(Own)
	default:
		r.effect(Signal)
	}
}

// pgrepProgram reads pgrep and pidof: whose numbers they give.
func pgrepProgram(r *reader, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	for _, v := range c.got.operands {
		for _, self := range r.self() {
			if v.text == self || strings.HasPrefix(v.text, self+" ") || strings.HasSuffix(v.text, "/"+self) {
				return data{taint: fromNumber | fromParent}, true
			}
		}
	}
	return data{taint: fromNumber}, true
}

// pkillProgram reads pkill and killall: by name.
func pkillProgram(r *reader, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	r.effect(Signal)
	for _, v := range c.got.operands {
		for _, self := range r.self() {
			if strings.Contains(v.text, self) && (v.text == self || strings.HasPrefix(v.text, self+" ") || strings.HasSuffix(v.text, "/"+self)) {
				r.found(Tamper, "signals the harness")
			}
		}
		if v.text == "." || v.text == string(star) || v.text == ".*" || v.text == "" {
			r.found(Exhaust, "signals every process")
		}
	}
	if len(c.got.operands) == 0 && (c.got.has("-u", "-U", "--euid", "--uid", "-g", "-s")) {
		r.found(Exhaust, "signals every process of a user")
	}
	return data{known: true}, true
}
