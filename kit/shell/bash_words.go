package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"rein/guard/effect"
)

const (
	maxBraces = 512 // words out of one brace expansion
	maxOpen   = 64  // braces that one word opens
)

// fields expands words as bash would, as far as that is known.
func (r *reader) fields(sc *scope, words []*syntax.Word) []value {
	var out []value
	for _, w := range words {
		for _, v := range r.wordFields(sc, w) {
			out = append(out, r.dashed(sc, v)...)
			out = append(out, v)
		}
	}
	return out
}

// dashed returns the names that a wildcard matches and that a program reads as options.
func (r *reader) dashed(sc *scope, v value) []value {
	first, _, deeper := strings.Cut(v.Text, "/")
	if sc.Cwd == "" || !strings.ContainsAny(first, "\x01\x02") || strings.IndexByte(first, anyText) >= 0 {
		return nil
	}
	note(&r.Report.Wild, sc.Cwd)
	var out []value
	for _, p := range r.Ctx.Dashed {
		if r.options++; r.options > maxOptions {
			r.Found(effect.Unparsed, "wildcards and names that may be options, too many to follow")
			break
		}
		dir, name := path.Split(p)
		if ok, err := path.Match(plainGlob(first), name); path.Clean(dir) != sc.Cwd || err != nil || !ok {
			continue
		}
		if deeper {
			name += strings.TrimPrefix(v.Text, first)
		}
		out = append(out, value{Text: noUnknowns(name), Taint: fromNames, Odd: true})
	}
	return out
}

// wordFields expands one word into fields, braces first.
func (r *reader) wordFields(sc *scope, w *syntax.Word) []value {
	braces := 0
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			braces += strings.Count(l.Value, "{")
		}
	}
	switch {
	case braces == 0 || sc.NoBraces:
		return r.split(sc, w)
	case braces > maxOpen: // each pair costs more than the one before
		r.Found(effect.Unparsed, "more than %d braces in one word", maxOpen)
		return []value{holeOf(fromLost)}
	}
	w = &syntax.Word{Parts: slices.Clone(w.Parts)} // the tree stays as it was parsed: it is walked again
	syntax.SplitBraces(w)
	var out []value
	count := 0
	defer func() { r.steps += count * (2 + braces/8) }() // a word of many braces costs more
	for part, err := range expand.BracesSeq(nil, w) {
		if count++; err != nil || count > maxBraces {
			r.Found(effect.Unparsed, "braces expand to more than %d words", maxBraces)
			break
		}
		out = append(out, r.split(sc, &syntax.Word{Parts: rejoinWord(part.Parts)})...)
	}
	if count > 1 {
		for i := range out {
			out[i].Odd = true
		}
	}
	return out
}
