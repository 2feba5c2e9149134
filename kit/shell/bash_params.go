package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"rein/guard/effect"
)

// reference is what a parameter expansion names: a variable, an element, or all elements.
type reference struct {
	name string
	key  string // of an element; "" for a variable
	keyed,
	lost, // the element is not known
	all bool
}

// param expands ${name…}.
func (x *expansion) param(p *syntax.ParamExp, quoted bool) {
	name := ""
	if p.Param != nil {
		name = p.Param.Value
	}
	ref := x.r.refer(x.sc, name, p.Index)
	if p.Excl {
		var ok bool
		if ref, ok = x.indirect(p, ref, quoted); !ok {
			return
		}
	}
	switch {
	case p.Length || p.Width:
		x.length(ref)
	case ref.all:
		x.elements(p, ref, quoted)
	default:
		v, set := x.r.read(x.sc, ref)
		x.operate(p, ref, v, set, quoted)
	}
}

// refer reads the name and the subscript of an expansion.
func (r *reader) refer(sc *scope, name string, index syntax.ArithmExpr) reference {
	ref := reference{name: name, all: name == "@" || name == "*"}
	if index == nil {
		return ref
	}
	if w, ok := index.(*syntax.Word); ok && (w.Lit() == "@" || w.Lit() == "*") {
		ref.all, ref.key = true, w.Lit()
		return ref
	}
	ref.keyed = true
	ref.key, ref.lost = r.subscript(sc, name, index)
	return ref
}

// subscript is the key of an element; lost is true where it is not known.
func (r *reader) subscript(sc *scope, name string, index syntax.ArithmExpr) (key string, lost bool) {
	if sc.Arrays[name].Assoc {
		w, ok := index.(*syntax.Word)
		if !ok {
			r.nested(sc, index)
			return "", true
		}
		v := r.word(sc, w)
		return v.Text, !v.Plain()
	}
	n, ok := r.number(sc, index)
	if n < 0 && ok {
		n += int64(sc.Arrays[name].Next())
	}
	return strconv.FormatInt(n, 10), !ok || n < 0
}

// read is the value of a variable or an element, and whether it is sure to be set.
func (r *reader) read(sc *scope, ref reference) (value, bool) {
	if !ref.keyed {
		return r.Lookup(sc, ref.name)
	}
	a, ok := sc.Arrays[ref.name]
	if v, _ := r.Lookup(sc, ref.name); !ok && !v.Known() { // an array that bash fills, or any variable that is not known
		return v, true
	}
	switch {
	case !ok && ref.key == "0" && !ref.lost:
		return r.Lookup(sc, ref.name)
	case !ok && sc.Vars[ref.name].Text == "":
		v, _ := r.Lookup(sc, ref.name)
		return value{Text: "", Taint: v.Taint, Odd: true}, false
	case !ok || ref.lost:
		t := fromLost
		for _, v := range a.Items {
			t |= v.Taint
		}
		return holeOf(t), true
	}
	v, set := a.Item(ref.key)
	v.Odd = true
	return v, set
}

// indirect finds what ${!name} names. ok is false where the expansion is done.
func (x *expansion) indirect(p *syntax.ParamExp, ref reference, quoted bool) (_ reference, ok bool) {
	switch {
	case p.Names != 0:
		x.addMany(fromNumber, quoted) // names of variables
		return ref, false
	case ref.all && ref.key != "":
		keys, known := x.sc.Arrays[ref.name].Keys()
		if !known || x.sc.Arrays[ref.name].Loose {
			x.addMany(fromLost, quoted)
			return ref, false
		}
		var list []value
		for _, k := range keys {
			list = append(list, value{Text: k, Odd: true})
		}
		x.addList(list, ref.key == "*", quoted)
		return ref, false
	}
	v, set := x.r.read(x.sc, ref)
	name, sub, has := strings.Cut(strings.TrimSuffix(v.Text, "]"), "[")
	switch {
	case !set || !v.Plain() || !syntax.ValidName(name) && !isNumber(name) || has && sub != "@" && sub != "*" && !isNumber(sub) && !x.sc.Arrays[name].Assoc:
		x.r.Found(effect.Dynamic, "${!%s} names a variable that is not known before it runs", ref.name)
		x.addMany(fromLost, quoted)
		return ref, false
	case !has:
		return reference{name: name}, true
	}
	return reference{name: name, key: sub, keyed: sub != "@" && sub != "*", all: sub == "@" || sub == "*"}, true
}

// length expands ${#name}.
func (x *expansion) length(ref reference) {
	n := -1
	switch {
	case ref.all && ref.key == "":
		if x.sc.ArgsKnown && !x.sc.ArgsLoose {
			n = len(x.sc.Args)
		}
	case ref.all:
		if a, ok := x.sc.Arrays[ref.name]; ok && !a.Lost && !a.Loose {
			n = len(a.Items)
		}
	default:
		if v, set := x.r.read(x.sc, ref); set && v.Plain() && isComputable(v.Text) {
			n = len(v.Text)
		}
	}
	if n < 0 {
		x.addFields(holeOf(fromNumber), true)
		return
	}
	x.addFields(value{Text: strconv.Itoa(n), Odd: true}, x.whole)
}

// operate applies the operator of an expansion to a value, and adds the result.
func (x *expansion) operate(p *syntax.ParamExp, ref reference, v value, set, quoted bool) {
	if p.Exp == nil || !isDefault(p.Exp.Op) {
		x.addFields(x.r.compute(x.sc, p, v, ref), quoted)
		return
	}
	if quoted {
		code := false
		if p, code = literalQuotes(p, string(anyText)); code {
			x.r.Found(effect.Dynamic, "single quotes within double quotes, which bash does not treat as quotes")
			x.cur.Taint |= fromLost
		}
	}
	null := emptyIsUnset(p.Exp.Op)
	if len(v.Else) > 0 && !null { // whether it is empty or unset is not known
		x.addMany(v.Taint|x.r.word(x.sc, p.Exp.Word).Taint|fromLost, quoted)
		return
	}
	there := set && !(null && v.Text == "")
	switch p.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		sure := there && !(null && strings.Trim(v.Text, string(anyText)) == "")
		switch word := x.r.word(x.sc, p.Exp.Word); {
		case sure:
			x.operand(p.Exp.Word, quoted)
		case !there && v.Known():
		case harmless(word): // or nothing: the environment may have the variable
			x.addMany(word.Taint|fromNames, quoted)
		case x.perhaps(p):
			x.operand(p.Exp.Word, quoted)
		}
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		x.r.word(x.sc, p.Exp.Word)
		x.addFields(v, quoted)
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if there {
			x.addFields(x.orWord(v, x.r.word(x.sc, p.Exp.Word), null), quoted)
			return
		}
		word := x.r.word(x.sc, p.Exp.Word)
		if !ref.keyed {
			x.sc.Set(ref.name, word)
		}
		x.addFields(word, quoted)
	default:
		if there {
			x.addFields(x.orWord(v, x.r.word(x.sc, p.Exp.Word), null), quoted)
			return
		}
		x.operand(p.Exp.Word, quoted)
	}
}

// perhaps reports whether an expansion gives its word, where that is not known: the command is read both ways.
func (x *expansion) perhaps(p *syntax.ParamExp) bool {
	name := substitutionPrefix + strconv.Itoa(int(p.Pos().Offset()))
	v, ok := x.sc.Vars[name]
	if !ok {
		v = value{Text: "word", Else: []string{""}}
		x.sc.Vars[name] = v
	}
	if len(v.Else) > 0 {
		x.r.Doubts = append(x.r.Doubts, name)
	}
	return v.Text != ""
}

// orWord is a value, or the word in its place where the value may be empty.
func (x *expansion) orWord(v, word value, null bool) value {
	if null && strings.Trim(v.Text, string(anyText)) == "" && !harmless(word) && v.Taint&^(fromNumber|fromJob) != 0 {
		return holeOf(v.Taint | word.Taint | fromLost)
	}
	return v
}

// operand adds the word of ${name-word}: unquoted parts of it split into fields, too.
func (x *expansion) operand(w *syntax.Word, quoted bool) {
	if w == nil {
		return
	}
	for i, p := range w.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok || quoted || x.whole {
			x.parts([]syntax.WordPart{p}, quoted)
			continue
		}
		text := lit.Value
		if i == 0 && strings.HasPrefix(text, "~") {
			text = x.tilde(text, len(w.Parts) == 1)
		}
		for text != "" {
			plain, rest, escaped := strings.Cut(text, `\`)
			x.addFields(value{Text: plain}, false)
			if !escaped || rest == "" {
				break
			}
			if rest[0] != '\n' {
				x.add(rest[:1], 0, true)
			}
			text = rest[1:]
		}
	}
}
