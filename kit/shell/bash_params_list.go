package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"rein/guard/effect"
)

// elements expands $@, $* and ${name[@]}.
func (x *expansion) elements(p *syntax.ParamExp, ref reference, quoted bool) {
	list, t := x.r.listOf(x.sc, ref)
	if p.Slice != nil { // bash evaluates its numbers, whatever the list is
		slice, lost := x.r.sliceList(x.sc, p, ref, list)
		if t == 0 {
			list, t = slice, lost
		}
	}
	if t != 0 {
		if p.Exp != nil && p.Exp.Word != nil {
			t |= x.r.word(x.sc, p.Exp.Word).Taint
		}
		x.addMany(t, quoted)
		return
	}
	star := ref.name == "*" || ref.key == "*"
	switch {
	case p.Exp != nil && isDefault(p.Exp.Op):
		joined := joinValues(list, " ")
		if len(list) > 0 && p.Exp.Op != syntax.AlternateUnset && p.Exp.Op != syntax.AlternateUnsetOrNull && joined.Text != "" {
			x.addList(list, star, quoted)
			return
		}
		x.operate(p, ref, joined, len(list) > 0, quoted)
		return
	case p.Exp != nil || p.Repl != nil:
		for i, v := range list {
			list[i] = x.r.compute(x.sc, p, v, ref)
		}
	}
	x.addList(list, star, quoted)
}

// arrayOf are all elements; where they are not known, the taint of what they may be.
func (r *reader) listOf(sc *scope, ref reference) ([]value, taint) {
	if ref.key == "" {
		if !sc.ArgsKnown {
			return nil, sc.Strangers()
		}
		return append([]value{}, sc.Args...), 0
	}
	a, ok := sc.Arrays[ref.name]
	if !ok {
		v, set := r.Lookup(sc, ref.name)
		switch {
		case set:
			return []value{v}, 0
		case v.Known():
			return nil, 0
		}
		return nil, v.Taint
	}
	keys, known := a.Keys()
	if !known {
		return nil, a.Taints()
	}
	var list []value
	for _, k := range keys {
		list = append(list, a.Items[k])
	}
	return list, 0
}

// sliceList is ${@:offset:length} or ${name[@]:offset:length}.
func (r *reader) sliceList(sc *scope, p *syntax.ParamExp, ref reference, list []value) ([]value, taint) {
	off, known := r.number(sc, p.Slice.Offset)
	n := int64(noLength)
	if p.Slice.Length != nil {
		var ok bool
		n, ok = r.number(sc, p.Slice.Length)
		known = known && ok
	}
	t := fromLost
	for _, v := range list {
		t |= v.Taint
	}
	if !known || ref.key == "" && sc.ArgsLoose || sc.Arrays[ref.name].Loose {
		return nil, t
	}
	if ref.key == "" { // $0 is the element 0
		zero, _ := r.Lookup(sc, "0")
		list = append([]value{zero}, list...)
	} else if a := sc.Arrays[ref.name]; a.Next() != len(a.Items) {
		return nil, t // with gaps, the offset is an index
	}
	from, to, ok := sliceRange(len(list), int(off), int(n))
	if !ok || n < 0 && n != noLength {
		return nil, t
	}
	return list[from:to], 0
}

// addList adds the elements of a list. With star, quoted elements are joined by the first character of IFS.
func (x *expansion) addList(list []value, star, quoted bool) {
	if x.r.words += len(list); x.r.words > maxListed {
		x.r.Found(effect.Unparsed, "lists grow too long to follow")
		list = []value{holeOf(fromLost)}
	}
	x.cur.Odd = true
	if len(list) == 0 {
		x.none = quoted && !star
		if quoted && star {
			x.addFields(value{}, true)
		}
		return
	}
	joins := x.whole || quoted && star
	if joins && slices.ContainsFunc(list, func(v value) bool { return v.Many }) {
		x.addFields(holeOf(joinValues(list, "").Taint), quoted) // where the separators are is not known
		return
	}
	between := " "
	if ifs, _ := x.r.Lookup(x.sc, "IFS"); star && !ifs.Plain() {
		between = string(anyText)
	} else if star && ifs.Text == "" {
		between = ""
	} else if star {
		between = ifs.Text[:1]
	}
	for i, v := range list {
		if i > 0 {
			if joins {
				x.add(between, 0, true)
			} else {
				x.cut()
			}
		}
		x.addFields(v, quoted)
	}
}

// addMany adds any number of unknown words.
func (x *expansion) addMany(t taint, quoted bool) {
	x.addFields(holeOf(t), quoted)
	x.cur.Many = true
	if t&^tame != 0 {
		x.extra |= t
	}
}
