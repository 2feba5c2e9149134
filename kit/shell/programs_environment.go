package shell

import (
	"strings"

	"rein/guard/effect"
	"rein/kit/places"
)

// Environment judges a variable that programs look at.
func (r *programs) Environment(sc *scope, name string, v value) {
	switch rule := environmentRule(name); rule {
	case "":
		r.unnamedVariable(sc, name, v)
	case "path":
		if !r.tamePath(sc, v) {
			r.Found(effect.Dynamic, "%s decides which programs run", name)
		}
	case "blanks":
		if strings.Trim(v.Text, " \t\n") != "" {
			r.Found(effect.Dynamic, "IFS changes how the shell splits words")
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
			r.Found(effect.Exec, "%s names a program that runs", name)
			r.Shell.Text(sc, v, nil)
		}
	case "flags":
		if dangerousFlags(v.Text) || !v.Plain() {
			r.Found(effect.Exec, "%s gives options that run other programs", name)
		}
	case "net":
		r.Found(effect.Exec, "%s sends traffic another way", name)
	case "history":
		r.Found(effect.Admin, "switches off the shell's history")
	case "prompt":
		if strings.Contains(v.Text, "$(") || strings.Contains(v.Text, "`") {
			r.Found(effect.Exec, "%s runs a command each time it is shown", name)
		}
	case "shell":
		r.Found(effect.Exec, "%s names a program that runs", name)
		r.Shell.Text(sc, v.With(strings.TrimLeft(v.Text, "|-")), nil) // LESSOPEN begins with them
	default:
		r.Found(effect.Exec, "%s makes programs run other code", name)
		if v.Proc != nil {
			r.Shell.RunText(sc, *v.Proc, "a process substitution", nil)
		}
	}
}

// tamePath reports whether PATH only holds the directories of installed programs.
func (r *programs) tamePath(sc *scope, v value) bool {
	behind := false
	for _, dir := range strings.Split(v.Text, ":") {
		if dir == string(anyText) {
			behind = true
			continue // $PATH itself
		}
		if behind && dir != "" && dir != "." && r.InWork(r.Abs(sc, dir)) && isPlain(dir) {
			r.Effect(effect.Build) // no installed program is hidden by it
			continue
		}
		if r.projectTools(sc, v.With(dir)) {
			r.Effect(effect.Build)
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
func (r *programs) projectTools(sc *scope, dir value) bool {
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
func (r *programs) library(sc *scope, name string, v value) {
	if v.Text == string(anyText) {
		return
	}
	s := r.Locate(sc, v)
	switch s.Class {
	case places.Workspace, places.System, places.Tools:
		if !s.Free {
			if s.Class == places.Workspace && strings.HasSuffix(name, "LD_LIBRARY_PATH") {
				r.Effect(effect.Build)
			}
			return
		}
	}
	r.Found(effect.Exec, "%s loads code from %s", name, v.Shown())
}

// bareTool is a compiler or editor by its bare name, or something that does nothing.
func bareTool(v value) bool {
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

// unnamedVariable judges a variable that no rule names by the words of its name, as for options: X_COMMAND, X_LAUNCHER,
// X_OPTS, DOCKER_CONFIG.
func (r *programs) unnamedVariable(sc *scope, name string, v value) {
	if v.Text == "" || !v.Plain() {
		return
	}
	c := &call{Name: name}
	c.Got.Spec = &programRow{Class: effect.Build}
	means := hintOf(name)
	switch {
	case name == "LESS" && strings.ContainsAny(v.Text, "+!"), strings.HasPrefix(name, "FZF_DEFAULT_OPTS") && strings.Contains(v.Text, "execute"):
		r.Found(effect.Exec, "%s gives options that run other programs", name)
	case isFlags(strings.ToLower(name)):
		r.HandedOn(sc, c, v)
	case means >= hintLoad && (strings.ContainsAny(v.Text, "/~") || isShellText(v.Text)):
		r.UnnamedOption(sc, c, name, v)
	case means == hintConfig && r.ofTool(name):
		r.UnnamedOption(sc, c, name, v)
	}
}

// ofTool reports whether a variable begins with the name of a tool: CMAKE_TOOLCHAIN_FILE. Others are the project's own.
func (r *programs) ofTool(name string) bool {
	first, _, _ := strings.Cut(strings.ToLower(name), "_")
	if first == "tf" {
		return true
	}
	spec := r.Table.Find(first)
	return spec != nil && spec.Class != effect.Read
}
