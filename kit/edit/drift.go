package edit

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// The bounds of drift: a place must resemble old by driftScore, and by driftMargin more than any other; of eight lines one may be
// missing on either side, of four one may differ.
const (
	driftScore  = 0.7
	driftMargin = 0.3
	driftPlaces = 6
	driftLines  = 400
)

// drifted finds old although a few words of its context are wrong: words that neither are in a line which the edit
// changes nor beside one that it adds. The file's bytes stay there, so that only the place is at stake.
func (d *document) drifted(p readingPair) (*match, *Refusal) {
	q := p.WithoutEdges()
	if countFilled(q.Old) < 3 || len(q.Old) > driftLines {
		return nil, nil
	}
	var best, second *resemblance
	for _, start := range d.likelyStarts(q.Old) {
		r := d.resemble(q.Old, start)
		switch {
		case best == nil || r.score > best.score:
			if best != nil && best.apart(r) {
				second = best
			}
			best = r
		case best.apart(r) && (second == nil || r.score > second.score):
			second = r
		}
	}
	if best == nil || best.score < driftScore || second != nil && best.score-second.score < driftMargin {
		return nil, nil
	}
	m := &match{first: best.first, last: best.last, old: q.Old, new: q.New, at: best.at, drift: true,
		classes: append(append([]string{}, q.Classes...), "words in lines of context")}
	if r := d.driftHarms(m); r != nil {
		return nil, r
	}
	return m, nil
}

// resemblance is an alignment of old with a region of the file.
type resemblance struct {
	first, last int
	at          []int
	score       float64
}

func (r *resemblance) apart(o *resemblance) bool { return r.last <= o.first || o.last <= r.first }

// likelyStarts are the lines where old would begin by its rarer lines, the likeliest first.
func (d *document) likelyStarts(old []string) []int {
	want, count, votes := map[uint64][]int{}, map[uint64]int{}, map[int]float64{}
	for i, h := range hashes(old) {
		if h != 0 {
			want[h] = append(want[h], i)
		}
	}
	k := d.index()
	for _, h := range k.hash {
		if _, ok := want[h]; ok {
			count[h]++
		}
	}
	for e, h := range k.hash {
		if n := count[h]; n > 0 && n <= 50 {
			for _, i := range want[h] {
				votes[int(k.line[e])-i] += 1 / float64(n)
			}
		}
	}
	starts := make([]int, 0, len(votes))
	for s := range votes {
		starts = append(starts, s)
	}
	slices.SortFunc(starts, func(a, b int) int {
		if votes[a] != votes[b] {
			if votes[a] > votes[b] {
				return -1
			}
			return 1
		}
		return a - b
	})
	return starts[:min(len(starts), driftPlaces)]
}

// resemble aligns old with the lines around a start, each line of old with at most one of the file, in order.
func (d *document) resemble(old []string, start int) *resemblance {
	slack := len(old)/8 + 2
	from, to := max(start-slack, 0), min(start+len(old)+slack, len(d.lines))
	rows, cols := len(old), max(to-from, 0)
	gain := make([][]float64, rows+1)
	like := make([][]float64, rows)
	gain[rows] = make([]float64, cols+1)
	for i := rows - 1; i >= 0; i-- {
		gain[i], like[i] = make([]float64, cols+1), make([]float64, cols)
		for j := cols - 1; j >= 0; j-- {
			like[i][j] = lineGain(old[i], d.text(from+j))
			gain[i][j] = max(gain[i+1][j], gain[i][j+1])
			if like[i][j] > 0 {
				gain[i][j] = max(gain[i][j], like[i][j]+gain[i+1][j+1])
			}
		}
	}
	r := &resemblance{at: make([]int, rows), first: -1}
	i, j := 0, 0
	for ; i < rows; i++ {
		r.at[i] = -1
		for j < cols && gain[i][j] == gain[i][j+1] {
			j++
		}
		if j < cols && like[i][j] > 0 && gain[i][j] == like[i][j]+gain[i+1][j+1] {
			r.at[i] = from + j
			if r.first < 0 {
				r.first = from + j
			}
			r.last = from + j + 1
			j++
		}
	}
	r.score = gain[0][0] / float64(max(countFilled(old), 1))
	return r
}

func lineGain(old, file string) float64 {
	if isBlankLine(old) || isBlankLine(file) {
		if isBlankLine(old) && isBlankLine(file) {
			return 0.001
		}
		return 0
	}
	if foldHash(old) == foldHash(file) {
		return 1
	}
	if s := likeness(old, file); s >= 0.6 {
		return s
	}
	return 0
}

// driftHarms refuses drift that could matter: in or beside what the edit changes, in too many lines, or in numbers.
func (d *document) driftHarms(m *match) *Refusal {
	differ, lost := 0, d.uncovered(m)
	sound := make([]bool, len(m.old))
	for i, at := range m.at {
		switch {
		case isBlankLine(m.old[i]):
			sound[i] = true
		case at < 0:
			lost++
		case foldHash(m.old[i]) == foldHash(d.text(at)):
			sound[i] = true
		case !smallSlip(m.old[i], d.text(at)):
			return d.driftRefusal(m)
		default:
			differ++
		}
	}
	n := countFilled(m.old)
	if differ*4 > n || lost*8 > n || !d.soundAround(m, sound) {
		return d.driftRefusal(m)
	}
	return nil
}

// uncovered counts the lines of the region that old lacks.
func (d *document) uncovered(m *match) int {
	covered := map[int]bool{}
	for _, at := range m.at {
		covered[at] = true
	}
	n := 0
	for l := m.first; l < m.last; l++ {
		if !covered[l] && !isBlankLine(d.text(l)) {
			n++
		}
	}
	return n
}

// soundAround means that every line which the edit removes or rewords, and both neighbours of all that it adds, stand
// in the file as in old, next to one another.
func (d *document) soundAround(m *match, sound []bool) bool {
	steps := d.pairLines(m, false)
	touch := make([]bool, len(m.old)+1) // the gap before each line of old
	for i, s := range steps {
		if s.A >= 0 && s.B >= 0 {
			continue
		}
		if s.A >= 0 {
			if !sound[s.A] {
				return false
			}
			touch[s.A], touch[s.A+1] = true, true
			continue
		}
		gap := len(m.old)
		for _, later := range steps[i:] {
			if later.A >= 0 {
				gap = later.A
				break
			}
		}
		touch[gap] = true
	}
	for g, t := range touch {
		if t && !d.soundGap(m, sound, g) {
			return false
		}
	}
	return true
}

func (d *document) soundGap(m *match, sound []bool, g int) bool {
	before, after := g-1, g
	for before >= 0 && isBlankLine(m.old[before]) {
		before--
	}
	for after < len(m.old) && isBlankLine(m.old[after]) {
		after++
	}
	if before >= 0 && !sound[before] || after < len(m.old) && !sound[after] {
		return false
	}
	if before < 0 || after == len(m.old) {
		return true
	}
	for l := m.at[before] + 1; l < m.at[after]; l++ {
		if !isBlankLine(d.text(l)) {
			return false
		}
	}
	return true
}

// smallSlip means that two lines differ in one word that is no number and in no string, or in the quotes and the mark at
// the end.
func smallSlip(old, file string) bool {
	x, y := tokens(unquoted(foldKey(old))), tokens(unquoted(foldKey(file)))
	x, y = withoutEndMark(x), withoutEndMark(y)
	if len(x) != len(y) || len(x) == 0 {
		return false
	}
	differ, quotes := 0, 0
	for i := range x {
		if x[i] == y[i] {
			if x[i] == `"` {
				quotes++
			}
			continue
		}
		if quotes%2 == 1 {
			return false // a string is data
		}
		if differ++; strings.ContainsFunc(x[i]+y[i], unicode.IsDigit) || !strings.ContainsFunc(x[i], unicode.IsLetter) || !strings.ContainsFunc(y[i], unicode.IsLetter) || strings.EqualFold(x[i], y[i]) {
			return false
		}
	}
	return differ <= 1 && (differ == 0 || len(x) >= 3)
}

func unquoted(s string) string { return strings.NewReplacer("'", `"`, "`", `"`).Replace(s) }

func withoutEndMark(t []string) []string {
	if n := len(t); n > 1 && strings.Contains(",;.:", t[n-1]) {
		return t[:n-1]
	}
	return t
}

func (d *document) driftRefusal(m *match) *Refusal {
	return &Refusal{Reason: NotFound, Places: []Place{{First: m.first + 1, Last: m.last, Diff: d.beside(m.old, m.first, m.last)}},
		Text: fmt.Sprintf("old_text is close to %s, but differs from the file where it matters.", lineRange(m.first+1, m.last)),
		Hint: "Send old_text exactly as these lines are in the file."}
}
