package shell

import (
	"maps"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"rein/guard/shell/bash"
	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
	"rein/guard/shell/table"
	"rein/places"
)

// assign reads NAME=value. Kept ones count for the rest of the shell, others for one command.
func (r *reader) assign(sc *judge.Scope, a *syntax.Assign, keep bool) fact.Value {
	if a.Name == nil {
		return r.word(sc, a.Value)
	}
	name := a.Name.Value
	if a.Array != nil {
		list := r.array(sc, name, a.Array, a.Append)
		if name == "PROMPT_COMMAND" {
			r.Found(fact.Dynamic, "sets what the shell runs before each prompt")
		}
		if keep {
			sc.SetArray(name, list)
		}
		return fact.Value{}
	}
	v := r.assignedWord(sc, a.Value)
	v = r.integer(sc, name, v)
	if a.Index != nil {
		r.setElement(sc, name, a.Index, v, a.Append)
		return v
	}
	if a.Append {
		before, _ := r.Lookup(sc, name)
		if sure, ok := sc.Integers[name]; ok && sure {
			v = fact.HoleOf(fact.FromNumber)
		} else {
			v = before.Append(v)
		}
	}
	r.Environment(sc, name, v)
	if keep {
		sc.Set(name, v)
	} else {
		sc.Export(name)
		sc.Vars[name] = v
	}
	return v
}

// integer is the value that an assignment gives to a variable, which may have the integer attribute.
func (r *reader) integer(sc *judge.Scope, name string, v fact.Value) fact.Value {
	sure, ok := sc.Integers[name]
	if !ok || judge.IsNumber(v.Text) && v.Text[0] != '0' {
		return v
	}
	switch n, known := r.evaluate(sc, v); {
	case !sure:
		return fact.HoleOf(v.Taint | fact.FromLost)
	case known:
		return fact.Value{Text: strconv.FormatInt(n, 10), Odd: true}
	}
	return fact.HoleOf(fact.FromNumber)
}

// setElement assigns to an element of an array.
func (r *reader) setElement(sc *judge.Scope, name string, index syntax.ArithmExpr, v fact.Value, add bool) {
	if bash.HasCode(index) {
		r.Found(fact.Dynamic, "code in a subscript")
	}
	var key string
	lost := false
	if doubts := r.InDoubt(func() { key, lost = r.subscript(sc, name, index) }); len(doubts) > 0 {
		lost = true
	}
	a, ok := sc.Arrays[name]
	r.Work += 2 * len(a.Items)
	if before, set := sc.Vars[name]; !ok && set {
		a = judge.ListOf([]fact.Value{before})
	}
	if lost {
		a = judge.LostArray(a.Taint | v.Taint)
	} else if before, set := a.Item(key); add && set {
		v = fact.JoinValues([]fact.Value{before, v}, "")
	}
	sc.SetArray(name, a.With(key, v))
}

// assignedWord expands the value of an assignment, where a tilde also counts after a colon.
func (r *reader) assignedWord(sc *judge.Scope, w *syntax.Word) fact.Value {
	v := r.word(sc, w)
	if home, _ := r.Lookup(sc, "HOME"); home.Text != "" && strings.Contains(bash.RawText(w), ":~") {
		v.Text = strings.ReplaceAll(v.Text, ":~", ":"+home.Text)
		v.Taint |= home.Taint
	}
	return v
}

// array reads name=(…).
func (r *reader) array(sc *judge.Scope, name string, x *syntax.ArrayExpr, add bool) judge.Array {
	a := judge.Array{Assoc: sc.Arrays[name].Assoc}
	if add {
		before, ok := sc.Arrays[name]
		if v, set := sc.Vars[name]; !ok && set {
			before = judge.ListOf([]fact.Value{v})
		}
		a = before
	}
	next := a.Next()
	r.Work += 8 * len(a.Items) // they are sorted
	items := map[string]fact.Value{}
	maps.Copy(items, a.Items)
	a.Items = items
	for _, e := range x.Elems {
		if e.Index != nil {
			if bash.HasCode(e.Index) {
				r.Found(fact.Dynamic, "code in a subscript")
			}
			key, lost := r.subscript(sc, name, e.Index)
			a.Lost = a.Lost || lost
			v := r.word(sc, e.Value)
			if strings.HasPrefix(bash.RawText(e.Value), "~") {
				v = fact.HoleOf(v.Taint | fact.FromLost) // bash expands it in some arrays only
			}
			items[key] = v
			if n, err := strconv.Atoi(key); err == nil {
				next = n + 1
			}
			continue
		}
		var list []fact.Value
		if names := r.InDoubt(func() { list = r.wordFields(sc, e.Value) }); len(names) > 0 {
			a.Lost, a.Taint = true, a.Taint|fact.FromLost
			sc.EndReading(names)
		}
		for _, v := range list {
			a.Lost, a.Loose = a.Lost || a.Assoc, a.Loose || v.Many
			a.Taint |= v.Taint
			items[strconv.Itoa(next)] = v
			next++
		}
	}
	return a
}

// Environment judges a variable that programs look at.
func (r *reader) Environment(sc *judge.Scope, name string, v fact.Value) {
	switch rule := table.EnvironmentRule(name); rule {
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
		if table.DangerousFlags(v.Text) || !v.Plain() {
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
	behind := false
	for _, dir := range strings.Split(v.Text, ":") {
		if dir == string(fact.Hole) {
			behind = true
			continue // $PATH itself
		}
		if behind && dir != "" && dir != "." && r.InWork(r.Abs(sc, dir)) && fact.IsPlain(dir) {
			r.Effect(fact.Build) // no installed program is hidden by it
			continue
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
		if !table.IsBareTool(word) && (i == 0 || !strings.HasPrefix(word, "-") || table.RunsByOption(word)) {
			return false
		}
	}
	return true
}

// unnamedVariable judges a variable that no rule names by the words of its name, as for options: X_COMMAND, X_LAUNCHER,
// X_OPTS, DOCKER_CONFIG.
func (r *reader) unnamedVariable(sc *judge.Scope, name string, v fact.Value) {
	if v.Text == "" || !v.Plain() {
		return
	}
	c := &table.Call{Name: name}
	c.Got.Spec = &table.Program{Class: fact.Build}
	means := table.OptionMeans(name)
	switch {
	case name == "LESS" && strings.ContainsAny(v.Text, "+!"), strings.HasPrefix(name, "FZF_DEFAULT_OPTS") && strings.Contains(v.Text, "execute"):
		r.Found(fact.Exec, "%s gives options that run other programs", name)
	case table.IsFlags(strings.ToLower(name)):
		r.HandedOn(sc, c, v)
	case means >= table.HintLoad && (strings.ContainsAny(v.Text, "/~") || table.IsShellText(v.Text)):
		r.UnnamedOption(sc, c, name, v)
	case means == table.HintConfig && r.ofTool(name):
		r.UnnamedOption(sc, c, name, v)
	}
}

// ofTool reports whether a variable begins with the name of a tool: CMAKE_TOOLCHAIN_FILE. Others are the project's own.
func (r *reader) ofTool(name string) bool {
	first, _, _ := strings.Cut(strings.ToLower(name), "_")
	if first == "tf" {
		return true
	}
	spec := r.Table.Find(first)
	return spec != nil && spec.Class != fact.Read
}
