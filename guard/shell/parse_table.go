package shell

import (
	"fmt"
	"strings"
)

// parse reads the rest of a line of the table: a class, settings and options.
func (p *program) parse(rest string) error {
	for i, item := range strings.Fields(rest) {
		if c, ok := ClassNamed(item); ok && i == 0 {
			p.class, p.unknown = c, nil
			continue
		}
		if err := p.item(item); err != nil {
			return err
		}
	}
	return nil
}

func (p *program) item(item string) error {
	if key, val, ok := strings.Cut(item, "="); ok && !strings.ContainsAny(key, ":-") {
		return p.set(key, val)
	}
	key, list, ok := strings.Cut(item, ":")
	if !ok {
		return p.mark(item)
	}
	if name, flag := strings.CutSuffix(key, "!"); flag {
		c, ok := ClassNamed(name)
		if !ok {
			return fmt.Errorf("no class %q", name)
		}
		if p.flags == nil {
			p.flags = map[string]Class{}
		}
		for _, o := range strings.Split(list, ",") {
			p.flags[o] = c
		}
		return nil
	}
	r, err := roleNamed(key)
	if err != nil {
		return err
	}
	if p.options == nil {
		p.options = map[string]role{}
	}
	for _, o := range strings.Split(list, ",") {
		p.options[o] = r
	}
	return nil
}

func (p *program) set(key, val string) error {
	switch key {
	case "args":
		p.args = nil
		for _, name := range strings.Split(val, ",") {
			r, err := roleNamed(name)
			if err != nil {
				return err
			}
			p.args = append(p.args, r)
			if r.kind == "cmd" || r.kind == "task-or-cmd" {
				p.posix, p.runner = true, true
			}
		}
	case "last":
		r, err := roleNamed(val)
		if err != nil {
			return err
		}
		p.last = &r
	case "how":
		p.how = val
	case "out":
		p.out = val
	case "bare":
		c, ok := ClassNamed(val)
		if !ok {
			return fmt.Errorf("no class %q", val)
		}
		p.bare = &c
	case "else":
		c, ok := ClassNamed(val)
		if !ok {
			return fmt.Errorf("no class %q", val)
		}
		p.unknown = &c
	default:
		return fmt.Errorf("no setting %q", key)
	}
	return nil
}

func (p *program) mark(word string) error {
	switch word {
	case "go":
		p.goStyle = true
	case "posix":
		p.posix = true
	case "runner":
		p.runner = true
	case "local":
		p.local = true
	case "global":
		p.global = true
	case "tasks":
		p.tasks = true
	case "flat":
		p.flat = true
	case "goal":
		p.goal = true
	case "plus":
		p.plus = true
	default:
		return fmt.Errorf("no mark %q", word)
	}
	return nil
}

func roleNamed(name string) (role, error) {
	if roles[name] {
		return role{kind: name}, nil
	}
	if c, ok := ClassNamed(name); ok {
		return role{kind: "class", class: c}, nil
	}
	return role{}, fmt.Errorf("no role %q", name)
}

// option finds an option of the program or of what it is a sub-command of: what it takes, and whether it takes a
// value. Long options may be shortened as long as they are unique, as getopt_long allows.
func (p *program) option(name string) (r role, takes, known bool) {
	for q := p; q != nil; q = q.parent {
		if q != p && q.global {
			break
		}
		if r, ok := q.options[name]; ok {
			return r, true, true
		}
		if c, ok := q.flags[name]; ok {
			return role{kind: "class", class: c}, false, true
		}
	}
	if !strings.HasPrefix(name, "--") || len(name) < 4 {
		return role{}, false, false
	}
	return p.shortened(name)
}

// flag finds an option without a value, or one with a certain value: --dry-run=client.
func (p *program) flag(text string) (Class, bool) {
	for q := p; q != nil; q = q.parent {
		if c, ok := q.flags[text]; ok {
			return c, true
		}
	}
	return 0, false
}

func (p *program) shortened(name string) (r role, takes, known bool) {
	worst := -1
	for q := p; q != nil; q = q.parent {
		if q != p && q.global {
			break
		}
		for o, or := range q.options {
			if strings.HasPrefix(o, name) && weight(or) > worst {
				r, takes, known, worst = or, true, true, weight(or)
			}
		}
		for o, c := range q.flags {
			if strings.HasPrefix(o, name) && int(c)+100 > worst {
				r, takes, known, worst = role{kind: "class", class: c}, false, true, int(c)+100
			}
		}
	}
	return r, takes, known
}

// weight orders roles. An option may be shortened to what several options begin with: then the most severe role counts.
func weight(r role) int {
	switch r.kind {
	case "class":
		return 100 + int(r.class)
	case "text", "pattern":
		return 0
	case "read", "any":
		return 1
	case "write", "delete", "tree", "move", "into", "edit":
		return 50
	}
	return 90
}
