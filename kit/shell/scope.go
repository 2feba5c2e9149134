package shell

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// scope is the state of one shell: a subshell gets a copy.
type scope struct {
	Cwd, Old  string // absolute; "" is unknown
	Vars      map[string]value
	Arrays    map[string]array
	Funcs     map[string]*syntax.Stmt
	Args      []value // $1…
	ArgsKnown bool
	ArgsLoose bool               // some of them may be several words: which number each has is not known
	ArgsTaint taint              // where they come from, if they are not known; 0 is a caller
	Fds       map[string]data    // descriptors opened by exec
	Written   map[string]written // files written by this line
	Fetched   map[string]bool    // directories in which this line may have put what it downloaded
	Aside     bool               // standard output may go elsewhere: an exec redirected it
	Sent      bool               // output goes to the network
	Bared     bool               // the harness's own variables were taken out of the environment
	Unedited  bool               // the editor that git starts does nothing
	Integers  map[string]bool    // variables whose assignments bash evaluates as arithmetic; false where that is not sure
	Fixed     map[string]bool    // variables that a readonly before this may keep from changing
	Exported  map[string]bool    // variables that other programs get
	ExportAll bool               // set -a
	Gone      map[string]bool    // variables that are surely not set
	NoBraces  bool               // set +B
	NoGlobs   bool               // set -f

	work *int // entries that were copied with scopes and arrays, of all scopes of a reading together
}

// written is a file that the line itself wrote: running it runs what was written.
type written struct {
	Data data
	// As is the program that it is a copy of, or a link to; "" for other files.
	As string
}

// NewScope is the state of the shell at the start.
func (r *judging) NewScope() *scope {
	dir := r.Ctx.Abs(".")
	sc := &scope{
		Cwd: dir, Old: dir,
		Vars: map[string]value{}, Arrays: map[string]array{}, Funcs: map[string]*syntax.Stmt{},
		Fds: map[string]data{}, Written: map[string]written{}, Fetched: map[string]bool{},
		work: &r.Work,
	}
	return sc
}

// Sub copies the scope for a subshell. What the line wrote to files is shared: files are not undone by ")".
func (sc *scope) Sub() *scope {
	c := *sc
	*sc.work += len(sc.Vars) + len(sc.Arrays) + len(sc.Funcs) + len(sc.Args)
	c.Vars, c.Arrays, c.Funcs, c.Fds = maps.Clone(sc.Vars), maps.Clone(sc.Arrays), maps.Clone(sc.Funcs), maps.Clone(sc.Fds)
	c.Args, c.Integers, c.Gone = slices.Clone(sc.Args), maps.Clone(sc.Integers), maps.Clone(sc.Gone)
	c.Fixed, c.Exported = maps.Clone(sc.Fixed), maps.Clone(sc.Exported)
	return &c
}

// shellReader is the scope of another shell that the line starts: it has the variables that are exported, and options of its own.
func (sc *scope) Shell() *scope {
	c := sc.Sub()
	delete(c.Vars, "IFS")
	for name, v := range c.Vars {
		if c.ExportAll || c.Exported[name] || inherited(name) {
			continue
		}
		if v = either(value{}, v); v.Text == "" && len(v.Else) > 0 { // the environment may have had it: then it is exported
			v.Text, v.Else[0] = v.Else[0], ""
		}
		c.Vars[name] = v
	}
	c.Arrays, c.Integers, c.Fixed, c.Gone = map[string]array{}, nil, nil, nil
	if !c.ExportAll && !c.Exported["-f"] {
		c.Funcs = map[string]*syntax.Stmt{}
	}
	c.NoBraces, c.NoGlobs, c.ExportAll = false, false, false
	return c
}

// inherited reports whether a variable surely comes from the environment: its new value is exported.
func inherited(name string) bool {
	switch name {
	case "HOME", "PATH", "USER", "LOGNAME", "SHELL", "TMPDIR", "PWD", "OLDPWD", "LANG", "TERM":
		return true
	}
	return false
}

// Export notes that other programs get a variable; the name "-f" means functions.
func (sc *scope) Export(name string) { sc.Exported = with(sc.Exported, name) }

// Fix notes that a variable may not change any more.
func (sc *scope) Fix(name string) { sc.Fixed = with(sc.Fixed, name) }

func with(set map[string]bool, name string) map[string]bool {
	if set == nil {
		set = map[string]bool{}
	}
	set[name] = true
	return set
}

// Set gives a variable a value. For an array that is its element 0.
func (sc *scope) Set(name string, v value) {
	if sc.Fixed[name] {
		v = holeOf(v.Taint | fromLost)
	}
	if a, ok := sc.Arrays[name]; ok {
		sc.Arrays[name] = a.With("0", v)
		*sc.work += len(a.Items)
		return
	}
	if name == "BASH_ARGV0" {
		name = "0"
	}
	sc.Vars[name] = v
}

// SetArray gives a variable elements.
func (sc *scope) SetArray(name string, a array) {
	delete(sc.Vars, name)
	sc.Arrays[name] = a
	*sc.work += len(a.Items)
}

// SetArgs gives the shell positional parameters.
func (sc *scope) SetArgs(args []value) {
	sc.Args, sc.ArgsKnown, sc.ArgsTaint, sc.ArgsLoose = args, true, 0, false
	for _, v := range args {
		sc.ArgsLoose = sc.ArgsLoose || v.Many
		sc.ArgsTaint |= v.Taint
	}
}

// Strangers is where positional parameters come from that are not known.
func (sc *scope) Strangers() taint {
	if sc.ArgsTaint == 0 {
		return fromArgument
	}
	return sc.ArgsTaint
}

// Changed lists the variables and arrays whose values differ from those of another scope.
func (sc *scope) Changed(before *scope) []string {
	var names []string
	for name, v := range sc.Vars {
		if was, ok := before.Vars[name]; !ok || !was.Same(v) {
			names = append(names, name)
		}
	}
	if sc.ArgsKnown != before.ArgsKnown || sc.ArgsKnown && !sameArgs(sc, before) {
		names = append(names, argsChanged)
	}
	for name, a := range sc.Arrays {
		if was, ok := before.Arrays[name]; !ok || !was.Equal(a) {
			names = append(names, name)
		}
	}
	return names
}

// argsChanged stands for the positional parameters in a list of what changed.
const argsChanged = "@"

// Lose makes a variable or an array unknown.
func (sc *scope) Lose(name string) {
	if name == argsChanged {
		sc.ArgsKnown, sc.ArgsTaint = false, sc.ArgsTaint|fromLost
	}
	if a, ok := sc.Arrays[name]; ok {
		sc.Arrays[name] = unknownArray(a.Taints() | fromLost)
	}
	if v, ok := sc.Vars[name]; ok {
		sc.Vars[name] = holeOf(v.Taint | fromLost)
	}
}

// LoseChanged makes unknown what differs from another scope.
func (sc *scope) LoseChanged(other *scope) {
	for _, name := range sc.Changed(other) {
		sc.Lose(name)
	}
}

// Fetch notes that the line puts something from the network into a directory, under a name that is not known.
func (sc *scope) Fetch(dir string) {
	if dir != "" {
		sc.Fetched[dir] = true
	}
}

// HasFetched reports whether a file may be one that the line has downloaded.
func (sc *scope) HasFetched(abs string) bool {
	for dir := range sc.Fetched {
		if abs == dir || strings.HasPrefix(abs, dir+"/") {
			return true
		}
	}
	return false
}

// Unset removes a variable.
func (sc *scope) Unset(name string) {
	if sc.Fixed[name] {
		sc.Lose(name)
		return
	}
	delete(sc.Vars, name)
	delete(sc.Arrays, name)
	delete(sc.Integers, name)
	sc.Gone = with(sc.Gone, name)
}

// Forget makes all variables that this line has set unknown.
func (sc *scope) Forget(t taint) {
	for name := range sc.Vars {
		sc.Vars[name] = holeOf(t | fromLost)
	}
	for name := range sc.Arrays {
		sc.Arrays[name] = unknownArray(t | fromLost)
	}
}
