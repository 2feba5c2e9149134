package shell

import (
	"strings"

	"rein/places"
)

// runnerProgram reads rails runner: a file of the project, or ruby by itself.
func runnerProgram(r *reader, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	for i, a := range c.got.operands {
		switch {
		case i > 0:
			r.anyArg(sc, a)
		case strings.HasSuffix(a.text, ".rb"):
			r.script(sc, a, nil)
		case a.text == "-":
			r.codeInput(sc, &call{name: "ruby", in: c.in})
		default:
			r.code(sc, "ruby", a, nil, c.in)
		}
	}
	return data{taint: fromWork}, true
}

// cmakeProgram reads cmake: it installs files under the prefix.
func cmakeProgram(r *reader, sc *scope, c *call) (data, bool) {
	if c.got.has("-E") && len(c.got.operands) > 0 {
		return r.cmakeTool(sc, c), true
	}
	for _, o := range c.got.options {
		if name, val, ok := o.value.cut("="); ok && o.name == "-D" {
			r.cmakeVariable(sc, name.text, val)
		}
	}
	if c.got.has("--install") {
		if prefix, ok := c.got.value("--prefix"); ok {
			r.writes(sc, prefix)
		} else {
			r.effect(OutsideWrite)
		}
	}
	return data{}, false
}

// cmakeTool reads cmake -E: small programs that work the same everywhere.
func (r *reader) cmakeTool(sc *scope, c *call) data {
	what, args := c.got.operands[0].text, c.got.operands[1:]
	as := ""
	switch what {
	case "make_directory":
		as = "mkdir"
	case "touch", "touch_nocreate":
		as = "touch"
	case "copy", "copy_if_different", "copy_directory", "copy_directory_if_different":
		as = "cp"
	case "rename":
		as = "mv"
	case "remove", "rm", "remove_directory":
		as = "rm"
	case "cat", "echo", "sleep", "true", "false", "md5sum", "sha1sum", "sha256sum", "sha512sum":
		as = what
	case "compare_files":
		as = "cmp"
	case "capabilities", "environment":
		r.effect(Env)
		return data{taint: fromEnv}
	default:
		r.found(Exec, "cmake -E %s runs other programs", what)
		r.anyArgs(sc, args)
		return data{taint: fromWork}
	}
	argv := []value{literal(as)}
	if strings.Contains(what, "directory") && as != "mkdir" || what == "rm" {
		argv = append(argv, literal("-r"))
	}
	return r.execNamed(sc, as, append(argv, args...), c.in)
}

// cmakeVariable judges -DNAME=VALUE where the value is a program or a text of cmake's that runs.
func (r *reader) cmakeVariable(sc *scope, name string, v value) {
	for _, part := range []string{"COMPILER", "LAUNCHER", "LINKER", "TOOLCHAIN", "PROGRAM", "INCLUDE", "_PRE_", "EMULATOR"} {
		if strings.Contains(name, part) && strings.Contains(v.text, "/") {
			r.project(sc, v)
			if s := r.locate(sc, v); s.class == places.Temp {
				r.found(Exec, "%s names a program outside the workspace", name)
			}
			return
		}
	}
}
