package edit

import (
	"strings"
)

// move is one way in which a model's indentation came about: a margin lost or added, or another unit.
type move struct {
	lost, added string // margin that the file has more, or less
	from, to    string // units; empty for a mere margin
	deeper      int    // units that the file has more
	scaled      bool   // alignment blanks were scaled with the unit
}

// apply returns the file's indentation for the model's.
func (v move) apply(in string) (string, bool) {
	if v.from == "" {
		if v.added != "" {
			return strings.CutPrefix(in, v.added)
		}
		return v.lost + in, true
	}
	n, rest := 0, in
	for strings.HasPrefix(rest, v.from) {
		n, rest = n+1, rest[len(v.from):]
	}
	if v.scaled && rest != "" {
		if len(rest)*len(v.to)%len(v.from) != 0 || v.from[0] == '\t' || v.to[0] == '\t' {
			return "", false
		}
		rest = strings.Repeat(" ", len(rest)*len(v.to)/len(v.from))
	}
	if strings.Contains(rest, "\t") || n+v.deeper < 0 {
		return "", false
	}
	return strings.Repeat(v.to, n+v.deeper) + rest, true
}

var unitChoices = [...]string{"    ", "  ", "\t", "        ", "   ", " "}

// fittingMoves lists the ways that explain every line, the likeliest first: the units that both texts show, then
// mere margins, then other units, then units with another depth.
func fittingMoves(ev []evidence, step, unit string) []move {
	var tries []move
	if step != unit && step != "" && unit != "" {
		tries = append(tries, move{from: step, to: unit}, move{from: step, to: unit, scaled: true})
	}
	for _, e := range ev {
		if e.old == e.file {
			continue
		}
		if lost, ok := strings.CutSuffix(e.file, e.old); ok {
			tries = append(tries, move{lost: lost})
		}
		if added, ok := strings.CutSuffix(e.old, e.file); ok {
			tries = append(tries, move{added: added})
		}
		break
	}
	for _, deeper := range [...]int{0, 1, 2, 3, -1, -2, -3, 4, 5} {
		for _, from := range unitChoices {
			for _, to := range unitChoices {
				if from != to || deeper != 0 {
					tries = append(tries, move{from: from, to: to, deeper: deeper})
				}
			}
		}
	}
	var out []move
	for _, v := range tries {
		if v.fits(ev) {
			out = append(out, v)
		}
	}
	return out
}

func (v move) fits(ev []evidence) bool {
	for _, e := range ev {
		if f, ok := v.apply(e.old); !ok || f != e.file {
			return false
		}
	}
	return true
}

// byMoves returns the indentation for a depth that old does not have.
func (fr *frame) byMoves(in string) (string, bool) {
	for _, v := range fr.moves {
		if f, ok := v.apply(in); ok {
			return f, true
		}
	}
	return "", false
}

// unit is the file's unit of indentation: the step that most deeper lines take.
func (d *document) unit() string {
	count := map[string]int{}
	last := ""
	for i := range d.lines[:min(len(d.lines), 5000)] {
		l := d.text(i)
		if isBlankLine(l) {
			continue
		}
		in := indentOf(l)
		if more, ok := strings.CutPrefix(in, last); ok && more != "" && len(more) <= 8 {
			count[more]++
		}
		last = in
	}
	return commonest(count)
}

// stepOf is the unit that the model's texts show.
func stepOf(texts ...[]string) string {
	count := map[string]int{}
	for _, lines := range texts {
		last, some := "", false
		for _, l := range lines {
			if isBlankLine(l) {
				continue
			}
			in := indentOf(l)
			if more, ok := strings.CutPrefix(in, last); ok && more != "" && some && len(more) <= 8 {
				count[more]++
			}
			last, some = in, true
		}
	}
	return commonest(count)
}

func commonest(count map[string]int) string {
	best := ""
	for _, u := range [...]string{"\t", "    ", "  ", "        ", "   ", " ", "     ", "      ", "       "} {
		if count[u] > count[best] {
			best = u
		}
	}
	return best
}
