package shell

import (
	"slices"
	"strings"

	"rein/guard/effect"
)

// codeProgram reads interpreters: python -c, node -e, perl -ne, and their scripts.
func codeProgram(r *programs, sc *scope, c *call) (data, bool) {
	var codes []value
	var t taint
	for _, o := range c.Got.Options {
		switch {
		case o.Known && o.Takes && o.Role.Kind == "shell":
			codes = append(codes, o.Value)
		case o.Known && o.Takes && o.Role.Kind == "program":
			r.module(sc, c, o.Value)
			return data{Taint: c.In.Taint | fromWork}, true
		case o.Known && o.Takes:
			r.apply1(sc, o.Role, o.Value, nil)
		case o.Known:
			r.Effect(o.Role.Class)
		case o.Takes:
			r.AnyArg(sc, o.Value)
		}
	}
	ops := c.Got.Operands
	switch {
	case len(codes) > 0:
		for _, code := range codes {
			t |= r.Shell.Code(sc, c.Name, code, ops, c.In)
		}
		r.codeFiles(sc, c, ops)
	case len(ops) > 0 && ops[0].Text != "-" && ops[0].Text != "/dev/stdin":
		r.interpret(sc, c, ops)
	case !c.In.Known && c.In.Taint&^fromInput == 0:
		if len(c.Got.Options) > 0 && (!c.Got.Has("-i") || strings.HasPrefix(c.Name, "php")) {
			r.tellsItself(&c.Got)
			return data{Taint: fromNumber}, true
		}
		r.Found(effect.Unknown, "starts an interpreter that waits for commands")
	default:
		return r.codeInput(sc, c), true
	}
	return data{Taint: t | c.In.Taint | fromWork}, true
}

// codeWords reads programs whose arguments are code: timeit, deno eval.
func codeWords(r *programs, sc *scope, c *call) (data, bool) {
	lang := "python"
	switch c.Name {
	case "deno":
		lang = c.Name
	case "wp", "drush":
		lang = "php"
	}
	for _, a := range c.Argv[1:] {
		if !strings.HasPrefix(a.Text, "-") {
			r.Shell.Code(sc, lang, a, nil, c.In)
		}
	}
	return data{Taint: fromNumber}, true
}

// interpret judges an interpreter with a script.
func (r *programs) interpret(sc *scope, c *call, ops []value) {
	v := ops[0]
	if strings.HasPrefix(v.Text, "http://") || strings.HasPrefix(v.Text, "https://") {
		r.Found(effect.RemoteCode, "runs %s from the network", v.Shown())
		return
	}
	if strings.HasPrefix(v.Text, "npm:") || strings.HasPrefix(v.Text, "jsr:") {
		r.Effect(effect.Install)
		return
	}
	w, ok := sc.Written[r.Absolute(sc, v)]
	switch {
	case ok && w.Data.Known:
		r.Shell.Code(sc, c.Name, value{Text: w.Data.Text, Taint: w.Data.Taint}, ops[1:], c.In)
	case v.Proc != nil:
		r.UnknownText(v.Proc.Taint)
	default:
		r.Script(sc, v, ops[1:])
		if r.scriptTasks(sc, c, ops) {
			return
		}
	}
	r.AnyArgs(sc, ops[1:])
}

// scriptTasks judges a script of the project that the table knows by its name: python manage.py, php vendor/bin/phpunit.
func (r *programs) scriptTasks(sc *scope, c *call, ops []value) bool {
	if !ops[0].Plain() {
		return false
	}
	name := strings.TrimSuffix(baseName(ops[0].Text), ".phar")
	spec := r.Table.Find(name)
	if spec == nil || !spec.Local || spec.Class > effect.Build || spec.How == "code" {
		return false
	}
	argv := append([]value{ops[0]}, ops[1:]...)
	if i := slices.IndexFunc(c.Argv, func(a value) bool { return a.Text == ops[0].Text }); i > 0 {
		argv = c.Argv[i:]
	}
	r.RunSpec(sc, &call{Name: name, Argv: argv, In: c.In, Spec: spec})
	return true
}

// codeInput judges code that comes through a pipe or a here-document.
func (r *programs) codeInput(sc *scope, c *call) data {
	if c.In.Known {
		if strings.TrimSpace(c.In.Text) == "" {
			return data{Known: true}
		}
		t := r.Shell.Code(sc, c.Name, value{Text: c.In.Text, Taint: c.In.Taint}, c.Got.Operands, &data{Known: true})
		return data{Taint: t | fromWork}
	}
	r.UnknownText(c.In.Taint)
	return data{Taint: c.In.Taint}
}

// codeFiles are files that perl -pi and ruby -i change in place, or read.
func (r *programs) codeFiles(sc *scope, c *call, ops []value) {
	edits := false
	for _, o := range c.Got.Options {
		edits = edits || strings.HasPrefix(o.Name, "-i")
	}
	loops := c.Name == "perl" || c.Name == "ruby"
	for _, v := range ops {
		switch {
		case edits && loops:
			r.Writes(sc, v)
		case loops:
			r.Reads(sc, v)
		default:
			r.AnyArg(sc, v)
		}
	}
}

// module judges python -m NAME: the rest of the line belongs to the module.
func (r *programs) module(sc *scope, c *call, name value) {
	rest := c.Got.Operands
	for i, a := range c.Argv {
		if a.Text == name.Text && i > 0 && c.Argv[i-1].Text == "-m" || a.Text == "-m"+name.Text {
			rest = c.Argv[i+1:]
			break
		}
	}
	if !name.Plain() {
		r.Found(effect.Dynamic, "runs a module that is not known before it runs")
		return
	}
	if len(rest) == 1 && (rest[0].Text == "--help" || rest[0].Text == "-h" || rest[0].Text == "--version") {
		r.Found(effect.Build, "shows the help of the module %s", name.Text)
		return
	}
	if spec := r.Table.Find("python-m:" + name.Text); spec != nil {
		r.RunSpec(sc, &call{Name: spec.Name, Argv: append([]value{name}, rest...), In: c.In, Spec: spec})
		return
	}
	if spec := r.Table.Find(name.Text); spec != nil && (spec.Class == effect.Build || spec.Subs != nil) {
		r.RunSpec(sc, &call{Name: spec.Name, Argv: append([]value{name}, rest...), In: c.In, Spec: spec})
		return
	}
	r.Found(effect.Build, "runs the module %s", name.Text)
	r.AnyArgs(sc, rest)
}

// tellsItself judges an interpreter with options only: most ask which version it is, others run what they find.
func (r *programs) tellsItself(p *parsedArguments) {
	for _, o := range p.Options {
		switch o.Name {
		case "-V", "-VV", "-v", "-vV", "--version", "-version", "-h", "--help", "-help", "-m", "-i", "--ini", "-showversion", "--v8-options":
		default:
			r.Effect(effect.Build)
		}
	}
}
