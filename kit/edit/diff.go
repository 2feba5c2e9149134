package edit

// diffStep is one move through two sequences: an item of both (kept), of A alone (removed) or of B alone (added).
type diffStep struct{ A, B int } // indices; -1 for none

// maxEdits bounds the search for the shortest difference; beyond it a region is reported as replaced whole.
const maxEdits = 1500

// shortestDiff returns a shortest difference between two sequences (Myers), removals before additions. Beyond maxEdits
// steps it gives up and replaces the region as a whole.
func shortestDiff(a, b []uint64) []diffStep {
	var out []diffStep
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		out = append(out, diffStep{head, head})
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for _, s := range myers(a[head:len(a)-tail], b[head:len(b)-tail]) {
		if s.A >= 0 {
			s.A += head
		}
		if s.B >= 0 {
			s.B += head
		}
		out = append(out, s)
	}
	for i := tail; i > 0; i-- {
		out = append(out, diffStep{len(a) - i, len(b) - i})
	}
	return out
}

// onlyOne is the difference when one side has nothing: all of the other.
func onlyOne(a, b []uint64) []diffStep {
	out := make([]diffStep, 0, len(a)+len(b))
	for i := range a {
		out = append(out, diffStep{i, -1})
	}
	for i := range b {
		out = append(out, diffStep{-1, i})
	}
	return out
}

func myers(a, b []uint64) []diffStep {
	if len(a) == 0 || len(b) == 0 {
		return onlyOne(a, b)
	}
	limit := min(len(a)+len(b), maxEdits)
	size := limit + 1
	v := make([]int32, 2*size+1)
	var trace [][]int32
	for d := 0; d <= limit; d++ {
		trace = append(trace, append([]int32(nil), v[size-d:size+d+1]...))
		for k := -d; k <= d; k += 2 {
			x := 0
			if d > 0 {
				if k == -d || k != d && v[size+k-1] < v[size+k+1] {
					x = int(v[size+k+1])
				} else {
					x = int(v[size+k-1]) + 1
				}
			}
			for y := x - k; x < len(a) && y < len(b) && a[x] == b[y]; y++ {
				x++
			}
			v[size+k] = int32(x)
			if x >= len(a) && x-k >= len(b) {
				return backtrack(trace, len(a), len(b))
			}
		}
	}
	return replaced(len(a), len(b))
}

func replaced(n, m int) []diffStep {
	out := make([]diffStep, 0, n+m)
	for i := range n {
		out = append(out, diffStep{i, -1})
	}
	for j := range m {
		out = append(out, diffStep{-1, j})
	}
	return out
}

func backtrack(trace [][]int32, x, y int) []diffStep {
	var rev []diffStep
	for d := len(trace) - 1; d >= 0; d-- {
		v := trace[d]
		at := func(k int) int { return int(v[k+d]) }
		k := x - y
		px, py := 0, 0
		if d > 0 {
			if k == -d || k != d && at(k-1) < at(k+1) {
				px = at(k + 1)
				py = px - k - 1
			} else {
				px = at(k - 1)
				py = px - k + 1
			}
		}
		for x > px && y > py && (d == 0 || x > px && y > py) {
			x, y = x-1, y-1
			rev = append(rev, diffStep{x, y})
		}
		if d == 0 {
			break
		}
		if x > px {
			x--
			rev = append(rev, diffStep{x, -1})
		} else if y > py {
			y--
			rev = append(rev, diffStep{-1, y})
		}
	}
	for i, j := 0, len(rev)-1; i < j; i, j = i+1, j-1 {
		rev[i], rev[j] = rev[j], rev[i]
	}
	return rev
}
