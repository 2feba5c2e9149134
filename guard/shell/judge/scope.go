package judge

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"rein/guard/shell/fact"
)

// Scope is the state of one shell: a subshell gets a copy.
type Scope struct {
	Cwd, Old  string // absolute; "" is unknown
	Vars      map[string]fact.Value
	Arrays    map[string]Array
	Funcs     map[string]*syntax.Stmt
	Args      []fact.Value // $1…
	ArgsKnown bool
	ArgsLoose bool                 // some of them may be several words: which number each has is not known
	ArgsTaint fact.Taint           // where they come from, if they are not known; 0 is a caller
	Fds       map[string]fact.Data // descriptors opened by exec
	Written   map[string]Written   // files written by this line
	Fetched   map[string]bool      // directories in which this line may have put what it downloaded
	Sent      bool                 // output goes to the network
	Bared     bool                 // the harness's own variables were taken out of the environment
	Unedited  bool                 // the editor that git starts does nothing
	Integers  map[string]bool      // variables whose assignments bash evaluates as arithmetic
	Gone      map[string]bool      // variables that are surely not set
	NoBraces  bool                 // set +B
	NoGlobs   bool                 // set -f
}

// Written is a file that the line itself wrote: running it runs what was written.
type Written struct {
	Data fact.Data
	// As is the program that it is a copy of, or a link to; "" for other files.
	As string
}

// NewScope is the state of the shell at the start.
func (r *Judge) NewScope() *Scope {
	dir := r.Ctx.Abs(".")
	sc := &Scope{
		Cwd: dir, Old: dir,
		Vars: map[string]fact.Value{}, Arrays: map[string]Array{}, Funcs: map[string]*syntax.Stmt{},
		Fds: map[string]fact.Data{}, Written: map[string]Written{}, Fetched: map[string]bool{},
	}
	return sc
}

// Sub copies the scope for a subshell. What the line wrote to files is shared: files are not undone by ")".
func (sc *Scope) Sub() *Scope {
	c := *sc
	c.Vars, c.Arrays, c.Funcs, c.Fds = maps.Clone(sc.Vars), maps.Clone(sc.Arrays), maps.Clone(sc.Funcs), maps.Clone(sc.Fds)
	c.Args, c.Integers, c.Gone = slices.Clone(sc.Args), maps.Clone(sc.Integers), maps.Clone(sc.Gone)
	return &c
}

// Set gives a variable a value. For an array that is its element 0.
func (sc *Scope) Set(name string, v fact.Value) {
	if a, ok := sc.Arrays[name]; ok {
		sc.Arrays[name] = a.With("0", v)
		return
	}
	sc.Vars[name] = v
}

// SetArray gives a variable elements.
func (sc *Scope) SetArray(name string, a Array) {
	delete(sc.Vars, name)
	sc.Arrays[name] = a
}

// SetArgs gives the shell positional parameters.
func (sc *Scope) SetArgs(args []fact.Value) {
	sc.Args, sc.ArgsKnown, sc.ArgsTaint, sc.ArgsLoose = args, true, 0, false
	for _, v := range args {
		sc.ArgsLoose = sc.ArgsLoose || v.Many
		sc.ArgsTaint |= v.Taint
	}
}

// Strangers is where positional parameters come from that are not known.
func (sc *Scope) Strangers() fact.Taint {
	if sc.ArgsTaint == 0 {
		return fact.FromArgument
	}
	return sc.ArgsTaint
}

// Changed lists the variables and arrays whose values differ from those of another scope.
func (sc *Scope) Changed(before *Scope) []string {
	var names []string
	for name, v := range sc.Vars {
		if was, ok := before.Vars[name]; !ok || was.Text != v.Text {
			names = append(names, name)
		}
	}
	for name, a := range sc.Arrays {
		if was, ok := before.Arrays[name]; !ok || !was.Equal(a) {
			names = append(names, name)
		}
	}
	return names
}

// Lose makes a variable or an array unknown.
func (sc *Scope) Lose(name string) {
	if a, ok := sc.Arrays[name]; ok {
		sc.Arrays[name] = LostArray(a.Taints() | fact.FromLost)
	}
	if v, ok := sc.Vars[name]; ok {
		sc.Vars[name] = fact.HoleOf(v.Taint | fact.FromLost)
	}
}

// Fetch notes that the line puts something from the network into a directory, under a name that is not known.
func (sc *Scope) Fetch(dir string) {
	if dir != "" {
		sc.Fetched[dir] = true
	}
}

// HasFetched reports whether a file may be one that the line has downloaded.
func (sc *Scope) HasFetched(abs string) bool {
	for dir := range sc.Fetched {
		if abs == dir || strings.HasPrefix(abs, dir+"/") {
			return true
		}
	}
	return false
}

// Unset removes a variable.
func (sc *Scope) Unset(name string) {
	delete(sc.Vars, name)
	delete(sc.Arrays, name)
	delete(sc.Integers, name)
	if sc.Gone == nil {
		sc.Gone = map[string]bool{}
	}
	sc.Gone[name] = true
}

// Forget makes all variables that this line has set unknown.
func (sc *Scope) Forget(t fact.Taint) {
	for name := range sc.Vars {
		sc.Vars[name] = fact.HoleOf(t | fact.FromLost)
	}
	for name := range sc.Arrays {
		sc.Arrays[name] = LostArray(t | fact.FromLost)
	}
}

// Lookup returns a variable's value, and whether it is sure to be set. Unset ones may come from the environment: they
// are unknown.
func (r *Judge) Lookup(sc *Scope, name string) (fact.Value, bool) {
	if v, ok := sc.Vars[name]; ok {
		v.Odd = true
		return v, true
	}
	if list, ok := sc.Arrays[name]; ok {
		v, set := list.Item("0")
		v.Odd = true
		return v, set
	}
	if sc.Gone[name] {
		return fact.Value{Odd: true}, false
	}
	odd := func(s string) (fact.Value, bool) { return fact.Value{Text: s, Odd: true}, true }
	switch name {
	case "HOME":
		return odd(r.Ctx.Home)
	case "PWD":
		if sc.Cwd != "" {
			return odd(sc.Cwd)
		}
	case "OLDPWD":
		if sc.Old != "" {
			return odd(sc.Old)
		}
	case "USER", "LOGNAME":
		return odd(r.User())
	case "SHELL", "BASH", "0":
		return odd("/bin/bash")
	case "TMPDIR":
		return odd("/tmp")
	case "IFS":
		return odd(" \t\n")
	case "PPID":
		return fact.HoleOf(fact.FromParent), true
	case "!":
		return fact.HoleOf(fact.FromJob | fact.FromNumber), true
	case "$", "BASHPID":
		return fact.HoleOf(fact.FromJob | fact.FromNumber), true
	case "OPTARG", "REPLY", "_":
		return fact.HoleOf(fact.FromVariable | fact.FromInput), true
	case "#":
		if sc.ArgsKnown && !sc.ArgsLoose {
			return odd(strconv.Itoa(len(sc.Args)))
		}
		return fact.HoleOf(fact.FromNumber), true
	case "?", "RANDOM", "SECONDS", "LINENO", "UID", "EUID", "SRANDOM", "EPOCHSECONDS", "EPOCHREALTIME", "SHLVL",
		"COLUMNS", "LINES", "BASH_SUBSHELL", "OPTIND":
		return fact.HoleOf(fact.FromNumber), true
	case "HOSTNAME", "HOSTTYPE", "OSTYPE", "MACHTYPE", "BASH_VERSION", "LANG", "TERM", "-":
		return fact.HoleOf(fact.FromNumber), true
	case "GOPATH":
		return fact.Value{Text: r.Ctx.Home + "/go", Odd: true}, false
	}
	return argumentOrUnknown(sc, name)
}

// argumentOrUnknown gives an argument of the shell by its number, or a hole for a variable that nobody set.
func argumentOrUnknown(sc *Scope, name string) (fact.Value, bool) {
	if n, err := strconv.Atoi(name); err == nil {
		if sc.ArgsKnown && !sc.ArgsLoose {
			if n >= 1 && n <= len(sc.Args) {
				return sc.Args[n-1], true
			}
			return fact.Value{Odd: true}, false
		}
		return fact.HoleOf(sc.Strangers()), false
	}
	t := fact.FromVariable
	if fact.SecretVariable(name) {
		t |= fact.FromPrivate
	}
	return fact.HoleOf(t), false
}
