package shell

import (
	"maps"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"rein/guard/effect"
)

// assign reads NAME=value. Kept ones count for the rest of the shell, others for one command.
func (r *reader) assign(sc *scope, a *syntax.Assign, keep bool) {
	if a.Name == nil {
		r.word(sc, a.Value)
		return
	}
	name := a.Name.Value
	if a.Array != nil {
		list := r.array(sc, name, a.Array, a.Append)
		if name == "PROMPT_COMMAND" {
			r.Found(effect.Dynamic, "sets what the shell runs before each prompt")
		}
		if keep {
			sc.SetArray(name, list)
		}
		return
	}
	v := r.assignedWord(sc, a.Value)
	v = r.integer(sc, name, v)
	if a.Index != nil {
		r.setElement(sc, name, a.Index, v, a.Append)
		return
	}
	if a.Append {
		before, _ := r.Lookup(sc, name)
		if sure, ok := sc.Integers[name]; ok && sure {
			v = holeOf(fromNumber)
		} else {
			v = before.Append(v)
		}
	}
	r.Environment(sc, name, v)
	if keep {
		sc.Set(name, v)
	} else {
		sc.Export(name)
		sc.Vars[name] = v
	}
}

// integer is the value that an assignment gives to a variable, which may have the integer attribute.
func (r *reader) integer(sc *scope, name string, v value) value {
	sure, ok := sc.Integers[name]
	if !ok || isNumber(v.Text) && v.Text[0] != '0' {
		return v
	}
	switch n, known := r.evaluate(sc, v); {
	case !sure:
		return holeOf(v.Taint | fromLost)
	case known:
		return value{Text: strconv.FormatInt(n, 10), Odd: true}
	}
	return holeOf(fromNumber)
}

// setElement assigns to an element of an array.
func (r *reader) setElement(sc *scope, name string, index syntax.ArithmExpr, v value, add bool) {
	if hasSubstitution(index) {
		r.Found(effect.Dynamic, "code in a subscript")
	}
	var key string
	lost := false
	if doubts := r.InDoubt(func() { key, lost = r.subscript(sc, name, index) }); len(doubts) > 0 {
		lost = true
	}
	a, ok := sc.Arrays[name]
	r.Work += 2 * len(a.Items)
	if before, set := sc.Vars[name]; !ok && set {
		a = arrayOf([]value{before})
	}
	if lost {
		a = unknownArray(a.Taint | v.Taint)
	} else if before, set := a.Item(key); add && set {
		v = joinValues([]value{before, v}, "")
	}
	sc.SetArray(name, a.With(key, v))
}

// assignedWord expands the value of an assignment, where a tilde also counts after a colon.
func (r *reader) assignedWord(sc *scope, w *syntax.Word) value {
	v := r.word(sc, w)
	if home, _ := r.Lookup(sc, "HOME"); home.Text != "" && strings.Contains(rawText(w), ":~") {
		v.Text = strings.ReplaceAll(v.Text, ":~", ":"+home.Text)
		v.Taint |= home.Taint
	}
	return v
}

// array reads name=(…).
func (r *reader) array(sc *scope, name string, x *syntax.ArrayExpr, add bool) array {
	a := array{Assoc: sc.Arrays[name].Assoc}
	if add {
		before, ok := sc.Arrays[name]
		if v, set := sc.Vars[name]; !ok && set {
			before = arrayOf([]value{v})
		}
		a = before
	}
	next := a.Next()
	r.Work += 8 * len(a.Items) // they are sorted
	items := map[string]value{}
	maps.Copy(items, a.Items)
	a.Items = items
	for _, e := range x.Elems {
		if e.Index != nil {
			if hasSubstitution(e.Index) {
				r.Found(effect.Dynamic, "code in a subscript")
			}
			key, lost := r.subscript(sc, name, e.Index)
			a.Lost = a.Lost || lost
			v := r.word(sc, e.Value)
			if strings.HasPrefix(rawText(e.Value), "~") {
				v = holeOf(v.Taint | fromLost) // bash expands it in some arrays only
			}
			items[key] = v
			if n, err := strconv.Atoi(key); err == nil {
				next = n + 1
			}
			continue
		}
		var list []value
		if names := r.InDoubt(func() { list = r.wordFields(sc, e.Value) }); len(names) > 0 {
			a.Lost, a.Taint = true, a.Taint|fromLost
			sc.EndReading(names)
		}
		for _, v := range list {
			a.Lost, a.Loose = a.Lost || a.Assoc, a.Loose || v.Many
			a.Taint |= v.Taint
			items[strconv.Itoa(next)] = v
			next++
		}
	}
	return a
}
