package shell

import "strings"

// parsed is a list of arguments, split by the program's entry in the table.
type parsed struct {
	spec     *program // the sub-command, or the program itself
	path     []string // names of the sub-commands
	options  []option
	operands []value
	unlisted bool // the sub-command is not in the table
}

// option is one option as given.
type option struct {
	name  string
	role  role
	value value
	takes bool
	known bool
}

// value of the last option of one of the names.
func (p *parsed) value(names ...string) (value, bool) {
	for i := len(p.options) - 1; i >= 0; i-- {
		for _, n := range names {
			if p.options[i].name == n {
				return p.options[i].value, true
			}
		}
	}
	return value{}, false
}

// has reports whether one of the options is given.
func (p *parsed) has(names ...string) bool {
	_, ok := p.value(names...)
	return ok
}

// arguments takes argv[1:] apart.
func arguments(spec *program, args []value) parsed {
	p := parsed{spec: spec}
	for i := 0; i < len(args); i++ {
		a := args[i]
		if i == 0 && len(a.text) > 1 && a.text[0] == '+' && a.plain() && spec.plus {
			continue // cargo +nightly
		}
		if !isOption(a) {
			if p.descend(a) {
				continue
			}
			p.operands = append(p.operands, a)
			if p.spec.posix {
				p.operands = append(p.operands, args[i+1:]...)
				break
			}
			continue
		}
		if a.text == "--" {
			rest := args[i+1:]
			if len(rest) > 0 && len(p.operands) == 0 && p.descend(rest[0]) {
				rest = rest[1:]
			}
			p.operands = append(p.operands, rest...)
			break
		}
		i += p.option(a, args[i+1:])
	}
	return p
}

// descend enters a sub-command.
func (p *parsed) descend(a value) bool {
	if len(p.operands) > 0 || len(p.spec.subs) == 0 || p.unlisted {
		return false
	}
	if a.plain() {
		if s := p.spec.findSub(a.text); s != nil {
			p.spec = s
			p.path = append(p.path, a.text)
			return true
		}
	}
	p.unlisted = true
	return false
}

func isOption(a value) bool {
	return len(a.text) > 1 && (a.text[0] == '-' || a.text[0] == '+' && len(a.text) == 2) && a.text[1] != hole
}

// option reads one option, and returns how many of the following words belong to it.
func (p *parsed) option(a value, rest []value) int {
	if name, after, ok := a.cut("="); ok && (strings.HasPrefix(a.text, "--") || p.spec.goStyle) {
		if c, ok := p.spec.flag(a.text); ok { // --dry-run=client
			p.options = append(p.options, option{name: p.dashes(name.text), role: role{kind: "class", class: c}, value: after, known: true})
			return 0
		}
		r, _, known := p.spec.option(p.dashes(name.text))
		after.label = !known && labels(name.text)
		p.options = append(p.options, option{name: p.dashes(name.text), role: r, value: after, takes: true, known: known})
		return 0
	}
	if name, after, ok := a.cut("="); ok && len(name.text) > 2 {
		if r, takes, known := p.spec.option(name.text); known && takes { // -fplugin=x.so
			p.options = append(p.options, option{name: name.text, role: r, value: after, takes: true, known: true})
			return 0
		}
	}
	if o, ok := p.attached(a); ok {
		p.options = append(p.options, o)
		return 0
	}
	name := p.dashes(a.text)
	r, takes, known := p.spec.option(name)
	switch {
	case known && takes:
		if len(rest) == 0 || r.kind == "text" && p.isOptionOfMine(rest[0]) {
			p.options = append(p.options, option{name: name, role: r, takes: true, known: true})
			return 0
		}
		p.options = append(p.options, option{name: name, role: r, value: rest[0], takes: true, known: true})
		return 1
	case !known && len(rest) > 0 && p.spec.class == Build && strings.HasPrefix(name, "--") && isProductName(name) && strings.HasPrefix(rest[0].text, "/"):
		p.options = append(p.options, option{name: name, value: rest[0], takes: true})
		return 1 // no operand: it is where a report goes
	case !known && len(rest) > 0 && p.mayLoad(name, rest[0].text):
		p.options = append(p.options, option{name: name, value: rest[0], takes: true})
		return 0 // it may be an operand as well
	case known, strings.HasPrefix(a.text, "--"), p.spec.goStyle, len(a.text) == 2, a.text == "-help" && len(p.path) > 0:
		if !known && len(rest) > 0 && labels(name) {
			rest[0].label = true
		}
		p.options = append(p.options, option{name: name, role: r, known: known})
		return 0
	}
	return p.cluster(a, rest)
}

// dashes spells Go's two kinds of dashes alike.
func (p *parsed) dashes(name string) string {
	if p.spec.goStyle && strings.HasPrefix(name, "--") {
		return name[1:]
	}
	return name
}

// cluster reads -abcVALUE.
func (p *parsed) cluster(a value, rest []value) int {
	letters := a.text[1:]
	for i := 0; i < len(letters); i++ {
		name := "-" + letters[i:i+1]
		r, takes, known := p.spec.option(name)
		if !known || !takes {
			p.options = append(p.options, option{name: name, role: r, known: known, value: a})
			continue
		}
		if i+1 < len(letters) {
			p.options = append(p.options, option{name: name, role: r, value: a.with(letters[i+1:]), takes: true, known: true})
			return 0
		}
		if len(rest) > 0 {
			p.options = append(p.options, option{name: name, role: r, value: rest[0], takes: true, known: true})
			return 1
		}
		p.options = append(p.options, option{name: name, role: r, takes: true, known: true})
	}
	return 0
}

// isOptionOfMine reports whether a word behind an option is surely no value of it: make -j --eval=TEXT.
func (p *parsed) isOptionOfMine(a value) bool {
	name, _, ok := a.cut("=")
	if !ok || !strings.HasPrefix(name.text, "--") {
		return false
	}
	for q := p.spec; q != nil; q = q.parent {
		if _, known := q.options[name.text]; known {
			return true
		}
	}
	return false
}
