package shell

import (
	"fmt"
	"strings"

	"rein/guard/effect"
)

// parse reads the rest of a line of the table: a class, settings and options.
func (p *programRow) parse(rest string) error {
	for i, item := range strings.Fields(rest) {
		if c, ok := effect.ClassNamed(item); ok && i == 0 {
			p.Class, p.Unknown = c, nil
			continue
		}
		if err := p.item(item); err != nil {
			return err
		}
	}
	return nil
}

func (p *programRow) item(item string) error {
	if key, val, ok := strings.Cut(item, "="); ok && !strings.ContainsAny(key, ":-") {
		return p.set(key, val)
	}
	key, list, ok := strings.Cut(item, ":")
	if !ok {
		return p.mark(item)
	}
	if name, flag := strings.CutSuffix(key, "!"); flag {
		c, ok := effect.ClassNamed(name)
		if !ok {
			return fmt.Errorf("no class %q", name)
		}
		if p.flags == nil {
			p.flags = map[string]effect.Class{}
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
		p.options = map[string]wordRole{}
	}
	for _, o := range strings.Split(list, ",") {
		p.options[o] = r
	}
	return nil
}

func (p *programRow) set(key, val string) error {
	switch key {
	case "args":
		p.Args = nil
		for _, name := range strings.Split(val, ",") {
			r, err := roleNamed(name)
			if err != nil {
				return err
			}
			p.Args = append(p.Args, r)
			if r.Kind == "cmd" || r.Kind == "task-or-cmd" {
				p.posix, p.Runner = true, true
			}
		}
	case "last":
		r, err := roleNamed(val)
		if err != nil {
			return err
		}
		p.Last = &r
	case "how":
		p.How = val
	case "keeps":
		p.Keeps = val
	case "out":
		p.Out = val
	case "bare":
		c, ok := effect.ClassNamed(val)
		if !ok {
			return fmt.Errorf("no class %q", val)
		}
		p.Bare = &c
	case "else":
		c, ok := effect.ClassNamed(val)
		if !ok {
			return fmt.Errorf("no class %q", val)
		}
		p.Unknown = &c
	default:
		return fmt.Errorf("no setting %q", key)
	}
	return nil
}

func (p *programRow) mark(word string) error {
	switch word {
	case "go":
		p.GoStyle = true
	case "posix":
		p.posix = true
	case "runner":
		p.Runner = true
	case "local":
		p.Local = true
	case "global":
		p.global = true
	case "tasks":
		p.Tasks = true
	case "flat":
		p.Flat = true
	case "goal":
		p.Goal = true
	case "open":
		p.Open = true
	case "plus":
		p.plus = true
	default:
		return fmt.Errorf("no mark %q", word)
	}
	return nil
}

func roleNamed(name string) (wordRole, error) {
	if roles[name] {
		return wordRole{Kind: name}, nil
	}
	if c, ok := effect.ClassNamed(name); ok {
		return wordRole{Kind: "class", Class: c}, nil
	}
	return wordRole{}, fmt.Errorf("no role %q", name)
}

// parsedOption finds an option of the program or of what it is a sub-command of: what it takes, and whether it takes a
// value. Long options may be shortened as long as they are unique, as getopt_long allows.
func (p *programRow) Option(name string) (r wordRole, takes, known bool) {
	if r, takes, known = p.exactly(name); known {
		return r, takes, known
	}
	return p.exactly(p.full(name))
}

// exactly is Option for a name that is not shortened.
func (p *programRow) exactly(name string) (r wordRole, takes, known bool) {
	for q := p; q != nil; q = q.Parent {
		if q != p && q.global {
			break
		}
		if r, ok := q.options[name]; ok {
			return r, true, true
		}
		if c, ok := q.flags[name]; ok {
			return wordRole{Kind: "class", Class: c}, false, true
		}
	}
	return wordRole{}, false, false
}

// flag finds an option without a value, or one with a certain value: --dry-run=client.
func (p *programRow) flag(text string) (effect.Class, bool) {
	for q := p; q != nil; q = q.Parent {
		if c, ok := q.flags[text]; ok {
			return c, true
		}
	}
	return 0, false
}

// full returns the option that a shortened long option stands for, the most severe one of several; the name itself where the
// table has none.
func (p *programRow) full(name string) string {
	if !strings.HasPrefix(name, "--") || len(name) < 4 {
		return name
	}
	full, worst := name, -1
	note := func(o string, w int) {
		if strings.HasPrefix(o, name) && !strings.Contains(o, "=") && (w > worst || w == worst && o < full) {
			full, worst = o, w
		}
	}
	for q := p; q != nil; q = q.Parent {
		if q != p && q.global {
			break
		}
		for o, r := range q.options {
			note(o, weight(r))
		}
		for o, c := range q.flags {
			note(o, int(c)+100)
		}
	}
	return full
}

// weight orders roles. An option may be shortened to what several options begin with: then the most severe role counts.
func weight(r wordRole) int {
	switch r.Kind {
	case "class":
		return 100 + int(r.Class)
	case "text", "pattern":
		return 0
	case "read", "any":
		return 1
	case "write", "delete", "tree", "move", "into", "edit":
		return 50
	}
	return 90
}
