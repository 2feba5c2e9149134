package shell

import "strings"

// unnamedVariable judges a variable that no rule names by the words of its name, as for options: X_COMMAND, X_LAUNCHER,
// X_OPTS, DOCKER_CONFIG.
func (r *reader) unnamedVariable(sc *scope, name string, v value) {
	if v.text == "" || !v.plain() {
		return
	}
	c := &call{name: name}
	c.got.spec = &program{class: Build}
	means := optionMeans(name)
	switch {
	case name == "LESS" && strings.ContainsAny(v.text, "+!"), strings.HasPrefix(name, "FZF_DEFAULT_OPTS") && strings.Contains(v.text, "execute"):
		r.found(Exec, "%s gives options that run other programs", name)
	case isFlags(strings.ToLower(name)):
		r.handedOn(sc, c, v)
	case means >= hintLoad && (strings.ContainsAny(v.text, "/~") || isShellText(v.text)):
		r.unnamedOption(sc, c, name, v)
	case means == hintConfig && r.ofTool(name):
		r.unnamedOption(sc, c, name, v)
	}
}

// ofTool reports whether a variable begins with the name of a tool: CMAKE_TOOLCHAIN_FILE. Others are the project's own.
func (r *reader) ofTool(name string) bool {
	first, _, _ := strings.Cut(strings.ToLower(name), "_")
	if first == "tf" {
		return true
	}
	spec := r.table.find(first)
	return spec != nil && spec.class != Read
}
