package shell

import (
	"slices"
	"strings"

	"rein/guard/effect"
)

// parsedArguments is a list of arguments, split by the program's entry in the table.
type parsedArguments struct {
	Spec     *programRow // the sub-command, or the program itself
	Path     []string    // names of the sub-commands
	Options  []parsedOption
	Operands []value
	Unlisted bool // the sub-command is not in the table

	help     map[string]bool // options by the program's own account
	doubtful []int           // indexes of the operands that may be values of options that are not known
	missing  []value         // an option at the end that takes a value and has none: some programs take it as an operand
}

// parsedOption is one option as given.
type parsedOption struct {
	Name  string
	Role  wordRole
	Value value
	Takes bool
	Known bool

	// Unsure is true for a value that may be an operand: it is a word of its own, and by its --help the program does not say that the
	// option takes one.
	Unsure bool
	// short is true for a long option that neither the table nor the program's --help names as it is spelled.
	short bool
}

// Value of the last option of one of the names. Long options may be shortened.
func (p *parsedArguments) Value(names ...string) (value, bool) {
	for i := len(p.Options) - 1; i >= 0; i-- {
		for _, n := range names {
			if o := p.Options[i]; o.Name == n || o.short && strings.HasPrefix(n, o.Name) {
				return p.Options[i].Value, true
			}
		}
	}
	return value{}, false
}

// Has reports whether one of the options is given.
func (p *parsedArguments) Has(names ...string) bool {
	_, ok := p.Value(names...)
	return ok
}

// parseArguments takes argv[1:] apart. name is that of the program: several share a line of the table, and differ in their options.
func parseArguments(name string, spec *programRow, args []value) parsedArguments {
	p := parsedArguments{Spec: spec}
	if spec.Subs == nil {
		p.help = helpOf(name)
	}
	for i := 0; i < len(args); i++ {
		a := args[i]
		if i == 0 && len(a.Text) > 1 && a.Text[0] == '+' && a.Plain() && spec.plus {
			continue // cargo +nightly
		}
		if !isOption(a) {
			if p.descend(a) {
				continue
			}
			p.Operands = append(p.Operands, a)
			if p.Spec.posix {
				p.Operands = append(p.Operands, args[i+1:]...)
				break
			}
			continue
		}
		if a.Text == "--" {
			rest := args[i+1:]
			if len(rest) > 0 && len(p.Operands) == 0 && p.descend(rest[0]) {
				rest = rest[1:]
			}
			p.Operands = append(p.Operands, rest...)
			break
		}
		a, short := p.spelledOut(a)
		known := len(p.Options)
		used := p.option(a, args[i+1:])
		if short && len(p.Options) > known {
			p.Options[known].short = true
		}
		if used > 0 {
			last := &p.Options[len(p.Options)-1]
			last.Unsure = !p.help[last.Name]
		}
		if used == 0 && p.mayTake(a, args[i+1:]) {
			p.doubtful = append(p.doubtful, len(p.Operands))
		}
		i += used
	}
	return p
}

// mayTake reports whether the word behind an option may be its value: the table does not know the option.
func (p *parsedArguments) mayTake(a value, rest []value) bool {
	if len(rest) == 0 || isOption(rest[0]) || len(p.Options) == 0 || strings.Contains(a.Text, "=") {
		return false
	}
	o := p.Options[len(p.Options)-1]
	return !o.Known && !o.Takes && (strings.HasPrefix(a.Text, "--") || len(a.Text) == 2 || p.Spec.GoStyle)
}

// Others are further readings of the arguments. In one, options that the table does not know have taken the words behind them; in
// the other, an option without its value is an operand.
func (p *parsedArguments) Others() (all []parsedArguments) {
	if len(p.doubtful) > 0 {
		other := *p
		other.Operands = nil
		for i, v := range p.Operands {
			if !slices.Contains(p.doubtful, i) {
				other.Operands = append(other.Operands, v)
			}
		}
		all = append(all, other)
	}
	if len(p.missing) > 0 {
		other := *p
		other.Operands = slices.Concat(p.Operands, p.missing)
		all = append(all, other)
	}
	return all
}

// spelledOut spells a shortened long option in full, as getopt_long does. short is true for one that is in no list.
func (p *parsedArguments) spelledOut(a value) (_ value, short bool) {
	name, value, has := strings.Cut(a.Text, "=")
	if p.Spec.GoStyle || !strings.HasPrefix(name, "--") || len(name) < 4 {
		return a, false
	}
	_, listed := p.help[name]
	if _, _, known := p.Spec.exactly(name); listed || known {
		return a, false
	}
	full := p.Spec.full(name)
	if full == name {
		full = p.helpName(name)
		short = full == name
	}
	if has {
		full += "=" + value
	}
	return a.With(full), short
}

// helpName returns the option of the program's --help that a shortened one stands for; the name itself where there is none, or
// several.
func (p *parsedArguments) helpName(name string) string {
	full := name
	for o := range p.help {
		if strings.HasPrefix(o, name) {
			if full != name {
				return name
			}
			full = o
		}
	}
	return full
}

// lookup finds an option: what its value is, whether it takes one, whether it is known. Where a line of the table is for several
// programs, the program's own account decides whether the option takes a value.
func (p *parsedArguments) lookup(name string) (r wordRole, takes, known bool) {
	r, takes, known = p.Spec.Option(name)
	own, listed := p.help[name]
	switch {
	case !listed:
	case !known:
		return wordRole{Kind: "flag"}, own, !own
	case takes && !own && (r.Kind == "text" || r.Kind == "pattern" || r.Kind == "read"):
		return wordRole{Kind: "flag"}, false, true
	}
	return r, takes, known
}

// descend enters a sub-command.
func (p *parsedArguments) descend(a value) bool {
	if len(p.Operands) > 0 || len(p.Spec.Subs) == 0 || p.Unlisted {
		return false
	}
	if a.Plain() {
		if s := p.Spec.findSub(a.Text); s != nil {
			p.Spec = s
			p.Path = append(p.Path, a.Text)
			return true
		}
	}
	p.Unlisted = true
	return false
}

func isOption(a value) bool {
	return len(a.Text) > 1 && (a.Text[0] == '-' || a.Text[0] == '+' && len(a.Text) == 2) && a.Text[1] != anyText
}

// option reads one option, and returns how many of the following words belong to it.
func (p *parsedArguments) option(a value, rest []value) int {
	if name, after, ok := a.Cut("="); ok && (strings.HasPrefix(a.Text, "--") || p.Spec.GoStyle) {
		if c, ok := p.Spec.flag(a.Text); ok { // --dry-run=client
			p.Options = append(p.Options, parsedOption{Name: p.dashes(name.Text), Role: wordRole{Kind: "class", Class: c}, Value: after, Known: true})
			return 0
		}
		r, _, known := p.lookup(p.dashes(name.Text))
		after.Label = !known && labels(name.Text)
		p.Options = append(p.Options, parsedOption{Name: p.dashes(name.Text), Role: r, Value: after, Takes: true, Known: known})
		return 0
	}
	if name, after, ok := a.Cut("="); ok && len(name.Text) > 2 {
		if r, takes, known := p.lookup(name.Text); known && takes { // -fplugin=x.so
			p.Options = append(p.Options, parsedOption{Name: name.Text, Role: r, Value: after, Takes: true, Known: true})
			return 0
		}
	}
	if o, ok := p.attached(a); ok {
		p.Options = append(p.Options, o)
		return 0
	}
	name := p.dashes(a.Text)
	r, takes, known := p.lookup(name)
	switch {
	case takes && !known && len(rest) > 0: // by its own account
		p.Options = append(p.Options, parsedOption{Name: name, Value: rest[0], Takes: true})
		return 1
	case known && takes:
		if len(rest) == 0 {
			p.missing = []value{a}
		}
		if len(rest) == 0 || r.Kind == "text" && p.isOptionOfMine(rest[0]) {
			p.Options = append(p.Options, parsedOption{Name: name, Role: r, Takes: true, Known: true})
			return 0
		}
		if c, ok := p.Spec.flag(name + "=" + rest[0].Text); ok { // --replicas 0
			r = wordRole{Kind: "class", Class: c}
		}
		p.Options = append(p.Options, parsedOption{Name: name, Role: r, Value: rest[0], Takes: true, Known: true})
		return 1
	case !known && len(rest) > 0 && p.Spec.Class == effect.Build && strings.HasPrefix(name, "--") && isProductName(name) && strings.HasPrefix(rest[0].Text, "/"):
		p.Options = append(p.Options, parsedOption{Name: name, Value: rest[0], Takes: true})
		return 1 // no operand: it is where a report goes
	case !known && len(rest) > 0 && p.mayLoad(name, rest[0].Text):
		p.Options = append(p.Options, parsedOption{Name: name, Value: rest[0], Takes: true})
		return 0 // it may be an operand as well
	case known, strings.HasPrefix(a.Text, "--"), p.Spec.GoStyle, len(a.Text) == 2, a.Text == "-help" && len(p.Path) > 0:
		if !known && len(rest) > 0 && labels(name) {
			rest[0].Label = true
		}
		p.Options = append(p.Options, parsedOption{Name: name, Role: r, Known: known})
		return 0
	}
	return p.cluster(a, rest)
}

// dashes spells Go's two kinds of dashes alike.
func (p *parsedArguments) dashes(name string) string {
	if p.Spec.GoStyle && strings.HasPrefix(name, "--") {
		return name[1:]
	}
	return name
}

// cluster reads -abcVALUE.
func (p *parsedArguments) cluster(a value, rest []value) int {
	letters := a.Text[1:]
	for i := 0; i < len(letters); i++ {
		name := "-" + letters[i:i+1]
		r, takes, known := p.lookup(name)
		if !known || !takes {
			p.Options = append(p.Options, parsedOption{Name: name, Role: r, Known: known, Value: a})
			continue
		}
		if i+1 < len(letters) {
			p.Options = append(p.Options, parsedOption{Name: name, Role: r, Value: a.With(letters[i+1:]), Takes: true, Known: true})
			return 0
		}
		if len(rest) > 0 {
			p.Options = append(p.Options, parsedOption{Name: name, Role: r, Value: rest[0], Takes: true, Known: true})
			return 1
		}
		p.missing = []value{a}
		p.Options = append(p.Options, parsedOption{Name: name, Role: r, Takes: true, Known: true})
	}
	return 0
}

// isOptionOfMine reports whether a word behind an option is surely no value of it: make -j --eval=TEXT.
func (p *parsedArguments) isOptionOfMine(a value) bool {
	name, _, ok := a.Cut("=")
	if !ok || !strings.HasPrefix(name.Text, "--") {
		return false
	}
	for q := p.Spec; q != nil; q = q.Parent {
		if _, known := q.options[name.Text]; known {
			return true
		}
	}
	return false
}

// call is one program about to run, with what flows into it.
type call struct {
	Name string  // as looked up: the last name of its path
	Argv []value // argv[0] is the program as spelled
	In   *data
	Spec *programRow
	Got  parsedArguments // the arguments, parsed by the table
}
