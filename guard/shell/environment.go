package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"rein/places"
)

// assign reads NAME=value. Kept ones count for the rest of the shell, others for one command.
func (r *reader) assign(sc *scope, a *syntax.Assign, keep bool) value {
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
				list = append(sc.arrays[name], list...)
			}
			sc.arrays[name] = list
			delete(sc.vars, name)
		}
		return value{}
	}
	v := r.assignedWord(sc, a.Value)
	if a.Append {
		before, _ := r.lookup(sc, name)
		v = joinValues([]value{before, v}, "")
	}
	r.environment(sc, name, v)
	if keep && a.Index == nil {
		sc.vars[name] = v
	}
	return v
}

// assignedWord expands the value of an assignment, where a tilde also counts after a colon.
func (r *reader) assignedWord(sc *scope, w *syntax.Word) value {
	v := r.word(sc, w)
	if r.ctx.Home != "" && strings.Contains(v.text, ":~") {
		v.text = strings.ReplaceAll(v.text, ":~", ":"+r.ctx.Home)
	}
	return v
}

// subscript of an assignment runs substitutions even where it is quoted.
func (r *reader) subscript(x syntax.ArithmExpr) {
	syntax.Walk(x, func(n syntax.Node) bool {
		if _, ok := n.(*syntax.CmdSubst); ok {
			r.found(Dynamic, "code in a subscript")
		}
		return true
	})
}

func (r *reader) array(sc *scope, a *syntax.ArrayExpr) []value {
	var list []value
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

// environment judges a variable that programs look at.
func (r *reader) environment(sc *scope, name string, v value) {
	switch rule := environmentRule(name); rule {
	case "":
		r.unnamedVariable(sc, name, v)
	case "path":
		if !r.tamePath(sc, v) {
			r.found(Dynamic, "%s decides which programs run", name)
		}
	case "blanks":
		if strings.Trim(v.text, " \t\n") != "" {
			r.found(Dynamic, "IFS changes how the shell splits words")
		}
	case "work":
		for _, dir := range strings.Split(v.text, ":") {
			if dir != "" {
				r.library(sc, name, v.with(dir))
			}
		}
	case "tool":
		if name == "GIT_SEQUENCE_EDITOR" || name == "GIT_EDITOR" {
			sc.unedited = v.text == ":" || v.text == "true" || v.text == "cat"
		}
		if !bareTool(v) {
			r.found(Exec, "%s names a program that runs", name)
			r.text(sc, v, nil)
		}
	case "flags":
		if dangerousFlags(v.text) || !v.plain() {
			r.found(Exec, "%s gives options that run other programs", name)
		}
	case "net":
		r.found(Exec, "%s sends traffic another way", name)
	case "history":
		r.found(Admin, "switches off the shell's history")
	case "prompt":
		if strings.Contains(v.text, "$(") || strings.Contains(v.text, "`") {
			r.found(Exec, "%s runs a command each time it is shown", name)
		}
	case "shell":
		r.found(Exec, "%s names a program that runs", name)
		r.text(sc, v.with(strings.TrimLeft(v.text, "|-")), nil) // LESSOPEN begins with them
	default:
		r.found(Exec, "%s makes programs run other code", name)
		if v.proc != nil {
			r.runText(sc, *v.proc, "a process substitution", nil)
		}
	}
}

// tamePath reports whether PATH only holds the directories of installed programs.
func (r *reader) tamePath(sc *scope, v value) bool {
	for _, dir := range strings.Split(v.text, ":") {
		if dir == string(hole) {
			continue // $PATH itself
		}
		if r.projectTools(sc, v.with(dir)) {
			r.effect(Build)
			continue
		}
		if !strings.HasPrefix(dir, "/") {
			return false
		}
		switch places.Classify(dir, r.ctx.Context) {
		case places.System, places.Tools:
		default:
			if dir != r.ctx.Home+"/.local/bin" {
				return false
			}
		}
	}
	return true
}

// projectTools reports whether a directory is where package managers lay the tools of the project.
func (r *reader) projectTools(sc *scope, dir value) bool {
	if !dir.plain() {
		return false
	}
	s := r.locate(sc, dir)
	if s.free || s.class != places.Workspace {
		return false
	}
	for _, end := range [...]string{"/node_modules/.bin", "/.venv/bin", "/venv/bin", "/vendor/bin"} {
		if strings.HasSuffix(s.abs, end) {
			return true
		}
	}
	return false
}

// library judges a directory that code is loaded from.
func (r *reader) library(sc *scope, name string, v value) {
	if v.text == string(hole) {
		return
	}
	s := r.locate(sc, v)
	switch s.class {
	case places.Workspace, places.System, places.Tools:
		if !s.free {
			if s.class == places.Workspace && strings.HasSuffix(name, "LD_LIBRARY_PATH") {
				r.effect(Build)
			}
			return
		}
	}
	r.found(Exec, "%s loads code from %s", name, v.shown())
}

// bareTool is a compiler or editor by its bare name, or something that does nothing.
func bareTool(v value) bool {
	if !v.plain() || strings.ContainsAny(v.text, "/;|&$`<>") {
		return false
	}
	for i, word := range strings.Fields(v.text) {
		if !isBareTool(word) && (i == 0 || !strings.HasPrefix(word, "-") || runsByOption(word)) {
			return false
		}
	}
	return true
}

func isBareTool(word string) bool {
	return bareTools().has(strings.TrimRight(word, "0123456789.-"))
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
	if rule := environmentNames().group(name); rule != "" {
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

// secretVariable reports whether a variable's name shows that it holds a credential.
func secretVariable(name string) bool {
	n := strings.ToUpper(name)
	for _, word := range []string{"SECRET", "TOKEN", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "PRIVATE_KEY", "ACCESS_KEY", "CREDENTIAL", "DATABASE_URL", "_PAT", "_AUTH"} {
		if strings.Contains(n, word) {
			return true
		}
	}
	return false
}
