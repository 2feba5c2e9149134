package shell

import (
	"strings"

	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
	"rein/guard/shell/table"
)

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
