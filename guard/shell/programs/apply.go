package programs

import (
	"strings"

	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
	"rein/guard/shell/table"
	"rein/places"
)

// RunSpec judges a program of the table. Where an option that the table does not know may or may not take the word behind it,
// the command is judged under both readings.
func (r *Programs) RunSpec(sc *judge.Scope, c *table.Call) fact.Data {
	c.Got = table.Arguments(c.Name, c.Spec, c.Argv[1:])
	other, ok := c.Got.Other()
	in := *c.In
	out := r.reading(sc, c)
	if ok && r.worthReading(&other) {
		second := *c
		second.Got, second.In = other, &in
		out = fact.Data{Taint: out.Taint | r.reading(sc, &second).Taint}
	}
	return out
}

// worthReading reports whether a second reading of the arguments may be another command: the roles of operands depend on their
// places, or the operand that is run is another one.
func (r *Programs) worthReading(p *table.Parsed) bool {
	spec := p.Spec
	switch spec.How {
	case "", "grep", "copy", "linger":
	default:
		return false
	}
	if !spec.Runner {
		return len(spec.Args) > 1 || spec.Last != nil || spec.How != ""
	}
	for i, ro := range spec.Args {
		if ro.Kind == "cmd" && i < len(p.Operands) {
			return r.Table.Find(fact.BaseName(p.Operands[i].Text)) != nil
		}
	}
	return false
}

// reading judges a program by one reading of its arguments.
func (r *Programs) reading(sc *judge.Scope, c *table.Call) fact.Data {
	spec := c.Got.Spec
	if c.Got.AsksHelp(c.Spec) {
		return fact.Data{}
	}
	r.Effect(c.Got.Base())
	r.mayBeOptions(c)
	if !spec.Flat && (spec.How == "" || spec.How == "language") {
		r.tasks(sc, c)
	}
	how := spec.How
	if c.Spec.How == "git" {
		how = "git"
	}
	if how != "" {
		if out, done := r.Shell.Handle(how, sc, c); done {
			if c.Got.Spec.Class >= fact.Build || how == "code" {
				r.UnnamedOptions(sc, c)
			}
			return out
		}
	}
	return r.apply(sc, c)
}

// mayBeOptions judges operands of which nothing is known: each may be an option of the program that writes or runs something.
func (r *Programs) mayBeOptions(c *table.Call) {
	for i, v := range c.Argv[1:] {
		if v.Text == "--" {
			return
		}
		if i < len(c.Argv) && v.Text != "" && v.Text[0] == fact.Hole && v.Wild() && c.Spec.HasDangerousOptions() {
			r.Found(fact.Unknown, "%s may be an option of %s", v.Shown(), c.Name)
			return
		}
	}
}

// apply judges options and operands by their roles, and gives what flows out.
func (r *Programs) apply(sc *judge.Scope, c *table.Call) fact.Data {
	t := c.In.Taint &^ fact.FromInput
	t |= r.applyOptions(sc, c)
	t |= r.applyOperands(sc, c.Got.Spec, c.Got.Operands, c.In)
	return r.output(sc, c, t)
}

func (r *Programs) applyOptions(sc *judge.Scope, c *table.Call) fact.Taint {
	var t fact.Taint
	r.UnnamedOptions(sc, c)
	for _, o := range c.Got.Options {
		switch {
		case o.Known && o.Takes:
			t |= r.apply1(sc, o.Role, o.Value, c.Got.Operands)
		case o.Known:
			r.Effect(o.Role.Class)
		case o.Takes:
			r.AnyArg(sc, o.Value)
			if c.Got.Spec.Class == fact.Read && table.IsOutput(o.Name) {
				r.Writes(sc, o.Value)
			}
		case len(o.Value.Text) > 2 && strings.ContainsAny(o.Value.Text, "/~"):
			r.AnyArg(sc, o.Value)
		}
	}
	return t
}

func (r *Programs) applyOperands(sc *judge.Scope, spec *table.Program, operands []fact.Value, in *fact.Data) fact.Taint {
	var t fact.Taint
	for i, v := range operands {
		ro := table.Role{Kind: "any"}
		if len(spec.Args) > 0 {
			ro = spec.Args[min(i, len(spec.Args)-1)]
		}
		if spec.Last != nil && i == len(operands)-1 && i > 0 {
			ro = *spec.Last
		}
		if ro.Kind == "task-or-cmd" && r.namedScript(sc, operands[i:]) {
			return t | fact.FromWork
		}
		if ro.Kind == "cmd" || ro.Kind == "task-or-cmd" {
			if o, takes, _ := spec.Option(v.Text); takes && o.Kind == "shell" && i+1 < len(operands) {
				return t | r.Shell.Text(sc, operands[i+1], nil).Taint // flock FILE -c LINE
			}
			return t | r.Shell.Exec(sc, operands[i:], in).Taint
		}
		if ro.Kind == "text" && spec.Class == fact.Read && spec.How == "" && spec.Out != "none" && isFarPath(v.Text) {
			ro.Kind = "any" // no program is known well enough to say that it never opens what it is given
		}
		t |= r.apply1(sc, ro, v, operands[i+1:])
	}
	return t
}

// isFarPath reports whether a word looks like a path out of the directory at hand.
func isFarPath(text string) bool {
	return len(text) > 1 && (text[0] == '/' || text[0] == '~' || strings.HasPrefix(text, "../"))
}

// apply1 judges one word by its role and gives the taint of what it brings.
func (r *Programs) apply1(sc *judge.Scope, ro table.Role, v fact.Value, rest []fact.Value) fact.Taint {
	if v.Proc != nil && ro.Kind != "script" {
		return v.Proc.Taint
	}
	if len(v.Text) > 1 && v.Text[0] == '|' && table.IsShellText(v.Text) {
		switch ro.Kind {
		case "read", "any", "write", "edit", "project", "into", "source":
			r.Found(fact.Exec, "a file's name that is a command: %s", v.Shown())
			r.Shell.Text(sc, v.With(v.Text[1:]), nil)
			return v.Taint
		}
	}
	switch ro.Kind {
	case "read":
		r.Reads(sc, v)
		return r.Contents(sc, v)
	case "list":
		return r.lists(sc, v)
	case "write", "into":
		r.Writes(sc, v)
		r.Wrote(sc, v, fact.Data{Taint: fact.FromWork})
	case "edit":
		r.Reads(sc, v)
		r.Writes(sc, v)
	case "delete":
		r.Removes(sc, v, false)
	case "tree":
		r.Removes(sc, v, true)
	case "move":
		r.moves(sc, v)
	case "source":
		if strings.HasPrefix(v.Text, "github.com/") || strings.HasPrefix(v.Text, "git@") || strings.HasPrefix(v.Text, "git::") || strings.HasPrefix(v.Text, "ssh://") {
			r.Effect(fact.Network)
			return fact.FromNet
		}
		if strings.HasPrefix(v.Text, "http://") || strings.HasPrefix(v.Text, "https://") {
			r.Effect(fact.Network)
			return r.URL(sc, v)
		}
		r.AnyArg(sc, v)
	case "url":
		return r.URL(sc, v)
	case "upload":
		r.Reads(sc, v)
		r.Sends(r.Contents(sc, v), "to the network")
	case "assign":
		if name, val, ok := v.Cut("="); ok {
			r.Shell.Environment(sc, name.Text, val)
		}
	case "any":
		r.AnyArg(sc, v)
	case "class":
		r.Effect(ro.Class)
		r.AnyArg(sc, v)
	default:
		r.runsRole(sc, ro, v, rest)
	}
	return v.Taint
}

// runsRole judges a word that is run, or that says what to run.
func (r *Programs) runsRole(sc *judge.Scope, ro table.Role, v fact.Value, rest []fact.Value) {
	switch ro.Kind {
	case "script":
		r.Script(sc, v, rest)
	case "project", "settings":
		r.project(sc, v)
	case "shell":
		r.Shell.Text(sc, v, nil)
	case "classpath":
		for _, part := range strings.Split(v.Text, ":") {
			r.project(sc, v.With(part))
			if s := r.Locate(sc, v.With(part)); part != "" && s.Class == places.Temp {
				r.Found(fact.Exec, "loads code from %s", fact.Show(part))
			}
		}
	case "cargo-setting":
		r.cargoSetting(sc, v)
	case "ini":
		r.phpSetting(v)
	case "library":
		r.library1(sc, v)
	case "program":
		if !r.tameProgram(v) {
			r.Effect(fact.Exec)
		}
		r.Shell.Text(sc, v.With(strings.TrimPrefix(v.Text, "exec=")), nil) // as tar's checkpoints spell it
	case "head":
		r.Effect(fact.Exec)
		r.Shell.Exec(sc, append([]fact.Value{v}, rest...), &fact.Data{Known: true})
	}
}

// lists judges the listing of a directory: names are less than contents.
func (r *Programs) lists(sc *judge.Scope, v fact.Value) fact.Taint {
	s := r.Locate(sc, v)
	switch {
	case !s.Free && (s.Class == places.Private || s.Class == places.Settings && !v.Plain()):
		return fact.FromNames
	case !s.Free && s.Class == places.Secret && r.InHome(s.Abs):
		r.Found(fact.Private, "lists %s", v.Shown())
		return fact.FromNames | fact.FromOutside
	}
	r.Reads(sc, v)
	switch {
	case s.Free:
		return fact.FromNames | v.Taint
	case s.Class == places.Workspace, s.Class == places.Protected, s.Class == places.Temp, s.Class == places.System, s.Class == places.Tools:
		return fact.FromNames
	}
	return fact.FromNames | fact.FromOutside
}

// moves judges that a file goes away from where it is.
func (r *Programs) moves(sc *judge.Scope, v fact.Value) {
	s := r.Locate(sc, v)
	if !s.Free && (s.Class == places.Workspace || s.Class == places.Temp) && !places.IsRoot(s.Abs, r.Ctx.Context) {
		fact.Note(&r.Report.Removes, s.Abs)
		r.Effect(fact.Write)
		return
	}
	if !s.Free && r.InHome(s.Abs) && s.Class == places.Secret {
		r.Reads(sc, v)
	}
	r.Removes(sc, v, fact.BaseName(r.Who) != "rmdir") // rmdir only removes what is empty
}

// Script judges the running of a program text.
func (r *Programs) Script(sc *judge.Scope, v fact.Value, args []fact.Value) {
	if v.Proc != nil {
		r.Shell.RunText(sc, *v.Proc, "a process substitution", args)
		return
	}
	s := r.Locate(sc, v)
	if w, ok := sc.Written[s.Abs]; ok && w.As == "" {
		r.Shell.RunText(sc, w.Data, "a file that this line writes", args)
		return
	}
	if sc.HasFetched(s.Abs) {
		r.Found(fact.RemoteCode, "runs %s, which this line may have downloaded", v.Shown())
		return
	}
	if s.Free || s.Loose {
		r.Found(fact.Dynamic, "runs a script that is not known before it runs: %s", v.Shown())
		return
	}
	switch s.Class {
	case places.Workspace, places.Protected:
		r.Found(fact.Build, "runs %s of the project", v.Shown())
	case places.Tools, places.System:
		r.Found(fact.Build, "runs the installed %s", v.Shown())
	case places.Private, places.Secret:
		r.Reads(sc, v)
	default:
		r.Found(fact.Exec, "runs %s from outside the workspace", v.Shown())
	}
}

// project judges a directory or file that gives instructions to a build tool.
func (r *Programs) project(sc *judge.Scope, v fact.Value) {
	s := r.Locate(sc, v.With(strings.TrimPrefix(v.Text, "@")))
	switch {
	case s.Free:
		r.Found(fact.Dynamic, "builds a path that is not known: %s", v.Shown())
	case s.Class == places.Workspace, s.Class == places.Protected:
	case s.Class == places.System, s.Class == places.Tools, s.Class == places.Sink:
	default:
		r.Found(fact.Exec, "takes its instructions from %s, outside the workspace", v.Shown())
		r.Reads(sc, v)
	}
}

// output describes what flows out of a program.
func (r *Programs) output(sc *judge.Scope, c *table.Call, t fact.Taint) fact.Data {
	switch c.Got.Spec.Out {
	case "none", "text":
		return fact.Data{Taint: t & (fact.FromPrivate | fact.FromSecret | fact.FromNet | fact.FromSocket)}
	case "number":
		return fact.Data{Taint: fact.FromNumber | textIn(c)}
	case "names":
		return fact.Data{Taint: t&^fact.FromInput | fact.FromNames}
	case "decode":
		return fact.Data{Taint: t | fact.FromDecoder}
	case "jobs":
		return fact.Data{Taint: fact.FromJob | fact.FromNumber}
	case "endless":
		return fact.Data{Taint: fact.FromEndless}
	case "env":
		return fact.Data{Taint: t | fact.FromEnv}
	case "net":
		return fact.Data{Taint: t | fact.FromNet}
	case "socket":
		return fact.Data{Taint: t | fact.FromSocket}
	case "daemon":
		return fact.Data{Taint: t | fact.FromDaemon}
	case "pass":
		if c.In.Known && len(c.Got.Operands) == 0 {
			return *c.In
		}
	}
	if len(c.Got.Operands) == 0 && c.In.Known && t == c.In.Taint {
		return fact.Data{Taint: t}
	}
	return fact.Data{Taint: t | fact.FromWork&fact.BoolTaint(c.Got.Spec.Class >= fact.Build)}
}

// AnyArgs judges the arguments of a program that nobody knows: what looks like a path is taken as read.
// AnyArg judges a word that may be a path: what looks like one is taken as read.
func (r *Programs) AnyArgs(sc *judge.Scope, args []fact.Value) {
	for _, a := range args {
		r.AnyArg(sc, a)
	}
}

func (r *Programs) AnyArg(sc *judge.Scope, a fact.Value) {
	text := a.Text
	if strings.HasPrefix(text, "-") {
		if _, after, ok := a.Cut("="); ok {
			a = after
		} else if i := strings.IndexAny(text, "/~"); i > 0 {
			a = a.With(text[i:])
		} else {
			return
		}
	}
	a = a.With(strings.TrimPrefix(a.Text, "@"))
	if i := strings.LastIndex(a.Text, ":/"); i > 0 && !strings.Contains(a.Text, "://") {
		a = a.With(a.Text[i+1:])
	}
	if !strings.ContainsAny(a.Text, "/.") && !strings.Contains(a.Text, "id_") {
		return
	}
	switch s := r.Locate(sc, a); {
	case s.Free || strings.Contains(a.Text, "://"):
	case s.Class == places.Secret, s.Class == places.Private, s.Class == places.Device, s.Class == places.Settings,
		s.Class == places.Socket:
		r.Reads(sc, a)
	case strings.HasPrefix(a.Text, "//"), fact.IsSwitch(a.Text), a.Label, fact.NoRoot(a.Text): // a path within a document, a property for msbuild, a pattern
	case (s.Class == places.Outside || s.Class == places.Machine) && strings.Contains(a.Text, "/") && !s.Loose:
		r.Reads(sc, a)
	}
}

// textIn is where text may come from in the output of a program that prints numbers: some print their arguments, too.
func textIn(c *table.Call) fact.Taint {
	var t fact.Taint
	for _, v := range c.Argv[1:] {
		if strings.ContainsAny(v.Text, "/~") && !strings.HasPrefix(v.Text, "+%") || v.Wild() {
			t |= v.Taint | fact.FromNames
			if c.Got.Spec.Class == fact.Read && len(c.Got.Spec.Args) > 0 && c.Got.Spec.Args[0].Kind == "text" || strings.HasPrefix(v.Text, "/") || v.Wild() {
				t |= fact.FromLost
			}
		}
	}
	return t
}
