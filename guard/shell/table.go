package shell

import (
	"embed"
	"fmt"
	"path"
	"sort"
	"strings"
	"sync"
)

//go:embed table/*.txt
var tableFiles embed.FS

// programs gives the table of programs. It is read once, when the first command is judged.
var programs = sync.OnceValue(func() *table {
	t, err := loadTable()
	if err != nil {
		panic(err) // the files are part of the binary; a test reads them
	}
	return t
})

// role says what a program does with a word.
type role struct {
	kind  string // see roles
	class Class  // for kind "class": the effect that the word brings
}

// roles are the kinds of words that a table may name beside the classes.
var roles = map[string]bool{
	"text":     true, // nothing
	"pattern":  true, // a regular expression or other text
	"read":     true, // a file that is read
	"list":     true, // a directory whose names are read
	"write":    true, // a file that is written
	"edit":     true, // a file that is read and written
	"delete":   true, // a file that is removed
	"tree":     true, // a directory that is removed with all that is in it
	"move":     true, // a file that is taken away from where it is
	"into":     true, // a directory that is written to
	"script":   true, // a program text of the project that is run
	"project":  true, // a directory or file that says what to build
	"cmd":      true, // this word and all after it are a command
	"shell":    true, // a command line for a shell
	"program":  true, // a program to run instead of a known one
	"url":      true, // a place on the network
	"upload":   true, // a file that is sent
	"assign":   true, // NAME=value for the environment
	"any":      true, // a path or not: what looks like a secret is read
	"settings": true, // a configuration file that can run programs
}

// program is one program, or one sub-command of one.
type program struct {
	name    string
	class   Class
	args    []role // roles of the operands; the last repeats
	last    *role  // role of the last of several operands
	options map[string]role
	flags   map[string]Class // options without a value that bring an effect
	subs    map[string]*program
	globs   []*program // sub-commands whose names are patterns
	unknown *Class     // what an unknown sub-command is
	bare    *Class     // what the program does without operands and options
	how     string     // the handler in Go
	out     string     // what standard output is
	goStyle bool       // options are long with one dash
	posix   bool       // options end at the first operand
	runner  bool       // runs other programs: --help may belong to them
	local   bool       // judged by its name even when it lies in the workspace
	parent  *program
}

// example is one line that says what a command of the table must be.
type example struct {
	class   Class
	command string
	where   string
}

type table struct {
	programs map[string]*program
	examples []example
}

func (t *table) find(name string) *program {
	if p, ok := t.programs[name]; ok {
		return p
	}
	// Versions are part of many names: python3.12, gcc-13, clang++-17.
	base := strings.TrimRight(name, "0123456789.")
	if base = strings.TrimSuffix(base, "-"); base != name && base != "" {
		if p, ok := t.programs[base]; ok && p.name == base {
			return p
		}
	}
	if strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl") {
		return t.programs["ld.so"]
	}
	return nil
}

func loadTable() (*table, error) {
	t := &table{programs: make(map[string]*program, 1500)}
	names, err := tableFiles.ReadDir("table")
	if err != nil {
		return nil, err
	}
	sort.Slice(names, func(i, j int) bool { return names[i].Name() < names[j].Name() })
	for _, n := range names {
		text, err := tableFiles.ReadFile("table/" + n.Name())
		if err != nil {
			return nil, err
		}
		if err := t.add(n.Name(), string(text)); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// add reads one file of the table.
func (t *table) add(file, text string) error {
	var last []*program
	n := 0
	for line := range strings.Lines(text) {
		n++
		where := fmt.Sprintf("%s:%d", file, n)
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || trimmed[0] == '#':
			continue
		case strings.HasPrefix(trimmed, "= "):
			class, command, ok := strings.Cut(trimmed[2:], "|")
			c, known := ClassNamed(strings.TrimSpace(class))
			if !ok || !known {
				return fmt.Errorf("%s: want \"= class | command\"", where)
			}
			t.examples = append(t.examples, example{c, strings.TrimSpace(command), where})
			continue
		case line[0] == ' ' || line[0] == '\t':
			if err := addSubs(last, trimmed); err != nil {
				return fmt.Errorf("%s: %w", where, err)
			}
			continue
		}
		var err error
		if last, err = t.addPrograms(trimmed); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
	}
	return nil
}

func (t *table) addPrograms(line string) ([]*program, error) {
	names, rest, _ := strings.Cut(line, " ")
	var all []*program
	for _, name := range strings.Split(names, "|") {
		if t.programs[name] != nil {
			return nil, fmt.Errorf("%s is in the table already", name)
		}
		p := &program{name: name}
		if err := p.parse(rest); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		t.programs[name] = p
		all = append(all, p)
	}
	return all, nil
}

// addSubs adds sub-commands "a|b/c class …" below programs.
func addSubs(parents []*program, line string) error {
	names, rest, _ := strings.Cut(line, " ")
	for _, parent := range parents {
		for _, name := range strings.Split(names, "|") {
			at := parent
			words := strings.Split(name, "/")
			for _, w := range words[:len(words)-1] {
				at = at.sub(w)
			}
			p := at.sub(words[len(words)-1])
			if err := p.parse(rest); err != nil {
				return fmt.Errorf("%s %s: %w", parent.name, name, err)
			}
		}
	}
	return nil
}

// sub gives the sub-command of that name, made where it is not there yet.
func (p *program) sub(name string) *program {
	if s, ok := p.subs[name]; ok {
		return s
	}
	s := &program{name: name, class: p.class, parent: p, goStyle: p.goStyle, runner: p.runner, unknown: p.unknown}
	if p.subs == nil {
		p.subs = map[string]*program{}
	}
	p.subs[name] = s
	if strings.ContainsAny(name, "*?[") {
		p.globs = append(p.globs, s)
	}
	return s
}

func (p *program) findSub(name string) *program {
	if s, ok := p.subs[name]; ok {
		return s
	}
	for _, s := range p.globs {
		if ok, _ := path.Match(s.name, name); ok && s.name != "*" {
			return s
		}
	}
	if p.parent != nil && p.parent.subs["*"] != nil && p.parent.subs["*"] != p {
		if s := p.parent.subs["*"].findSub(name); s != nil {
			return s
		}
	}
	return p.subs["*"]
}
