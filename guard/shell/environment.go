package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
	"rein/guard/shell/table"
	"rein/places"
)

// assign reads NAME=value. Kept ones count for the rest of the shell, others for one command.
func (r *reader) assign(sc *judge.Scope, a *syntax.Assign, keep bool) fact.Value {
	if a.Index != nil {
		r.arithm(sc, a.Index)
		r.subscript(a.Index)
	}
	if a.Name == nil {
		return r.word(sc, a.Value)
	}
	name := a.Name.Value
	if a.Array != nil {
		list := r.array(sc, a.Array)
		if keep {
			if a.Append {
				list = append(sc.Arrays[name], list...)
			}
			sc.Arrays[name] = list
			delete(sc.Vars, name)
		}
		return fact.Value{}
	}
	v := r.assignedWord(sc, a.Value)
	if a.Append {
		before, _ := r.Lookup(sc, name)
		v = fact.JoinValues([]fact.Value{before, v}, "")
	}
	r.Environment(sc, name, v)
	if keep && a.Index == nil {
		sc.Vars[name] = v
	}
	return v
}

// assignedWord expands the value of an assignment, where a tilde also counts after a colon.
func (r *reader) assignedWord(sc *judge.Scope, w *syntax.Word) fact.Value {
	v := r.word(sc, w)
	if r.Ctx.Home != "" && strings.Contains(v.Text, ":~") {
		v.Text = strings.ReplaceAll(v.Text, ":~", ":"+r.Ctx.Home)
	}
	return v
}

// subscript of an assignment runs substitutions even where it is quoted.
func (r *reader) subscript(x syntax.ArithmExpr) {
	syntax.Walk(x, func(n syntax.Node) bool {
		if _, ok := n.(*syntax.CmdSubst); ok {
			r.Found(fact.Dynamic, "code in a subscript")
		}
		return true
	})
}

func (r *reader) array(sc *judge.Scope, a *syntax.ArrayExpr) []fact.Value {
	var list []fact.Value
	for _, e := range a.Elems {
		if e.Index != nil {
			r.arithm(sc, e.Index)
		}
		if e.Value != nil {
			list = append(list, r.wordFields(sc, e.Value)...)
		}
	}
	return list
}

// Environment judges a variable that programs look at.
func (r *reader) Environment(sc *judge.Scope, name string, v fact.Value) {
	switch rule := environmentRule(name); rule {
	case "":
		r.unnamedVariable(sc, name, v)
	case "path":
		if !r.tamePath(sc, v) {
			r.Found(fact.Dynamic, "%s decides which programs run", name)
		}
	case "blanks":
		if strings.Trim(v.Text, " \t\n") != "" {
			r.Found(fact.Dynamic, "IFS changes how the shell splits words")
		}
	case "work":
		for _, dir := range strings.Split(v.Text, ":") {
			if dir != "" {
				r.library(sc, name, v.With(dir))
			}
		}
	case "tool":
		if name == "GIT_SEQUENCE_EDITOR" || name == "GIT_EDITOR" {
			sc.Unedited = v.Text == ":" || v.Text == "true" || v.Text == "cat"
		}
		if !bareTool(v) {
			r.Found(fact.Exec, "%s names a program that runs", name)
			r.Text(sc, v, nil)
		}
	case "flags":
		if dangerousFlags(v.Text) || !v.Plain() {
			r.Found(fact.Exec, "%s gives options that run other programs", name)
		}
	case "net":
		r.Found(fact.Exec, "%s sends traffic another way", name)
	case "history":
		r.Found(fact.Admin, "switches off the shell's history")
	case "prompt":
		if strings.Contains(v.Text, "$(") || strings.Contains(v.Text, "`") {
			r.Found(fact.Exec, "%s runs a command each time it is shown", name)
		}
	case "shell":
		r.Found(fact.Exec, "%s names a program that runs", name)
		r.Text(sc, v.With(strings.TrimLeft(v.Text, "|-")), nil) // LESSOPEN begins with them
	default:
		r.Found(fact.Exec, "%s makes programs run other code", name)
		if v.Proc != nil {
			r.RunText(sc, *v.Proc, "a process substitution", nil)
		}
	}
}

// tamePath reports whether PATH only holds the directories of installed programs.
func (r *reader) tamePath(sc *judge.Scope, v fact.Value) bool {
	for _, dir := range strings.Split(v.Text, ":") {
		if dir == string(fact.Hole) {
			continue // $PATH itself
		}
		if r.projectTools(sc, v.With(dir)) {
			r.Effect(fact.Build)
			continue
		}
		if !strings.HasPrefix(dir, "/") {
			return false
		}
		switch places.Classify(dir, r.Ctx.Context) {
		case places.System, places.Tools:
		default:
			if dir != r.Ctx.Home+"/.local/bin" {
				return false
			}
		}
	}
	return true
}

// projectTools reports whether a directory is where package managers lay the tools of the project.
func (r *reader) projectTools(sc *judge.Scope, dir fact.Value) bool {
	if !dir.Plain() {
		return false
	}
	s := r.Locate(sc, dir)
	if s.Free || s.Class != places.Workspace {
		return false
	}
	for _, end := range [...]string{"/node_modules/.bin", "/.venv/bin", "/venv/bin", "/vendor/bin"} {
		if strings.HasSuffix(s.Abs, end) {
			return true
		}
	}
	return false
}

// library judges a directory that code is loaded from.
func (r *reader) library(sc *judge.Scope, name string, v fact.Value) {
	if v.Text == string(fact.Hole) {
		return
	}
	s := r.Locate(sc, v)
	switch s.Class {
	case places.Workspace, places.System, places.Tools:
		if !s.Free {
			if s.Class == places.Workspace && strings.HasSuffix(name, "LD_LIBRARY_PATH") {
				r.Effect(fact.Build)
			}
			return
		}
	}
	r.Found(fact.Exec, "%s loads code from %s", name, v.Shown())
}

// bareTool is a compiler or editor by its bare name, or something that does nothing.
func bareTool(v fact.Value) bool {
	if !v.Plain() || strings.ContainsAny(v.Text, "/;|&$`<>") {
		return false
	}
	for i, word := range strings.Fields(v.Text) {
		if !isBareTool(word) && (i == 0 || !strings.HasPrefix(word, "-") || runsByOption(word)) {
			return false
		}
	}
	return true
}

func isBareTool(word string) bool {
	return table.BareTools().Has(strings.TrimRight(word, "0123456789.-"))
}

// runsByOption reports options of pagers, editors and compilers that run something else.
func runsByOption(options string) bool {
	for _, bad := range []string{"-c", "-o", "!", "-e", "-S", "-wrapper", "-fplugin", "-specs", "-B"} {
		if strings.Contains(options, bad) {
			return true
		}
	}
	return false
}

// dangerousFlags reports options that make a tool run something else.
func dangerousFlags(s string) bool {
	for _, bad := range []string{
		"-toolexec", "-exec", "-overlay", "-modfile", "-vettool", "--require", "-r ", "--import", "--loader", "--experimental-loader",
		"-javaagent", "-agentlib", "-agentpath", "-XX:OnError", "-XX:OnOutOfMemory", "--eval", "SHELL=", "-fplugin", "-wrapper",
		"-specs", "-Clinker", "linker=", "-B", "/tmp", "--config", "-f ", "$(",
	} {
		if strings.Contains(s, bad) {
			return true
		}
	}
	return strings.HasPrefix(s, "-r")
}

// environmentRule returns the rule by which the reader judges a variable; "" for one that is harmless.
func environmentRule(name string) string {
	if rule := table.EnvironmentNames().Group(name); rule != "" {
		return rule
	}
	for _, prefix := range []string{"LD_", "DYLD_", "BASH_FUNC_", "GIT_CONFIG_KEY", "GIT_CONFIG_VALUE", "GIT_TRACE2", "CARGO_TARGET_", "_RLD", "REIN_"} {
		if strings.HasPrefix(name, prefix) {
			if name == "CARGO_TARGET_DIR" {
				return "work"
			}
			if strings.HasPrefix(name, "CARGO_TARGET_") && !strings.HasSuffix(name, "_RUNNER") && !strings.HasSuffix(name, "_LINKER") {
				return ""
			}
			return "code"
		}
	}
	return ""
}
