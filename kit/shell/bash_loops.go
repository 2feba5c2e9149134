package shell

import (
	"mvdan.cc/sh/v3/syntax"

	"rein/guard/effect"
)

const maxRounds = 256 // of one loop that reads known lines

func (r *reader) while(sc *scope, c *syntax.WhileClause, in *data) data {
	out := data{Known: true}
	if !c.Until && isEndless(c.Cond, "true", ":") || c.Until && isEndless(c.Cond, "false") {
		return r.withoutEnd(sc, c.Do, in)
	}
	exact := in.Known && !c.Until && onlyReads(c.Cond)
	ends := &endings{Leaves: leavesAny(c.Do)}
	defer func() { ends.Merge(r.judging, sc) }()
	for range maxRounds {
		before := *in
		if exact && before.Text != "" { // a line is there: the body runs
			out = concatData(out, r.list(sc, c.Cond, in))
			out = ends.Join(out, r.list(sc, c.Do, in))
			ends.Add(sc)
			if in.Text == before.Text || r.tired() {
				return out.Lost()
			}
			continue
		}
		if exact {
			r.list(sc, c.Cond, in) // the end: the variables are empty now
			return out
		}
		body := r.again(sc, func() data {
			out = concatData(out, r.list(sc, c.Cond, in))
			return r.branch(sc, func(b *scope) data { return r.list(b, c.Do, in) })
		}, !in.Known || in.Text == before.Text || in.Text == "")
		out = concatData(out, body).Lost()
		if !in.Known || in.Text == "" || in.Text == before.Text || r.tired() {
			return out
		}
	}
	r.Found(effect.Unparsed, "a loop over too many lines to follow")
	return out
}

// maxPasses is how often the body of a loop is read whose number of rounds is not known.
const maxPasses = 3

// again reads the body of a loop until what it leaves in the variables does not change any more. What does not stop changing is
// unknown. Without more, it is read a single time.
func (r *reader) again(sc *scope, body func() data, more bool) data {
	if !more {
		return body()
	}
	out := data{Known: true}
	start := sc.Sub()
	for pass := range maxPasses {
		before := sc.Sub()
		out = concatData(out, body())
		changed := sc.Changed(before)
		if len(changed) == 0 || r.tired() {
			return out
		}
		if pass > 0 {
			r.loseAll(sc, changed)
		}
	}
	r.loseAll(sc, sc.Changed(start))
	return concatData(out, body())
}

func (r *reader) loseAll(sc *scope, names []string) {
	for _, name := range names {
		v := sc.Vars[name]
		if !v.Known() && v.Taint&^tame == 0 {
			continue // a number, or a name from a listing
		}
		sc.Lose(name)
	}
}

func (r *reader) forClause(sc *scope, c *syntax.ForClause, in *data) data {
	out := data{Known: true}
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		return r.countLoop(sc, c, in)
	}
	items, either := sc.Args, false // either: not all of the items are those of one run
	if iter.InPos.IsValid() {
		names := r.InDoubt(func() { items = r.fields(sc, iter.Items) })
		for _, other := range r.Readings(sc, names) {
			items = append(r.fields(other, iter.Items), items...)
			either = true
		}
		sc.EndReading(names)
	} else if !sc.ArgsKnown {
		items = []value{{Text: string(anyText), Taint: sc.Strangers(), Odd: true, Many: true}}
	}
	ends := &endings{Leaves: leavesAny(c.Do)}
	for _, v := range fewer(items) {
		if r.tired() {
			break
		}
		one := v
		one.Many = false
		round := func(b *scope) data {
			b.Set(iter.Name.Value, one)
			return r.list(b, c.Do, in)
		}
		body := r.again(sc, func() data {
			if v.Many || either { // perhaps there is none
				return r.branch(sc, round)
			}
			return round(sc)
		}, v.Many || v.Unsure)
		out = ends.Join(out, body)
		ends.Add(sc)
	}
	ends.Merge(r.judging, sc)
	return out
}

// countLoop reads for ((…)).
func (r *reader) countLoop(sc *scope, c *syntax.ForClause, in *data) data {
	loop, ok := c.Loop.(*syntax.CStyleLoop)
	if !ok {
		r.Found(effect.Unparsed, "a loop that the guard does not know")
		return data{}
	}
	r.number(sc, loop.Init)
	if loop.Cond == nil {
		return r.withoutEnd(sc, c.Do, in)
	}
	out := r.again(sc, func() data {
		r.number(sc, loop.Cond)
		return r.branch(sc, func(b *scope) data {
			out := r.list(b, c.Do, in)
			r.number(b, loop.Post)
			return out
		})
	}, true)
	return out.Lost()
}

// maxNumbers is how many numbers a loop reads one by one.
const maxNumbers = 16

// fewer makes many numbers one unknown number: a loop over 1..500 does the same thing 500 times.
func fewer(items []value) []value {
	numbers := 0
	for _, v := range items {
		if isNumber(v.Text) {
			numbers++
		}
	}
	if numbers <= maxNumbers {
		return items
	}
	n := holeOf(fromNumber)
	n.Unsure = true
	out := []value{n} // the last value stays behind: it is not this one
	for _, v := range items {
		if !isNumber(v.Text) {
			out = append(out, v)
		}
	}
	return out
}

// withoutEnd reads the body of a loop that only its body can end. One that neither ends nor waits fills the disk with
// what it writes, or the machine with what it leaves running.
func (r *reader) withoutEnd(sc *scope, body []*syntax.Stmt, in *data) data {
	saved := r.Part
	r.Part = effect.Read
	out := r.again(sc, func() data {
		return r.branch(sc, func(b *scope) data { return r.list(b, body, in) })
	}, true)
	ends, leaves := endsLoop(body)
	switch {
	case ends:
	case leaves:
		r.Found(effect.Exhaust, "starts programs without end")
	case r.Part == effect.Write:
		r.Found(effect.Fill, "writes without end")
	}
	r.Part = max(saved, r.Part)
	return out.Lost()
}
