package shell

import (
	"strings"

	"rein/places"
)

// Options that the table does not name still say in their own names what they do: --plugin=x.so, --rcfile /tmp/x,
// --rsh-command=x load or run their value in every tool. Where the value lies decides: a building tool may load what is
// the project's own, nothing may load what lies outside. What a tool that runs code gets from outside by an option
// whose name gives no hint is taken as loaded, too.

// mayLoad reports whether the word after an unknown option may be a file that it loads, or a program that it runs.
func (p *parsed) mayLoad(option, next string) bool {
	if strings.HasPrefix(option, "--") && isFlags(option) && strings.HasPrefix(next, "-") && strings.Contains(next, "/") {
		return true
	}
	if strings.ContainsAny(option, "=/~") || strings.HasPrefix(next, "-") || next == "" || labels(option) {
		return false
	}
	long := strings.HasPrefix(option, "--")
	if !long && p.spec.posix {
		return false // what follows is a command, or a line for a shell
	}
	if !long && len(option) <= 4 {
		if _, takes, known := p.spec.option("-" + option[len(option)-1:]); known && takes {
			return false // the last of a cluster takes it
		}
	}
	switch {
	case isShellText(next) && (long || p.spec.class == Build && !p.spec.posix):
		return true
	case p.spec.class == Build && len(option) == 2 && strings.Contains(loadLetters, option[1:]) && strings.HasPrefix(next, "/"):
		return true
	case !strings.ContainsAny(next, "/."):
		return false
	case (long || option == "-c") && strings.ContainsAny(next, "/~"):
		return true
	case (long || len(option) >= 6) && optionMeans(option) >= hintConfig:
		return true
	}
	return (isCode(next) || isSettings(next) && p.spec.class == Build) && strings.Contains(next, "/") && option != "-o"
}

// attached takes -Xplugin:/tmp/x, -fuse-ld=/tmp/x and --inject:/tmp/x apart, as building tools spell options.
func (p *parsed) attached(a value) (option, bool) {
	if p.spec.class != Build || len(a.text) < 4 {
		return option{}, false
	}
	if len(a.text) > 3 && a.text[1] != '-' && (a.text[2] == '/' || strings.HasPrefix(a.text[2:], "./")) && strings.Contains(loadLetters, a.text[1:2]) {
		if _, _, known := p.spec.option(a.text[:2]); !known {
			return option{name: a.text[:2], value: a.with(a.text[2:]), takes: true}, true
		}
	}
	for _, sep := range []string{"=", ":"} {
		name, after, ok := a.cut(sep)
		if !ok || len(name.text) < 3 || strings.ContainsAny(name.text, "/~ ,") || !strings.ContainsAny(after.text, "/~") && !isShellText(after.text) {
			continue
		}
		if _, takes, known := p.spec.option(name.text[:2]); known && takes && !strings.HasPrefix(a.text, "--") {
			continue
		}
		return option{name: name.text, value: after, takes: true}, true
	}
	return option{}, false
}

// unnamedOptions judges the options that the table does not name, and those of its texts that say NAME=VALUE.
func (r *reader) unnamedOptions(sc *scope, c *call) {
	for _, o := range c.got.options {
		switch {
		case o.takes && !o.known:
			r.unnamedOption(sc, c, o.name, o.value)
		case o.takes && o.role.kind == "text" && c.runsCode():
			r.textOption(sc, c, o)
		}
	}
	if c.runsCode() && c.got.spec.how != "code" {
		r.unnamedOperands(sc, c)
	}
}

// runsCode reports whether a program builds, tests or interprets: it may run the files that it gets.
func (c *call) runsCode() bool {
	class := c.got.spec.class
	return class == Build || class == Write && c.spec != nil && c.spec.class == Build || c.got.spec.how == "code"
}

// textOption judges an option whose value is a text by itself: what it sets, or hands on, may load all the same.
func (r *reader) textOption(sc *scope, c *call, o option) {
	name, val, ok := o.value.cut("=")
	switch {
	case ok && strings.HasPrefix(val.text, "-"):
		r.handedOn(sc, c, val) // -DargLine=-javaagent:x
	case ok && (optionMeans(name.text) >= hintConfig || strings.Contains(val.text, "/") && isCode(val.text)) && !strings.ContainsAny(name.text, " /"):
		r.unnamedOption(sc, c, name.text, val)
	case isFlags(o.name):
		r.handedOn(sc, c, o.value)
	case strings.HasPrefix(o.value.text, "/") && (optionMeans(o.name) >= hintConfig && len(o.name) > 2 || (isCode(o.value.text) || isSettings(o.value.text)) && o.name != "-o"):
		r.unnamedOption(sc, c, o.name, o.value)
	}
}

// handedOn judges the options in a text for another program.
func (r *reader) handedOn(sc *scope, c *call, v value) {
	words := strings.Fields(v.text)
	for i, w := range words {
		name, val, ok := strings.Cut(w, "=")
		if !ok && i+1 < len(words) {
			val = words[i+1]
		}
		if strings.HasPrefix(name, "-javaagent:") || strings.HasPrefix(val, "exec=") || name == "-r" || name == "-s" && strings.HasPrefix(val, "/") {
			r.found(Exec, "passes %s to another program", show(w))
		}
		if strings.HasPrefix(name, "-") && (optionMeans(name) >= hintConfig || strings.HasPrefix(name, "-extld")) {
			r.unnamedOption(sc, c, name, v.with(val))
		}
	}
}

// unnamedOption judges the value of an option that the table does not name.
func (r *reader) unnamedOption(sc *scope, c *call, name string, v value) {
	means := optionMeans(name)
	if isShellText(v.text) && means != hintData {
		r.found(Exec, "%s runs %s", name, v.shown())
		r.text(sc, v.with(strings.TrimLeft(v.text, "|! ")), nil)
		return
	}
	if i := strings.LastIndexByte(v.text, '='); i >= 0 {
		if isProductName(v.text[:i]) || strings.HasSuffix(strings.ToLower(v.text[:i]), "filename") {
			means = hintData // --logger 'trx;LogFileName=/tmp/x'
		}
		v = v.with(v.text[i+1:]) // --override=name=/path
	}
	if isFlags(name) {
		r.handedOn(sc, c, v)
	}
	if means == hintRun && r.runsByName(sc, name, v) || v.text == "" || !strings.ContainsAny(v.text, "/.~") || strings.Contains(v.text, "://") {
		return
	}
	runs := c.runsCode()
	s := r.locate(sc, v)
	switch {
	case means == hintData && r.elsewhere(s) && isProductName(name):
		r.writes(sc, v)
	case means == hintData && (!isCode(v.text) || isWritten(name)):
	case means <= hintData:
		foreign := s.class == places.Temp || s.class == places.Outside && isCode(v.text)
		if runs && !s.free && foreign && !r.inWork(s.abs) && !r.wroteHere(sc, s.abs) && (len(name) > 2 || isCode(v.text) || isSettings(v.text)) {
			r.found(Exec, "%s may load %s, outside the workspace", name, v.shown())
		}
	case s.free:
		r.found(Dynamic, "%s loads code that is not known before it runs", name)
	case s.class == places.System, s.class == places.Tools, s.class == places.Sink:
	case !r.inWork(s.abs):
		r.found(Exec, "%s loads %s, outside the workspace", name, v.shown())
	case means >= hintLoad && !runs, strings.HasSuffix(s.abs, ".so"), strings.HasSuffix(s.abs, ".dylib"):
		r.found(Exec, "%s runs %s", name, v.shown())
	default:
		r.effect(Build)
	}
}

func (r *reader) wroteHere(sc *scope, abs string) bool {
	_, ok := sc.written[abs]
	return ok
}

// javaProgram reads java: agents are named behind a colon.
func javaProgram(r *reader, sc *scope, c *call) (data, bool) {
	for _, a := range c.argv[1:] {
		for _, on := range []string{"-XX:OnError=", "-XX:OnOutOfMemoryError="} {
			if cmd, ok := strings.CutPrefix(a.text, on); ok {
				r.found(Exec, "runs a command when it fails: %s", a.shown())
				r.text(sc, a.with(cmd), nil)
			}
		}
		if file, ok := strings.CutPrefix(a.text, "@"); ok {
			r.project(sc, a.with(file))
		}
		if strings.HasPrefix(a.text, "-javaagent:") || strings.HasPrefix(a.text, "-agentpath:") || strings.HasPrefix(a.text, "-agentlib:") || strings.HasPrefix(a.text, "-Xbootclasspath") {
			r.found(Exec, "loads an agent: %s", a.shown())
		}
	}
	return data{}, false
}

// codeIncludes takes the paths in a program that includes others as programs.
func (r *reader) codeIncludes(sc *scope, tokens []token, v value) {
	for i, t := range tokens {
		if !t.isStr || isText(tokens, i) || !strings.HasPrefix(t.str, "/") && !strings.HasPrefix(t.str, "..") || strings.ContainsAny(t.str, " \n*") {
			continue
		}
		if s := r.locate(sc, v.with(t.str)); !s.free && (s.class == places.Temp || s.class == places.Outside) {
			r.found(Exec, "runs %s from outside the workspace", show(t.str))
		}
	}
}
