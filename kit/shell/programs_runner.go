package shell

import (
	"strings"

	"rein/guard/effect"
	"rein/kit/places"
)

// runnerProgram reads rails runner: a file of the project, or ruby by itself.
func runnerProgram(r *programs, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	for i, a := range c.Got.Operands {
		switch {
		case i > 0:
			r.AnyArg(sc, a)
		case strings.HasSuffix(a.Text, ".rb"):
			r.Script(sc, a, nil)
		case a.Text == "-":
			r.codeInput(sc, &call{Name: "ruby", In: c.In})
		default:
			r.Shell.Code(sc, "ruby", a, nil, c.In)
		}
	}
	return data{Taint: fromWork}, true
}

// cmakeProgram reads cmake: it installs files under the prefix.
func cmakeProgram(r *programs, sc *scope, c *call) (data, bool) {
	if c.Got.Has("-E") && len(c.Got.Operands) > 0 {
		return r.cmakeTool(sc, c), true
	}
	for _, o := range c.Got.Options {
		if name, val, ok := o.Value.Cut("="); ok && o.Name == "-D" {
			r.cmakeVariable(sc, name.Text, val)
		}
	}
	if c.Got.Has("--install") {
		if prefix, ok := c.Got.Value("--prefix"); ok {
			r.Writes(sc, prefix)
		} else {
			r.Effect(effect.OutsideWrite)
		}
	}
	return data{}, false
}

// cmakeTool reads cmake -E: small programs that work the same everywhere.
func (r *programs) cmakeTool(sc *scope, c *call) data {
	what, args := c.Got.Operands[0].Text, c.Got.Operands[1:]
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
		r.Effect(effect.Env)
		return data{Taint: fromEnv}
	default:
		r.Found(effect.Exec, "cmake -E %s runs other programs", what)
		r.AnyArgs(sc, args)
		return data{Taint: fromWork}
	}
	argv := []value{literal(as)}
	if strings.Contains(what, "directory") && as != "mkdir" || what == "rm" {
		argv = append(argv, literal("-r"))
	}
	return r.ExecNamed(sc, as, append(argv, args...), c.In)
}

// cmakeVariable judges -DNAME=VALUE where the value is a program or a text of cmake's that runs.
func (r *programs) cmakeVariable(sc *scope, name string, v value) {
	for _, part := range []string{"COMPILER", "LAUNCHER", "LINKER", "TOOLCHAIN", "PROGRAM", "INCLUDE", "_PRE_", "EMULATOR"} {
		if strings.Contains(name, part) && strings.Contains(v.Text, "/") {
			r.Project(sc, v)
			if s := r.Locate(sc, v); s.Class == places.Temp {
				r.Found(effect.Exec, "%s names a program outside the workspace", name)
			}
			return
		}
	}
}

// languageProgram reads building tools that run a text or a file as well: erl -eval, scala -e, dart x.dart.
func languageProgram(r *programs, sc *scope, c *call) (data, bool) {
	for i, a := range c.Argv[1:] {
		switch {
		case isCode(a.Text) && strings.Contains(a.Text, "/") || strings.HasSuffix(a.Text, "."+c.Name):
			if s := r.Locate(sc, a); !s.Free && s.Class == places.Temp && c.Argv[i].Text != "-o" {
				r.Script(sc, a, nil)
			}
		case strings.ContainsAny(a.Text, "({") && i > 0 && strings.HasPrefix(c.Argv[i].Text, "-"), strings.ContainsAny(a.Text, "({\"'"), isEval(c.Argv[i].Text):
			r.Shell.Code(sc, c.Name, a, nil, &data{Known: true})
		}
	}
	return data{}, false
}

// cargoWatch reads cargo watch: each -x is a command of cargo.
func cargoWatch(r *programs, sc *scope, c *call) (data, bool) {
	for _, o := range c.Got.Options {
		if o.Name == "-x" || o.Name == "--exec" {
			r.Shell.Text(sc, o.Value.With("cargo "+o.Value.Text), nil)
		}
	}
	return data{}, false
}
