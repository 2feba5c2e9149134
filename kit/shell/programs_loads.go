package shell

import (
	"strings"

	"rein/guard/effect"
	"rein/kit/places"
)

// UnnamedOptions judges the options that the table does not name, and those of its texts that say NAME=VALUE.
func (r *programs) UnnamedOptions(sc *scope, c *call) {
	for _, o := range c.Got.Options {
		switch {
		case o.Takes && !o.Known:
			r.UnnamedOption(sc, c, o.Name, o.Value)
		case o.Takes && o.Role.Kind == "text" && c.RunsCode():
			r.textOption(sc, c, o)
		}
	}
	if c.RunsCode() && c.Got.Spec.How != "code" {
		r.unnamedOperands(sc, c)
	}
}

// textOption judges an option whose value is a text by itself: what it sets, or passes on, may load all the same.
func (r *programs) textOption(sc *scope, c *call, o parsedOption) {
	name, val, ok := o.Value.Cut("=")
	switch {
	case ok && strings.HasPrefix(val.Text, "-"):
		r.HandedOn(sc, c, val) // -DargLine=-javaagent:x
	case ok && (hintOf(name.Text) >= hintConfig || strings.Contains(val.Text, "/") && isCode(val.Text)) && !strings.ContainsAny(name.Text, " /"):
		r.UnnamedOption(sc, c, name.Text, val)
	case isFlags(o.Name):
		r.HandedOn(sc, c, o.Value)
	case strings.HasPrefix(o.Value.Text, "/") && (hintOf(o.Name) >= hintConfig && len(o.Name) > 2 || (isCode(o.Value.Text) || isSettings(o.Value.Text)) && o.Name != "-o"):
		r.UnnamedOption(sc, c, o.Name, o.Value)
	}
}

// HandedOn judges the options in a text for another program.
func (r *programs) HandedOn(sc *scope, c *call, v value) {
	words := strings.Fields(v.Text)
	for i, w := range words {
		name, val, ok := strings.Cut(w, "=")
		if !ok && i+1 < len(words) {
			val = words[i+1]
		}
		if strings.HasPrefix(name, "-javaagent:") || strings.HasPrefix(val, "exec=") || name == "-r" || name == "-s" && strings.HasPrefix(val, "/") {
			r.Found(effect.Exec, "passes %s to another program", showText(w))
		}
		if strings.HasPrefix(name, "-") && (hintOf(name) >= hintConfig || strings.HasPrefix(name, "-extld")) {
			r.UnnamedOption(sc, c, name, v.With(val))
		}
	}
}

// UnnamedOption judges the value of an option that the table does not name.
func (r *programs) UnnamedOption(sc *scope, c *call, name string, v value) {
	means := hintOf(name)
	if isShellText(v.Text) && means != hintData {
		r.Found(effect.Exec, "%s runs %s", name, v.Shown())
		r.Shell.Text(sc, v.With(strings.TrimLeft(v.Text, "|! ")), nil)
		return
	}
	if i := strings.LastIndexByte(v.Text, '='); i >= 0 {
		if isProductName(v.Text[:i]) || strings.HasSuffix(strings.ToLower(v.Text[:i]), "filename") {
			means = hintData // --logger 'trx;LogFileName=/tmp/x'
		}
		v = v.With(v.Text[i+1:]) // --override=name=/path
	}
	if isFlags(name) {
		r.HandedOn(sc, c, v)
	}
	if means == hintRun && r.runsByName(sc, name, v) || v.Text == "" || !strings.ContainsAny(v.Text, "/.~") || strings.Contains(v.Text, "://") {
		return
	}
	runs := c.RunsCode()
	s := r.Locate(sc, v)
	switch {
	case means == hintData && r.elsewhere(s) && isProductName(name):
		r.Writes(sc, v)
	case means == hintData && (!isCode(v.Text) || isWritten(name)):
	case means <= hintData:
		foreign := s.Class == places.Temp || s.Class == places.Outside && isCode(v.Text)
		if runs && !s.Free && foreign && !r.InWork(s.Abs) && !r.wroteHere(sc, s.Abs) && (len(name) > 2 || isCode(v.Text) || isSettings(v.Text)) {
			r.Found(effect.Exec, "%s may load %s, outside the workspace", name, v.Shown())
		}
	case s.Free:
		r.Found(effect.Dynamic, "%s loads code that is not known before it runs", name)
	case s.Class == places.System, s.Class == places.Tools, s.Class == places.Sink:
	case !r.InWork(s.Abs):
		r.Found(effect.Exec, "%s loads %s, outside the workspace", name, v.Shown())
	case means >= hintLoad && !runs, strings.HasSuffix(s.Abs, ".so"), strings.HasSuffix(s.Abs, ".dylib"):
		r.Found(effect.Exec, "%s runs %s", name, v.Shown())
	default:
		r.Effect(effect.Build)
	}
}

func (r *programs) wroteHere(sc *scope, abs string) bool {
	_, ok := sc.Written[abs]
	return ok
}

// javaProgram reads java: agents are named behind a colon.
func javaProgram(r *programs, sc *scope, c *call) (data, bool) {
	for _, a := range c.Argv[1:] {
		for _, on := range []string{"-XX:OnError=", "-XX:OnOutOfMemoryError="} {
			if cmd, ok := strings.CutPrefix(a.Text, on); ok {
				r.Found(effect.Exec, "runs a command when it fails: %s", a.Shown())
				r.Shell.Text(sc, a.With(cmd), nil)
			}
		}
		if file, ok := strings.CutPrefix(a.Text, "@"); ok {
			r.Project(sc, a.With(file))
		}
		if strings.HasPrefix(a.Text, "-javaagent:") || strings.HasPrefix(a.Text, "-agentpath:") || strings.HasPrefix(a.Text, "-agentlib:") || strings.HasPrefix(a.Text, "-Xbootclasspath") {
			r.Found(effect.Exec, "loads an agent: %s", a.Shown())
		}
	}
	return data{}, false
}
