package shell

import (
	"strings"

	"rein/guard/effect"
)

// RunSpec judges a program of the table. Where an option may or may not take the word behind it, the command is judged under
// each reading.
func (r *programs) RunSpec(sc *scope, c *call) effect.Data {
	c.Got = parseArguments(c.Name, c.Spec, c.Argv[1:])
	others := c.Got.Others()
	in := *c.In
	out := r.reading(sc, c)
	for _, other := range others {
		if r.worthReading(&other) {
			again, from := *c, in
			again.Got, again.In = other, &from
			out = effect.Data{Taint: out.Taint | r.reading(sc, &again).Taint}
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
			return r.Table.Find(effect.BaseName(p.Operands[i].Text)) != nil
		}
	}
	return false
}

// reading judges a program by one reading of its arguments.
func (r *programs) reading(sc *scope, c *call) effect.Data {
	spec := c.Got.Spec
	if c.Got.AsksHelp(c.Spec) {
		return effect.Data{}
	}
	r.Effect(c.Got.Base())
	r.mayBeOptions(c)
	r.remoteVerbs(&c.Got)
	r.fetchedWork(sc, &c.Got)
	if (c.Got.Base() == effect.Build || spec.How == "code") && listensEverywhere(c) {
		r.Found(effect.Network, "may be reached from other machines: it listens on all addresses")
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
		if i < len(c.Argv) && v.Text != "" && v.Text[0] == effect.Hole && v.Wild() && c.Spec.HasDangerousOptions() {
			r.Found(effect.Unknown, "%s may be an option of %s", v.Shown(), c.Name)
			return
		}
	}
}

// apply judges options and operands by their roles, and returns what flows out.
func (r *programs) apply(sc *scope, c *call) effect.Data {
	t := c.In.Taint &^ effect.FromInput
	t |= r.applyOptions(sc, c)
	t |= r.applyOperands(sc, c.Got.Spec, c.Got.Operands, c.In)
	return r.output(sc, c, t)
}

func (r *programs) applyOptions(sc *scope, c *call) effect.Taint {
	var t effect.Taint
	r.UnnamedOptions(sc, c)
	for _, o := range c.Got.Options {
		switch {
		case o.Known && o.Takes:
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

func (r *programs) applyOperands(sc *scope, spec *programRow, operands []effect.Value, in *effect.Data) effect.Taint {
	var t effect.Taint
	for i, v := range operands {
		ro := wordRole{Kind: "any"}
		if len(spec.Args) > 0 {
			ro = spec.Args[min(i, len(spec.Args)-1)]
		}
		if spec.Last != nil && i == len(operands)-1 && i > 0 {
			ro = *spec.Last
		}
		if ro.Kind == "task-or-cmd" && r.namedScript(sc, operands[i:]) {
			return t | effect.FromWork
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
func (r *programs) output(sc *scope, c *call, t effect.Taint) effect.Data {
	switch c.Got.Spec.Out {
	case "none", "text":
		return effect.Data{Taint: t & (effect.FromPrivate | effect.FromSecret | effect.FromNet | effect.FromSocket)}
	case "number":
		return effect.Data{Taint: effect.FromNumber | textIn(c)}
	case "names":
		return effect.Data{Taint: t&^effect.FromInput | effect.FromNames | formatIn(c)}
	case "decode":
		return effect.Data{Taint: t | effect.FromDecoder}
	case "jobs":
		return effect.Data{Taint: effect.FromJob | effect.FromNumber}
	case "endless":
		return effect.Data{Taint: effect.FromEndless}
	case "env":
		return effect.Data{Taint: t | effect.FromEnv}
	case "net":
		return effect.Data{Taint: t | effect.FromNet}
	case "socket":
		return effect.Data{Taint: t | effect.FromSocket}
	case "daemon":
		return effect.Data{Taint: t | effect.FromDaemon}
	case "pass":
		if c.In.Known && len(c.Got.Operands) == 0 {
			return *c.In
		}
	}
	if len(c.Got.Operands) == 0 && c.In.Known && t == c.In.Taint {
		return effect.Data{Taint: t}
	}
	return effect.Data{Taint: t | effect.FromWork&effect.BoolTaint(c.Got.Spec.Class >= effect.Build)}
}

// formatIn is where text comes from that an option puts among the names that a program prints: --format, --time-style.
func formatIn(c *call) effect.Taint {
	if c.Name == "go" && c.Got.Has("-f", "-json", "-m") {
		return effect.FromLost
	}
	for _, v := range c.Argv[1:] {
		if len(v.Text) > 1 && v.Text[0] == '-' && strings.ContainsAny(v.Text, "/~") || strings.HasPrefix(v.Text, "+") {
			return effect.FromLost
		}
	}
	return 0
}

// textIn is where text may come from in the output of a program that prints numbers: some print their arguments, too.
func textIn(c *call) effect.Taint {
	var t effect.Taint
	for _, v := range c.Argv[1:] {
		if strings.ContainsAny(v.Text, "/~") && !strings.HasPrefix(v.Text, "+%") || v.Wild() {
			t |= v.Taint | effect.FromNames
			if c.Got.Spec.Class == effect.Read && len(c.Got.Spec.Args) > 0 && c.Got.Spec.Args[0].Kind == "text" || strings.HasPrefix(v.Text, "/") || v.Wild() {
				t |= effect.FromLost
			}
		}
	}
	return t
}
