package shell

import (
	"strings"

	"rein/guard/effect"
)

// RunSpec judges a program of the table. Where an option may or may not take the word behind it, the command is judged under
// each reading.
func (r *programs) RunSpec(sc *scope, c *call) data {
	c.Got = parseArguments(c.Name, c.Spec, c.Argv[1:])
	others := c.Got.Others()
	in := *c.In
	out := r.reading(sc, c)
	for _, other := range others {
		if r.worthReading(&other) {
			again, from := *c, in
			again.Got, again.In = other, &from
			out = data{Taint: out.Taint | r.reading(sc, &again).Taint}
		}
	}
	return out
}

// worthReading reports whether a second reading of the arguments may be another command: the roles of operands depend on their
// places, or the operand that is run is another one.
func (r *programs) worthReading(p *parsedArguments) bool {
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
			return r.Table.Find(baseName(p.Operands[i].Text)) != nil
		}
	}
	return false
}

// reading judges a program by one reading of its arguments.
func (r *programs) reading(sc *scope, c *call) data {
	if c.Got.AsksHelp(c.Spec) {
		return data{}
	}
	out := r.judged(sc, c)
	farWords(r, sc, c)
	return out
}

// judged is reading by the table and the handlers.
func (r *programs) judged(sc *scope, c *call) data {
	spec := c.Got.Spec
	r.Effect(c.Got.Base())
	if keeps := spec.Keeps; keeps != "" && c.Got.Base() == effect.OutsideWrite && len(c.Got.Options) == 0 { // an option may name another place
		note(&r.Report.Writes, strings.Replace(keeps, "~", r.Ctx.Home, 1))
	}
	r.mayBeOptions(c)
	r.remoteVerbs(&c.Got)
	r.fetchedWork(sc, &c.Got)
	if (c.Got.Base() == effect.Build || spec.How == "code") && listensEverywhere(c) {
		r.Found(effect.Network, ListensEverywhere)
	}
	if !spec.Flat && (spec.How == "" || spec.How == "language") {
		r.tasks(sc, c)
	}
	how := spec.How
	if c.Spec.How == "git" {
		how = "git"
	}
	if how != "" {
		if out, done := r.Shell.Handle(how, sc, c); done {
			if c.Got.Spec.Class >= effect.Build || how == "code" {
				r.UnnamedOptions(sc, c)
			}
			return out
		}
	}
	return r.apply(sc, c)
}

// mayBeOptions judges operands of which nothing is known: each may be an option of the program that writes or runs something.
func (r *programs) mayBeOptions(c *call) {
	for i, v := range c.Argv[1:] {
		if v.Text == "--" {
			return
		}
		if i < len(c.Argv) && v.Text != "" && v.Text[0] == anyText && v.Wild() && c.Spec.HasDangerousOptions() {
			r.Found(effect.Unknown, "%s may be an option of %s", v.Shown(), c.Name)
			return
		}
	}
}

// apply judges options and operands by their roles, and returns what flows out.
func (r *programs) apply(sc *scope, c *call) data {
	t := c.In.Taint &^ fromInput
	t |= r.applyOptions(sc, c)
	t |= r.applyOperands(sc, c.Got.Spec, c.Got.Operands, c.In)
	return r.output(c, t)
}

func (r *programs) applyOptions(sc *scope, c *call) taint {
	var t taint
	r.UnnamedOptions(sc, c)
	for _, o := range c.Got.Options {
		switch {
		case o.Known && o.Takes && o.Role.Kind == "names":
			t |= r.listIn(sc, c, o.Value)
		case o.Known && o.Takes:
			if strings.HasPrefix(o.Value.Text, "~/") { // the shell leaves --config=~/x as it is, and programs read it so
				o.Value = o.Value.With(r.Ctx.Home + o.Value.Text[1:])
			}
			t |= r.apply1(sc, o.Role, o.Value, c.Got.Operands)
			if ro, may := operandInDoubt(c.Got.Spec, o); may {
				t |= r.apply1(sc, ro, o.Value, nil)
			}
		case o.Known:
			r.Effect(o.Role.Class)
		case o.Takes:
			r.AnyArg(sc, o.Value)
			if c.Got.Spec.Class == effect.Read && isOutput(o.Name) {
				r.Writes(sc, o.Value)
			}
		case len(o.Value.Text) > 2 && strings.ContainsAny(o.Value.Text, "/~"):
			r.AnyArg(sc, o.Value)
		}
	}
	return t
}

// operandInDoubt returns the role that the value of an option has if the option takes none: lines of the table are for several
// programs, and the same letter takes a value in one and not in another.
func operandInDoubt(spec *programRow, o parsedOption) (wordRole, bool) {
	if !o.Unsure || o.Role.Kind != "text" && o.Role.Kind != "pattern" || spec.Class > effect.Write || spec.How != "" || len(spec.Args) == 0 {
		return wordRole{}, false
	}
	switch ro := spec.Args[0]; ro.Kind {
	case "read", "list", "write", "edit", "delete", "tree", "move":
		return ro, true
	}
	return wordRole{}, false
}

func (r *programs) applyOperands(sc *scope, spec *programRow, operands []value, in *data) taint {
	var t taint
	for i, v := range operands {
		ro := wordRole{Kind: "any"}
		if len(spec.Args) > 0 {
			ro = spec.Args[min(i, len(spec.Args)-1)]
		}
		if spec.Last != nil && i == len(operands)-1 && i > 0 {
			ro = *spec.Last
		}
		if ro.Kind == "task-or-cmd" && r.namedScript(sc, operands[i:]) {
			return t | fromWork
		}
		if ro.Kind == "cmd" && v.Text == "--" {
			continue
		}
		if ro.Kind == "cmd" || ro.Kind == "task-or-cmd" {
			if o, takes, _ := spec.Option(v.Text); takes && o.Kind == "shell" && i+1 < len(operands) {
				return t | r.Shell.Text(sc, operands[i+1], nil).Taint // flock FILE -c LINE
			}
			return t | r.Shell.Exec(sc, operands[i:], in).Taint
		}
		if ro.Kind == "text" && spec.Class == effect.Read && spec.How == "" && spec.Out != "none" && isFarPath(v.Text) {
			ro.Kind = "any" // no program is known well enough to say that it never opens what it is given
		}
		t |= r.apply1(sc, ro, v, operands[i+1:])
	}
	return t
}

// isFarPath reports whether a word looks like a path out of the current directory.
func isFarPath(text string) bool {
	return len(text) > 1 && (text[0] == '/' || text[0] == '~' || strings.HasPrefix(text, "../"))
}

// output describes what flows out of a program.
func (r *programs) output(c *call, t taint) data {
	switch c.Got.Spec.Out {
	case "none", "text":
		return data{Taint: t & (fromPrivate | fromSecret | fromNet | fromSocket)}
	case "number":
		return data{Taint: fromNumber | textIn(c)}
	case "names":
		return data{Taint: t&^fromInput | fromNames | formatIn(c)}
	case "decode":
		return data{Taint: t | fromDecoder}
	case "jobs":
		return data{Taint: fromJob | fromNumber}
	case "endless":
		return data{Taint: fromEndless}
	case "env":
		return data{Taint: t | fromEnv}
	case "net":
		return data{Taint: t | fromNet}
	case "socket":
		return data{Taint: t | fromSocket}
	case "daemon":
		return data{Taint: t | fromDaemon}
	case "pass":
		if c.In.Known && len(c.Got.Operands) == 0 {
			return *c.In
		}
	}
	if len(c.Got.Operands) == 0 && c.In.Known && t == c.In.Taint {
		return data{Taint: t}
	}
	return data{Taint: t | fromWork&boolTaint(c.Got.Spec.Class >= effect.Build)}
}

// formatIn is where text comes from that an option puts among the names that a program prints: --format, --time-style.
func formatIn(c *call) taint {
	if c.Name == "go" && c.Got.Has("-f", "-json", "-m") {
		return fromLost
	}
	for _, v := range c.Argv[1:] {
		if len(v.Text) > 1 && v.Text[0] == '-' && strings.ContainsAny(v.Text, "/~") || strings.HasPrefix(v.Text, "+") {
			return fromLost
		}
	}
	return 0
}

// textIn is where text may come from in the output of a program that prints numbers: some print their arguments, too.
func textIn(c *call) taint {
	var t taint
	for _, v := range c.Argv[1:] {
		if strings.ContainsAny(v.Text, "/~") && !strings.HasPrefix(v.Text, "+%") || v.Wild() {
			t |= v.Taint | fromNames
			if c.Got.Spec.Class == effect.Read && len(c.Got.Spec.Args) > 0 && c.Got.Spec.Args[0].Kind == "text" || strings.HasPrefix(v.Text, "/") || v.Wild() {
				t |= fromLost
			}
		}
	}
	return t
}
