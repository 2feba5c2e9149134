package shell

// locals are the variables of a function's own, and what they were before.
type locals map[string]local

// local is what a variable was before a function made it its own.
type local struct {
	value    value
	array    array
	set, has bool // as a variable, as an array
}

// Own notes that the function has a variable of its own.
func (l locals) Own(sc *scope, name string) {
	if _, ok := l[name]; ok {
		return
	}
	var was local
	was.value, was.set = sc.Vars[name]
	was.array, was.has = sc.Arrays[name]
	l[name] = was
}

// Restore gives all of them what they were.
func (l locals) Restore(sc *scope) {
	for name, was := range l {
		delete(sc.Vars, name)
		delete(sc.Arrays, name)
		if was.set {
			sc.Vars[name] = was.value
		}
		if was.has {
			sc.Arrays[name] = was.array
		}
	}
}
