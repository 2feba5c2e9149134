package replay

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Two runs are aligned by what their steps are, not by where they stand: the alignment is the one with the highest score.

// What two steps that stand side by side are worth. Two that have nothing in common never do.
const (
	sameCall, sameUser, sameText = 8, 6, 3 // the same call, message or answer
	likeCall, likeUser, likeText = 3, 2, 1 // other arguments or other words
)

// mostCells bounds the table of scores. Longer runs are cut at steps that both have once.
const mostCells = 1 << 22

// aligner aligns two runs.
type aligner struct {
	a, b  []*Step
	keysA []string // of the steps of a: what makes them the same
	keysB []string
	pairs [][2]int               // indices into both runs; -1: there is none
	argsA map[int]map[string]any // of calls, decoded once
	argsB map[int]map[string]any
}

// align returns the steps of two runs side by side. The calls of one answer come in the order of their names: they run together.
func align(a, b *Run) (all []Pair) {
	al := &aligner{a: inAnswers(a), b: inAnswers(b), argsA: map[int]map[string]any{}, argsB: map[int]map[string]any{}}
	al.keysA, al.keysB = keys(a, al.a), keys(b, al.b)
	al.between(0, len(al.a), 0, len(al.b))
	for _, p := range al.pairs {
		var pair Pair
		if p[0] >= 0 {
			pair.A = al.a[p[0]]
		}
		if p[1] >= 0 {
			pair.B = al.b[p[1]]
		}
		all = append(all, pair)
	}
	return all
}

// inAnswers returns the steps with the calls of each answer sorted; those that calls made stay behind them.
func inAnswers(r *Run) []*Step {
	var groups, all [][]*Step
	flush := func() {
		slices.SortStableFunc(groups, func(x, y []*Step) int { return strings.Compare(r.key(x[0].Call), r.key(y[0].Call)) })
		all, groups = append(all, groups...), nil
	}
	for _, s := range r.Steps {
		switch {
		case s.Call == nil:
			flush()
			all = append(all, []*Step{s})
		case s.Call.Within != "" && len(groups) > 0:
			groups[len(groups)-1] = append(groups[len(groups)-1], s)
		default:
			groups = append(groups, []*Step{s})
		}
	}
	flush()
	return slices.Concat(all...)
}

func keys(r *Run, steps []*Step) []string {
	all := make([]string, len(steps))
	for i, s := range steps {
		all[i] = string(s.Kind) + " " + r.short(s.Text)
		if s.Call != nil {
			all[i] = string(s.Kind) + " " + r.key(s.Call)
		}
	}
	return all
}

// between aligns a part of both runs. What is the same at both ends needs no table.
func (al *aligner) between(fromA, toA, fromB, toB int) {
	for fromA < toA && fromB < toB && al.keysA[fromA] == al.keysB[fromB] {
		al.pair(fromA, fromB)
		fromA, fromB = fromA+1, fromB+1
	}
	same := 0
	for fromA < toA-same && fromB < toB-same && al.keysA[toA-same-1] == al.keysB[toB-same-1] {
		same++
	}
	al.middle(fromA, toA-same, fromB, toB-same)
	for i := same; i > 0; i-- {
		al.pair(toA-i, toB-i)
	}
}

func (al *aligner) pair(i, j int) { al.pairs = append(al.pairs, [2]int{i, j}) }

func (al *aligner) middle(fromA, toA, fromB, toB int) {
	if (toA-fromA+1)*(toB-fromB+1) <= mostCells {
		al.table(fromA, toA, fromB, toB)
		return
	}
	if i, j, ok := al.anchor(fromA, toA, fromB, toB); ok {
		al.middle(fromA, i, fromB, j)
		al.pair(i, j)
		al.middle(i+1, toA, j+1, toB)
		return
	}
	for ; fromA < toA; fromA++ {
		al.pair(fromA, -1)
	}
	for ; fromB < toB; fromB++ {
		al.pair(-1, fromB)
	}
}

// anchor finds the step nearest to the middle that both parts have exactly once.
func (al *aligner) anchor(fromA, toA, fromB, toB int) (int, int, bool) {
	once := func(keys []string, from, to int) map[string]int {
		at := map[string]int{}
		for i := from; i < to; i++ {
			if _, again := at[keys[i]]; again {
				at[keys[i]] = -1
				continue
			}
			at[keys[i]] = i
		}
		maps.DeleteFunc(at, func(_ string, i int) bool { return i < 0 })
		return at
	}
	inB := once(al.keysB, fromB, toB)
	bestA, bestB, middle := -1, -1, (fromA+toA)/2
	for _, i := range slices.Sorted(maps.Values(once(al.keysA, fromA, toA))) {
		j, ok := inB[al.keysA[i]]
		if ok && (bestA < 0 || max(i-middle, middle-i) < max(bestA-middle, middle-bestA)) {
			bestA, bestB = i, j
		}
	}
	return bestA, bestB, bestA >= 0
}

// table finds the best alignment of two parts: scores from the end, then the way from the beginning.
func (al *aligner) table(fromA, toA, fromB, toB int) {
	n, m := toA-fromA, toB-fromB
	scores := make([]int32, (n+1)*(m+1))
	at := func(i, j int) *int32 { return &scores[i*(m+1)+j] }
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			best := max(*at(i+1, j), *at(i, j+1))
			if worth := al.worth(fromA+i, fromB+j); worth > 0 {
				best = max(best, *at(i+1, j+1)+worth)
			}
			*at(i, j) = best
		}
	}
	i, j := 0, 0
	for i < n || j < m {
		switch {
		case i < n && j < m && *at(i, j) > max(*at(i+1, j), *at(i, j+1)):
			al.pair(fromA+i, fromB+j)
			i, j = i+1, j+1
		case i < n && (j == m || *at(i, j) == *at(i+1, j)):
			al.pair(fromA+i, -1)
			i++
		default:
			al.pair(-1, fromB+j)
			j++
		}
	}
}

// worth is what two steps side by side are worth; 0: they do not belong together.
func (al *aligner) worth(i, j int) int32 {
	a, b := al.a[i], al.b[j]
	same := al.keysA[i] == al.keysB[j]
	switch {
	case a.Kind != b.Kind:
		return 0
	case a.Kind == CallStep && same:
		return sameCall
	case a.Kind == CallStep:
		if a.Call.Name == b.Call.Name && alike(al.args(al.argsA, i, a), al.args(al.argsB, j, b)) {
			return likeCall
		}
		return 0
	case a.Kind == UserStep && same:
		return sameUser
	case a.Kind == UserStep:
		return likeUser
	case same:
		return sameText
	}
	return likeText
}

func (al *aligner) args(known map[int]map[string]any, i int, s *Step) map[string]any {
	args, ok := known[i]
	if !ok {
		_ = json.Unmarshal(s.Call.Args, &args) // what is no object is like nothing
		known[i] = args
	}
	return args
}

// alike reports whether two calls of a tool differ in some of their arguments only, or in a small part of their one argument.
func alike(a, b map[string]any) bool {
	equal, text := 0, false
	for name, v := range a {
		w, both := b[name]
		switch {
		case !both:
		case reflect.DeepEqual(v, w):
			equal++
		default:
			x, isText := v.(string)
			y, areTexts := w.(string)
			text = text || isText && areTexts && alikeTexts(x, y)
		}
	}
	return text || equal > 0 && 2*equal >= min(len(a), len(b))
}

// shortText is how many bytes a text has that tells something by a part of it.
const shortText = 12

// alikeTexts reports whether two texts have the same beginning and end, but for a third of the longer one.
func alikeTexts(a, b string) bool {
	short := min(len(a), len(b))
	if short < shortText {
		return false
	}
	head := 0
	for head < short && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < short-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return 3*(head+tail) >= 2*max(len(a), len(b))
}
