package shell

// The files table_… read the tables of programs (what each does with its options and operands) and take the arguments
// of a command apart by them.

import (
	"embed"
	"fmt"
	"path"
	"strings"
	"sync"

	"rein/guard/effect"
)

//go:embed programs/*.txt
var tableFiles embed.FS

// programTable returns the table of programs. It is read once, when the first command is judged.
var programTable = sync.OnceValue(func() *programIndex {
	t, err := loadTable()
	if err != nil {
		panic(err) // the files are part of the binary; a test reads them
	}
	return t
})

// wordRole describes what a program does with a word.
type wordRole struct {
	Kind  string       // see roles
	Class effect.Class // for kind "class": the effect that the word brings
}

// roles are the kinds of words that a table may name beside the classes.
var roles = map[string]bool{
	"text":          true, // nothing
	"pattern":       true, // a regular expression or other text
	"read":          true, // a file that is read
	"list":          true, // a directory whose names are read
	"names":         true, // a list of files that are read
	"task":          true, // the name of what a tool of the project runs
	"code":          true, // a text in the language of the program
	"sql":           true, // statements for the server of a database
	"write":         true, // a file that is written
	"edit":          true, // a file that is read and written
	"delete":        true, // a file that is removed
	"tree":          true, // a directory that is removed with all that is in it
	"move":          true, // a file that is taken away from where it is
	"into":          true, // a directory that is written to
	"script":        true, // a program text of the project that is run
	"project":       true, // a directory or file that describes what to build
	"cmd":           true, // this word and all after it are a command
	"shell":         true, // a command line for a shell
	"task-or-cmd":   true, // as cmd, or a script that the project gives a name
	"program":       true, // a program to run instead of a known one
	"head":          true, // a program to run with the operands as its arguments
	"url":           true, // a place on the network
	"upload":        true, // a file that is sent
	"assign":        true, // NAME=value for the environment
	"any":           true, // a path or not: what looks like a secret is read
	"settings":      true, // a configuration file that can run programs
	"classpath":     true, // directories and archives that code is loaded from
	"source":        true, // as any, or an address that is fetched
	"cargo-setting": true, // a setting of cargo, or a file of them
	"ini":           true, // a setting of php
	"place":         true, // where the command takes effect: a host, an account, a namespace, a file that names one
	"registry":      true, // where packages are taken from, or published to
	"library":       true, // a library by its name, or code by its path
}

// programRow is one program, or one sub-command of one.
type programRow struct {
	Name    string
	Class   effect.Class
	Args    []wordRole // roles of the operands; the last repeats
	Last    *wordRole  // role of the last of several operands
	options map[string]wordRole
	flags   map[string]effect.Class // options without a value that bring an effect
	Subs    map[string]*programRow
	globs   []*programRow // sub-commands whose names are patterns
	Unknown *effect.Class // what an unknown sub-command is
	Bare    *effect.Class // what the program does without operands and options
	How     string        // the handler in Go
	Out     string        // what standard output is
	Keeps   string        // what it changes outside: a path, with ~ for the home directory; "" where it is not known
	GoStyle bool          // options are long with one dash
	posix   bool          // options end at the first operand
	Runner  bool          // runs other programs: --help may belong to them
	Local   bool          // judged by its name even when it is in the workspace
	global  bool          // its options are only before the sub-command
	Tasks   bool          // all its operands name what to do
	Goal    bool          // its first operand names what to do, the others do not
	plus    bool          // its first word may be +TOOLCHAIN
	Flat    bool          // its operands are files or filters: none names what to do
	Open    bool          // it only looks: a lasting approval may leave its further words open
	Parent  *programRow
}

// tableExample is one line "class | command": the class that a command of the table must have.
type tableExample struct {
	Line  string
	Where string // file:line
}

// programIndex is all programs. A block of lines is read when one of its programs is first asked for: most runs need few.
type programIndex struct {
	blocks map[string]*block
}

// block is one line of programs with the lines of their sub-commands. All its programs share them.
type block struct {
	names    []string
	lines    []string // the first without its names
	where    string   // file:line
	examples []tableExample

	once    sync.Once
	program *programRow
	err     error
}

// Find returns a program by its name, nil where the table does not know it.
func (t *programIndex) Find(name string) *programRow {
	p, _ := t.Lookup(name)
	return p
}

// Lookup returns a program and the name that the table knows it by. Versions are part of many names: python3.12, gcc-13.
func (t *programIndex) Lookup(name string) (*programRow, string) {
	if b, ok := t.blocks[name]; ok {
		return b.read(), name
	}
	base := strings.TrimSuffix(strings.TrimRight(name, "0123456789."), "-")
	if b, ok := t.blocks[base]; ok && base != name {
		return b.read(), base
	}
	if strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl") {
		return t.blocks["ld.so"].read(), "ld.so"
	}
	for _, end := range linterEnds {
		if strings.HasSuffix(name, end) && len(name) > len(end)+1 {
			return t.blocks["kind:linter"].read(), name
		}
	}
	return nil, name
}

// linterEnds are how names of linters and formatters end that the table need not know one by one.
var linterEnds = [...]string{"lint", "-linter", "fmt", "-format", "-formatter", "-checker"}

// read parses the block, once.
func (b *block) read() *programRow {
	b.once.Do(func() {
		p := &programRow{Name: b.names[0]}
		b.err = p.parse(b.lines[0])
		for _, line := range b.lines[1:] {
			if b.err == nil {
				b.err = p.addSubs(line)
			}
		}
		if b.err != nil {
			b.err = fmt.Errorf("%s: %w", b.where, b.err)
		}
		b.program = p
	})
	if b.err != nil {
		panic(b.err) // the tables are part of the binary; a test reads every block
	}
	return b.program
}

// loadTable splits the files into blocks.
func loadTable() (*programIndex, error) {
	t := &programIndex{blocks: make(map[string]*block, 4096)}
	files, err := tableFiles.ReadDir("programs")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		text, err := tableFiles.ReadFile("programs/" + f.Name())
		if err != nil {
			return nil, err
		}
		if err := t.add(f.Name(), string(text)); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// add splits one file of the table. A line that is indented continues the block above it.
func (t *programIndex) add(file, text string) error {
	var at *block
	n := 0
	for line := range strings.Lines(text) {
		n++
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || trimmed[0] == '#':
		case line[0] != ' ':
			names, rest, _ := strings.Cut(trimmed, " ")
			at = &block{names: strings.Split(names, "|"), lines: []string{rest}, where: fmt.Sprintf("%s:%d", file, n)}
			for _, name := range at.names {
				if t.blocks[name] != nil {
					return fmt.Errorf("%s: %s is in %s already", at.where, name, t.blocks[name].where)
				}
				t.blocks[name] = at
			}
		case strings.HasPrefix(trimmed, "= "):
			at.examples = append(at.examples, tableExample{Line: trimmed[2:], Where: fmt.Sprintf("%s:%d", file, n)})
		default:
			at.lines = append(at.lines, trimmed)
		}
	}
	return nil
}

// addSubs adds sub-commands "a|b/c class …".
func (p *programRow) addSubs(line string) error {
	names, rest, _ := strings.Cut(line, " ")
	for _, name := range strings.Split(names, "|") {
		at := p
		for _, w := range strings.Split(name, "/") {
			at = at.sub(w)
		}
		if err := at.parse(rest); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// sub returns the sub-command of that name, made where it is not there yet.
func (p *programRow) sub(name string) *programRow {
	if s, ok := p.Subs[name]; ok {
		return s
	}
	s := &programRow{Name: name, Class: p.Class, Parent: p, GoStyle: p.GoStyle, Runner: p.Runner, Flat: p.Flat, Tasks: p.Tasks, Unknown: p.Unknown}
	if p.Subs == nil {
		p.Subs = map[string]*programRow{}
	}
	p.Subs[name] = s
	if strings.ContainsAny(name, "*?[") {
		p.globs = append(p.globs, s)
	}
	return s
}

func (p *programRow) findSub(name string) *programRow {
	if s, ok := p.Subs[name]; ok {
		return s
	}
	for _, s := range p.globs {
		if ok, _ := path.Match(s.Name, name); ok && s.Name != "*" {
			return s
		}
	}
	if s := p.Subs["*"]; s != nil && s.Subs == nil {
		return s
	}
	if p.Parent != nil && p.Parent.Subs["*"] != nil && p.Parent.Subs["*"] != p {
		if s := p.Parent.Subs["*"].findSub(name); s != nil {
			return s
		}
	}
	return p.Subs["*"]
}
