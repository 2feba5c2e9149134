package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"rein/guard/shell/bash"
	"rein/guard/shell/fact"
	"rein/guard/shell/judge"
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
func (r *reader) refer(sc *judge.Scope, name string, index syntax.ArithmExpr) reference {
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
func (r *reader) subscript(sc *judge.Scope, name string, index syntax.ArithmExpr) (key string, lost bool) {
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
func (r *reader) read(sc *judge.Scope, ref reference) (fact.Value, bool) {
	if !ref.keyed {
		return r.Lookup(sc, ref.name)
	}
	a, ok := sc.Arrays[ref.name]
	switch {
	case !ok && ref.key == "0" && !ref.lost:
		return r.Lookup(sc, ref.name)
	case !ok && sc.Vars[ref.name].Text == "":
		v, _ := r.Lookup(sc, ref.name)
		return fact.Value{Text: "", Taint: v.Taint, Odd: true}, false
	case !ok || ref.lost:
		t := fact.FromLost
		for _, v := range a.Items {
			t |= v.Taint
		}
		return fact.HoleOf(t), true
	}
	v, set := a.Item(ref.key)
	v.Odd = true
	return v, set
}

// indirect finds what ${!name} names. ok is false where the expansion is done.
func (x *expansion) indirect(p *syntax.ParamExp, ref reference, quoted bool) (_ reference, ok bool) {
	switch {
	case p.Names != 0:
		x.addMany(fact.FromNumber, quoted) // names of variables
		return ref, false
	case ref.all && ref.key != "":
		keys, known := x.sc.Arrays[ref.name].Keys()
		if !known || x.sc.Arrays[ref.name].Loose {
			x.addMany(fact.FromLost, quoted)
			return ref, false
		}
		var list []fact.Value
		for _, k := range keys {
			list = append(list, fact.Value{Text: k, Odd: true})
		}
		x.addList(list, ref.key == "*", quoted)
		return ref, false
	}
	v, set := x.r.read(x.sc, ref)
	name, sub, has := strings.Cut(strings.TrimSuffix(v.Text, "]"), "[")
	switch {
	case !set || !v.Plain() || !syntax.ValidName(name) && !isNumber(name) || has && sub != "@" && sub != "*" && !isNumber(sub) && !x.sc.Arrays[name].Assoc:
		x.r.Found(fact.Dynamic, "${!%s} names a variable that is not known before it runs", ref.name)
		x.addMany(fact.FromLost, quoted)
		return ref, false
	case !has:
		return reference{name: name}, true
	}
	return reference{name: name, key: sub, keyed: sub != "@" && sub != "*", all: sub == "@" || sub == "*"}, true
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

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
		if v, set := x.r.read(x.sc, ref); set && v.Plain() && bash.Computable(v.Text) {
			n = len(v.Text)
		}
	}
	if n < 0 {
		x.addFields(fact.HoleOf(fact.FromNumber), true)
		return
	}
	x.addFields(fact.Value{Text: strconv.Itoa(n), Odd: true}, x.whole)
}

// elements expands $@, $* and ${name[@]}.
func (x *expansion) elements(p *syntax.ParamExp, ref reference, quoted bool) {
	list, t := x.r.listOf(x.sc, ref)
	if p.Slice != nil && t == 0 {
		list, t = x.r.sliceList(x.sc, p, ref, list)
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
		joined := fact.JoinValues(list, " ")
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

// listOf are all elements; where they are not known, the taint of what they may be.
func (r *reader) listOf(sc *judge.Scope, ref reference) ([]fact.Value, fact.Taint) {
	if ref.key == "" {
		if !sc.ArgsKnown {
			return nil, sc.Strangers()
		}
		return append([]fact.Value{}, sc.Args...), 0
	}
	a, ok := sc.Arrays[ref.name]
	if !ok {
		v, set := r.Lookup(sc, ref.name)
		switch {
		case set:
			return []fact.Value{v}, 0
		case v.Known():
			return nil, 0
		}
		return nil, v.Taint
	}
	keys, known := a.Keys()
	if !known {
		return nil, a.Taints()
	}
	var list []fact.Value
	for _, k := range keys {
		list = append(list, a.Items[k])
	}
	return list, 0
}

// sliceList is ${@:offset:length} or ${name[@]:offset:length}.
func (r *reader) sliceList(sc *judge.Scope, p *syntax.ParamExp, ref reference, list []fact.Value) ([]fact.Value, fact.Taint) {
	off, known := r.number(sc, p.Slice.Offset)
	n := int64(bash.NoLength)
	if p.Slice.Length != nil {
		var ok bool
		n, ok = r.number(sc, p.Slice.Length)
		known = known && ok
	}
	t := fact.FromLost
	for _, v := range list {
		t |= v.Taint
	}
	if !known || ref.key == "" && sc.ArgsLoose || sc.Arrays[ref.name].Loose {
		return nil, t
	}
	if ref.key == "" { // $0 is the element 0
		zero, _ := r.Lookup(sc, "0")
		list = append([]fact.Value{zero}, list...)
	} else if a := sc.Arrays[ref.name]; a.Next() != len(a.Items) {
		return nil, t // with gaps, the offset is an index
	}
	from, to, ok := bash.Range(len(list), int(off), int(n))
	if !ok || n < 0 && n != bash.NoLength {
		return nil, t
	}
	return list[from:to], 0
}

// addList adds the elements of a list. With star, quoted elements are joined by the first character of IFS.
func (x *expansion) addList(list []fact.Value, star, quoted bool) {
	if x.r.words += len(list); x.r.words > maxListed {
		x.r.Found(fact.Unparsed, "lists grow too long to follow")
		list = []fact.Value{fact.HoleOf(fact.FromLost)}
	}
	x.cur.Odd = true
	if len(list) == 0 {
		x.none = quoted && !star
		if quoted && star {
			x.addFields(fact.Value{}, true)
		}
		return
	}
	joins := x.whole || quoted && star
	if joins && slices.ContainsFunc(list, func(v fact.Value) bool { return v.Many }) {
		x.addFields(fact.HoleOf(fact.JoinValues(list, "").Taint), quoted) // where the separators are is not known
		return
	}
	between := " "
	if ifs, _ := x.r.Lookup(x.sc, "IFS"); star && !ifs.Plain() {
		between = string(fact.Hole)
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
func (x *expansion) addMany(t fact.Taint, quoted bool) {
	x.addFields(fact.HoleOf(t), quoted)
	x.cur.Many = true
	if t&^fact.Tame != 0 {
		x.extra |= t
	}
}

func isDefault(op syntax.ParExpOperator) bool {
	switch op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull,
		syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return true
	}
	return false
}

// operate applies the operator of an expansion to a value, and adds the result.
func (x *expansion) operate(p *syntax.ParamExp, ref reference, v fact.Value, set, quoted bool) {
	if p.Exp == nil || !isDefault(p.Exp.Op) {
		x.addFields(x.r.compute(x.sc, p, v, ref), quoted)
		return
	}
	null := false // an empty value counts as none
	switch p.Exp.Op {
	case syntax.AlternateUnsetOrNull, syntax.DefaultUnsetOrNull, syntax.AssignUnsetOrNull, syntax.ErrorUnsetOrNull:
		null = true
	}
	there := set && !(null && v.Text == "")
	switch p.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		sure := there && !(null && strings.Trim(v.Text, string(fact.Hole)) == "")
		switch word := x.r.word(x.sc, p.Exp.Word); {
		case sure:
			x.operand(p.Exp.Word, quoted)
		case !there && v.Known():
		case harmless(word): // or nothing: the environment may have the variable
			x.addMany(word.Taint|fact.FromNames, quoted)
		default:
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

// orWord is a value, or the word in its place where the value may be empty.
func (x *expansion) orWord(v, word fact.Value, null bool) fact.Value {
	if null && strings.Trim(v.Text, string(fact.Hole)) == "" && !harmless(word) && v.Taint&^(fact.FromNumber|fact.FromJob) != 0 {
		return fact.HoleOf(v.Taint | word.Taint | fact.FromLost)
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
			x.addFields(fact.Value{Text: plain}, false)
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

// costly is what the square of a text's length is divided by for the steps that an operator on it costs.
const costly = 1000

// compute applies an operator that makes a new text of a value: patterns, slices, letters.
func (r *reader) compute(sc *judge.Scope, p *syntax.ParamExp, v fact.Value, ref reference) fact.Value {
	if p.Exp == nil && p.Repl == nil && p.Slice == nil {
		return v
	}
	known := v.Plain() && bash.Computable(v.Text)
	r.steps += len(v.Text) * len(v.Text) / costly
	if known = known && r.steps <= maxSteps; r.steps > maxSteps {
		r.Found(fact.Unparsed, "too many commands to follow")
	}
	lost := fact.HoleOf(v.Taint | fact.FromLost)
	switch {
	case p.Slice != nil:
		off, ok := r.number(sc, p.Slice.Offset)
		n, okN := int64(bash.NoLength), true
		if p.Slice.Length != nil {
			n, okN = r.number(sc, p.Slice.Length)
		}
		if !v.Known() && !v.Wild() && (off == 0 && ok || v.Taint&fact.FromNames == 0) {
			return fact.HoleOf(v.Taint)
		}
		if !known || !ok || !okN {
			return lost
		}
		text, ok := bash.Slice(v.Text, int(off), int(n))
		if !ok {
			return lost
		}
		return v.With(text)
	case p.Repl != nil:
		return r.replace(sc, p.Repl, v, known)
	}
	return r.transform(sc, p, v, ref, known)
}

// pattern compiles a word as a pattern: what is quoted stands for itself.
func (r *reader) pattern(sc *judge.Scope, parts []syntax.WordPart) (_ bash.Pattern, text string, ok bool) {
	r.steps += 8 // a pattern is compiled each time
	var b strings.Builder
	for i, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if i == 0 && strings.HasPrefix(p.Value, "~") {
				return bash.Pattern{}, "", false
			}
			b.WriteString(p.Value)
		case *syntax.SglQuoted, *syntax.DblQuoted:
			x := &expansion{r: r, sc: sc, whole: true, plain: true}
			x.parts([]syntax.WordPart{p}, false)
			b.WriteString(bash.Quote(string(x.text)))
		default:
			x := &expansion{r: r, sc: sc, whole: true, plain: true}
			x.parts([]syntax.WordPart{p}, false)
			b.Write(x.text)
		}
	}
	if !fact.IsPlain(b.String()) {
		return bash.Pattern{}, "", false
	}
	pattern, ok := bash.Compile(b.String())
	return pattern, b.String(), ok
}

// replace is ${name/pattern/text}.
func (r *reader) replace(sc *judge.Scope, repl *syntax.Replace, v fact.Value, known bool) fact.Value {
	var parts []syntax.WordPart
	if repl.Orig != nil {
		parts = repl.Orig.Parts
	}
	where := bash.First
	if repl.All {
		where = bash.All
	} else if l, ok := first(parts).(*syntax.Lit); ok && l.Value != "" && (l.Value[0] == '#' || l.Value[0] == '%') {
		where = bash.Start
		if l.Value[0] == '%' {
			where = bash.End
		}
		cut := *l
		cut.Value = l.Value[1:]
		parts = append([]syntax.WordPart{&cut}, parts[1:]...)
	}
	with := r.word(sc, repl.With)
	pattern, text, ok := r.pattern(sc, parts)
	t := v.Taint | with.Taint
	switch {
	case !v.Known() && !v.Wild() && ok && with.Plain() && harmless(with) && with.Text != "":
		return fact.HoleOf(t)
	case !known || !ok || !with.Plain() || strings.ContainsAny(with.Text, `&\`):
		return fact.HoleOf(t | fact.FromLost)
	case text == "" && where != bash.Start && where != bash.End:
		return v
	}
	v.Taint = t
	return v.With(pattern.Replace(v.Text, with.Text, where))
}

func first(parts []syntax.WordPart) syntax.WordPart {
	if len(parts) == 0 {
		return nil
	}
	return parts[0]
}

// transform is ${name#pattern}, ${name^^}, ${name@Q} and others.
func (r *reader) transform(sc *judge.Scope, p *syntax.ParamExp, v fact.Value, ref reference, known bool) fact.Value {
	var parts []syntax.WordPart
	if p.Exp.Word != nil {
		parts = p.Exp.Word.Parts
	}
	lost := fact.HoleOf(v.Taint | fact.FromLost)
	switch op := p.Exp.Op; op {
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix, syntax.RemSmallPrefix, syntax.RemLargePrefix:
		pattern, text, ok := r.pattern(sc, parts)
		prefix := op == syntax.RemSmallPrefix || op == syntax.RemLargePrefix
		switch {
		case !v.Known() && !v.Wild() && (!prefix || ok && strings.HasSuffix(text, "/") || v.Taint&fact.FromNames == 0):
			return fact.HoleOf(v.Taint)
		case !known || !ok:
			return lost
		case prefix:
			return v.With(pattern.TrimPrefix(v.Text, op == syntax.RemLargePrefix))
		}
		return v.With(pattern.TrimSuffix(v.Text, op == syntax.RemLargeSuffix))
	case syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		if !v.Known() && !v.Wild() {
			return fact.HoleOf(v.Taint)
		}
		if !known || len(parts) > 0 {
			return lost
		}
		return v.With(letters(v.Text, op))
	case syntax.OtherParamOps:
		return r.at(p, v, ref, known)
	}
	return lost
}

func letters(text string, op syntax.ParExpOperator) string {
	n := len(text)
	if op == syntax.UpperFirst || op == syntax.LowerFirst {
		n = min(n, 1)
	}
	if op == syntax.UpperFirst || op == syntax.UpperAll {
		return strings.ToUpper(text[:n]) + text[n:]
	}
	return strings.ToLower(text[:n]) + text[n:]
}

// at is ${name@operator}.
func (r *reader) at(p *syntax.ParamExp, v fact.Value, ref reference, known bool) fact.Value {
	op := ""
	if p.Exp.Word != nil {
		op = p.Exp.Word.Lit()
	}
	switch op {
	case "U", "u", "L":
		if known {
			return v.With(letters(v.Text, map[string]syntax.ParExpOperator{"U": syntax.UpperAll, "u": syntax.UpperFirst, "L": syntax.LowerAll}[op]))
		}
	case "Q", "a", "A", "K", "k":
	default:
		r.Found(fact.Dynamic, "${%s@%s} expands text as code", ref.name, op)
	}
	return fact.HoleOf(v.Taint | fact.FromLost)
}
