package edit

// maxCells bounds the table of an exact pairing; larger texts are paired by their shortest difference.
const maxCells = 4 << 20

// pairLines finds what the model changed: which lines of old are still there in new (same key), which are gone, and
// which are new. Among equal choices it prefers lines that are the same to the byte, then those that are so in the file;
// with likeFile it is the other way round.
func (d *document) pairLines(m *match, likeFile bool) []diffStep {
	head := 0
	for !likeFile && head < len(m.old) && head < len(m.new) && m.old[head] == m.new[head] {
		head++
	}
	tail := 0
	for !likeFile && tail < len(m.old)-head && tail < len(m.new)-head && m.old[len(m.old)-1-tail] == m.new[len(m.new)-1-tail] {
		tail++
	}
	var out []diffStep
	for i := range head {
		out = append(out, diffStep{A: i, B: i})
	}
	for _, s := range d.pairMiddle(m, head, tail, likeFile) {
		if s.A >= 0 {
			s.A += head
		}
		if s.B >= 0 {
			s.B += head
		}
		out = append(out, s)
	}
	for i := tail; i > 0; i-- {
		out = append(out, diffStep{A: len(m.old) - i, B: len(m.new) - i})
	}
	return out
}

func (d *document) pairMiddle(m *match, head, tail int, likeFile bool) []diffStep {
	o, n := m.old[head:len(m.old)-tail], m.new[head:len(m.new)-tail]
	ok, nk := hashes(o), hashes(n)
	if len(o)*len(n) > maxCells {
		return shortestDiff(ok, nk)
	}
	width := len(n) + 1
	best := make([]int32, (len(o)+1)*width)
	same, stands := int32(6), int32(4)
	if likeFile {
		same, stands = 4, 6
	}
	weight := func(i, j int) int32 {
		if ok[i] != nk[j] {
			return 0
		}
		w := int32(100 + min(len(o[i]), 60))
		if ok[i] == 0 {
			w = 20
		}
		if o[i] == n[j] {
			w += same
		}
		if at := m.at[head+i]; at >= 0 && d.text(at) == n[j] {
			w += stands
		}
		return w
	}
	for i := len(o) - 1; i >= 0; i-- {
		for j := len(n) - 1; j >= 0; j-- {
			top := max(best[(i+1)*width+j], best[i*width+j+1])
			if w := weight(i, j); w > 0 {
				top = max(top, w+best[(i+1)*width+j+1])
			}
			best[i*width+j] = top
		}
	}
	return walkBest(best, width, len(o), len(n), weight)
}

func walkBest(best []int32, width, rows, cols int, weight func(i, j int) int32) []diffStep {
	var out []diffStep
	i, j := 0, 0
	for i < rows && j < cols {
		here := best[i*width+j]
		switch w := weight(i, j); {
		case w > 0 && here == w+best[(i+1)*width+j+1]:
			out = append(out, diffStep{A: i, B: j})
			i, j = i+1, j+1
		case here == best[(i+1)*width+j]:
			out = append(out, diffStep{A: i, B: -1})
			i++
		default:
			out = append(out, diffStep{A: -1, B: j})
			j++
		}
	}
	for ; i < rows; i++ {
		out = append(out, diffStep{A: i, B: -1})
	}
	for ; j < cols; j++ {
		out = append(out, diffStep{A: -1, B: j})
	}
	return out
}

func hashes(lines []string) []uint64 {
	out := make([]uint64, len(lines))
	for i, l := range lines {
		out[i] = foldHash(l)
	}
	return out
}

// changedPairs joins a removed line with the added line of the same hunk that is its new wording, in order. The
// result holds, for each line of new, the line of old or -1.
func changedPairs(m *match, steps []diffStep) []int {
	out := make([]int, len(m.new))
	for i := range out {
		out[i] = -1
	}
	for i := 0; i < len(steps); {
		if steps[i].A >= 0 && steps[i].B >= 0 {
			i++
			continue
		}
		var gone, come []int
		for ; i < len(steps) && (steps[i].A < 0 || steps[i].B < 0); i++ {
			if steps[i].A >= 0 && !isBlankLine(m.old[steps[i].A]) {
				gone = append(gone, steps[i].A)
			} else if steps[i].B >= 0 && !isBlankLine(m.new[steps[i].B]) {
				come = append(come, steps[i].B)
			}
		}
		joinHunk(m, gone, come, out)
	}
	return out
}

func joinHunk(m *match, gone, come []int, out []int) {
	if len(gone)*len(come) > 1<<14 {
		return
	}
	from := 0
	for i, g := range gone {
		best, at := 0.499, -1
		if len(gone) == len(come) && from <= i && likeness(m.old[g], m.new[come[i]]) >= 0.25 {
			at = i
			best = likeness(m.old[g], m.new[come[i]])
		}
		for j := from; j < len(come); j++ {
			if s := likeness(m.old[g], m.new[come[j]]); s > best {
				best, at = s, j
			}
		}
		if at >= 0 {
			out[come[at]] = g
			from = at + 1
		}
	}
}

// maxLikeLine is the longest line that is compared word by word, in bytes.
const maxLikeLine = 4000

// likeness is the share of the words and marks that two lines have in common, in order; from zero to one.
func likeness(a, b string) float64 {
	if len(a) > maxLikeLine || len(b) > maxLikeLine {
		return 0
	}
	x, y := tokens(foldKey(a)), tokens(foldKey(b))
	if len(x) == 0 || len(y) == 0 || len(x)*len(y) > 1<<16 {
		return 0
	}
	row := make([]int, len(y)+1)
	for i := range x {
		diag := 0
		for j := range y {
			up := row[j+1]
			if x[i] == y[j] {
				row[j+1] = diag + 1
			} else {
				row[j+1] = max(up, row[j])
			}
			diag = up
		}
	}
	return 2 * float64(row[len(y)]) / float64(len(x)+len(y))
}

// tokens cuts a line into words and single marks; blanks are left out.
func tokens(s string) []string {
	var out []string
	start := -1
	for i, r := range s {
		if isWord(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			out = append(out, s[start:i])
			start = -1
		}
		if !isBlankChar(r) {
			out = append(out, string(r))
		}
	}
	if start >= 0 {
		out = append(out, s[start:])
	}
	return out
}
