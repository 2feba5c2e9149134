package shell

import (
	"path"
	"slices"
	"strings"

	"rein/guard/effect"
)

// makeProgram reads make and similar commands: which targets, and which instructions.
func makeProgram(r *programs, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	r.Effect(effect.Build)
	if f, ok := c.Got.Value("-f", "--file", "--makefile"); ok && isInput(f.Text) {
		r.Found(effect.Exec, "reads its rules from its input")
		r.recipes(sc, c.In)
	}
	builds := slices.ContainsFunc(c.Got.Operands, func(v value) bool { return r.harmlessFirst(v.Text) })
	for _, v := range c.Got.Operands {
		if name, val, ok := v.Cut("="); ok {
			r.makeVariable(sc, strings.TrimRight(name.Text, ":+?"), val)
			continue
		}
		if !c.Got.Has("-n", "--just-print", "--dry-run", "--recon", "-q", "--question") {
			r.target(v, !builds)
			r.farWord(sc, v)
		}
	}
	return data{Taint: fromWork}, true
}

// recipes judges the lines of a makefile that a shell would run, where its text is known.
func (r *programs) recipes(sc *scope, in *data) {
	if !in.Known {
		return
	}
	for line := range strings.Lines(in.Text) {
		_, after, ok := strings.Cut(line, "\t")
		if !ok {
			_, after, ok = strings.Cut(line, ";")
		}
		if ok {
			r.Shell.Text(sc, value{Text: strings.ReplaceAll(strings.TrimLeft(after, "@-+ \t"), "$$", "$"), Taint: in.Taint}, nil)
		}
	}
}

func (r *programs) makeVariable(sc *scope, name string, val value) {
	if name == "SHELL" || name == ".SHELLFLAGS" || name == "MAKE" || strings.Contains(val.Text, "$(shell") || strings.Contains(val.Text, "`") || strings.Contains(val.Text, "$(") {
		r.Found(effect.Exec, "%s names a program that runs", name)
		r.Shell.Text(sc, val, nil)
		return
	}
	r.Environment(sc, name, val)
	r.farWord(sc, val)
	if name == "DESTDIR" || name == "PREFIX" || name == "prefix" {
		r.Writes(sc, val)
	}
}

// target judges the name of a target or script of the project by its verbs. It runs the project's code, as a test does: only what
// it does elsewhere asks, and cleaning alone.
func (r *programs) target(v value, alone bool) {
	name := strings.TrimLeft(v.Text, "+")
	if strings.Contains(name, "//") { // of bazel and others: //app:image.push
		name = strings.ReplaceAll(name, ".", ":")
	}
	switch c := r.verbs(name, false); {
	case c == effect.Delete && alone:
		r.Effect(effect.Delete)
	case c == effect.Install && (v.Text == "install" || v.Text == "uninstall"), c > effect.Container:
		r.Effect(c)
	}
	if !v.Plain() {
		r.Found(effect.Dynamic, "runs a target that is not known before it runs")
	}
}

// cleanGoal reads "mvn clean" and similar commands: before other goals it is a part of the build.
func cleanGoal(r *programs, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	if len(c.Got.Operands) == 0 {
		r.Effect(effect.Delete)
	}
	r.tasks(sc, c)
	r.Effect(effect.Build)
	return data{Taint: fromWork}, true
}

// goRun reads go run: the project's own code, or somebody's.
func goRun(r *programs, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	if len(c.Got.Operands) == 0 {
		r.Effect(effect.Build)
		return data{}, true
	}
	v := c.Got.Operands[0]
	switch {
	case strings.Contains(v.Text, "://"):
		r.Found(effect.RemoteCode, "runs %s", v.Shown())
	case strings.Contains(v.Text, "@"):
		r.Effect(effect.Install)
	case !v.Known() && v.Taint&^(fromNames|fromNumber) != 0:
		r.Found(effect.Dynamic, "runs code that is not known before it runs")
	case strings.HasPrefix(v.Text, ".") || strings.HasPrefix(v.Text, "/") || strings.HasSuffix(v.Text, ".go"):
		r.Script(sc, v, c.Got.Operands[1:])
	default:
		r.Effect(effect.Build)
	}
	r.AnyArgs(sc, c.Got.Operands[1:])
	return data{Taint: fromWork}, true
}

func goEnv(r *programs, sc *scope, c *call) (data, bool) {
	for _, a := range c.Argv[1:] {
		if a.Text == "-w" || a.Text == "-u" {
			r.Found(effect.OutsideWrite, "changes Go's settings of the user")
			note(&r.Report.Writes, path.Join(r.Ctx.Home, ".config/go/env"))
		}
	}
	if len(c.Got.Operands) == 1 {
		switch c.Got.Operands[0].Text {
		case "GOPATH":
			return textData(r.Ctx.Home+"/go\n", 0), true
		case "GOROOT":
			return textData("/usr/local/go\n", 0), true
		case "GOMODCACHE":
			return textData(r.Ctx.Home+"/go/pkg/mod\n", 0), true
		case "GOCACHE":
			return textData(r.Ctx.Home+"/.cache/go-build\n", 0), true
		}
	}
	return data{Taint: fromNumber}, true
}

// scriptName reads npm run NAME and similar commands.
func scriptName(r *programs, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	if code, ok := c.Got.Value("-e", "--eval", "-p", "--print"); ok && c.Name == "bun" {
		return data{Taint: r.Shell.Code(sc, "bun", code, nil, c.In) | fromWork}, true
	}
	for _, a := range c.Got.Operands { // npm takes its own options behind the name, too
		name, _, _ := strings.Cut(a.Text, "=")
		if o, takes, known := c.Spec.Option(name); strings.HasPrefix(name, "--") && known && takes && o.Kind == "class" && o.Class == effect.Exec {
			r.Found(effect.Exec, "%s names a program that runs", name)
		}
		if a.Text == "--" {
			break
		}
		if _, dir, ok := a.Cut("="); ok && (name == "--prefix" || name == "--cwd" || name == "--dir") {
			r.Project(sc, dir)
		}
	}
	if len(c.Got.Operands) == 0 {
		if c.Name == "yarn" && len(c.Got.Options) == 0 {
			r.Effect(effect.Install)
		}
		return data{Taint: fromWork}, true
	}
	r.Effect(effect.Build)
	r.farWord(sc, c.Got.Operands[0])
	for i, v := range c.Got.Operands {
		if i == 0 || strings.HasPrefix(c.Got.Spec.Name, "workspace") { // yarn workspace NAME SCRIPT
			r.target(v, true)
		}
	}
	r.AnyArgs(sc, c.Got.Operands[1:])
	return data{Taint: fromWork}, true
}

// namedProgram reads yarn node, pnpm tsx and similar commands: the sub-command is the program.
func namedProgram(r *programs, sc *scope, c *call) (data, bool) {
	for i, a := range c.Argv {
		if i > 0 && a.Text == c.Got.Spec.Name {
			return r.ExecNamed(sc, a.Text, c.Argv[i:], c.In), true
		}
	}
	return data{}, false
}

// npxProgram reads npx and similar commands: tools that projects have installed run as such, all else is fetched.
func npxProgram(r *programs, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	ops := c.Got.Operands
	if cmd, ok := c.Got.Value("-c", "--call"); ok && cmd.Text != "" {
		return r.Shell.Text(sc, cmd, nil), true
	}
	if len(ops) == 0 {
		r.Effect(effect.Install)
		return data{}, true
	}
	if !c.Got.Has("-p", "--package", "-y", "--yes", "--from", "--with") && ops[0].Plain() {
		ops[0] = scoped(ops[0])
		if spec := r.Table.Find(ops[0].Text); spec != nil && spec.Local && (spec.Class == effect.Build || spec.Class == effect.Read) {
			return r.ExecNamed(sc, ops[0].Text, ops, c.In), true
		}
	}
	if c.Got.Has("--no-install", "--offline", "--no") || c.Name == "pnpm" || c.Name == "yarn" { // pnpm exec runs what is installed
		r.Effect(effect.Build)
		if r.Table.Find(ops[0].Text) != nil || !ops[0].Plain() || strings.Contains(ops[0].Text, "/") {
			return r.Shell.Exec(sc, ops, c.In), true
		}
		return data{Taint: fromWork}, true
	}
	r.Effect(effect.Install)
	r.AnyArgs(sc, ops)
	if !ops[0].Plain() || strings.ContainsFunc(ops[0].Text, func(c rune) bool { return c == '/' || c >= 0x80 }) || r.Table.Find(ops[0].Text) != nil || slices.Contains(r.Self(), ops[0].Text) {
		r.Shell.Exec(sc, ops, c.In) // a package may be named like a program, and do what that does
	}
	return data{Taint: fromWork}, true
}

// scoped returns the program of a known package with a scope; other words stay.
func scoped(v value) value {
	if name, ok := scopedTools()[v.Text]; ok {
		return v.With(name)
	}
	return v
}

// packageInstall reads pip install and similar commands: packages by address are code from anywhere.
func packageInstall(r *programs, sc *scope, c *call) (data, bool) {
	r.applyOptions(sc, c)
	if ops := c.Got.Operands; c.Got.Spec.Class < effect.Install && !(len(ops) > 1 && ops[1].Text == "reference") { // dotnet add
		r.Effect(effect.Install)
	}
	for _, v := range c.Got.Operands {
		if strings.Contains(v.Text, "://") || strings.HasPrefix(v.Text, "git+") || strings.HasPrefix(v.Text, "git@") || strings.HasPrefix(v.Text, "github:") {
			r.Found(effect.RemoteCode, "installs code from %s", v.Shown())
			continue
		}
		r.AnyArg(sc, v)
	}
	return data{}, true
}

// registry judges where packages are taken from or published to. A registry that is not one of everybody's is another place for code.
func registry(r *programs, sc *scope, v value) {
	base := r.Part
	r.AnyArg(sc, v)
	host := ""
	if _, rest, ok := strings.Cut(v.Text, "://"); ok {
		r.URL(sc, v)
		host = effect.HostOf(rest)
	}
	switch {
	case registries().Has(host):
	case base == effect.Publish:
		r.Found(effect.Upload, "publishes to a registry of its own: %s", v.Shown())
	case base >= effect.Install:
		r.Found(effect.RemoteCode, "installs code from a registry of its own: %s", v.Shown())
	}
}

// harnessProgram reads other agents.
func harnessProgram(r *programs, sc *scope, c *call) (data, bool) {
	r.Effect(effect.Nested)
	r.AnyArgs(sc, c.Argv[1:])
	return data{Taint: fromNet}, true
}
