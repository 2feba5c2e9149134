package edit

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

func farFuture() time.Time { return time.Now().Add(time.Hour) }

// ambiguous refuses with all places that fit.
func (d *document) ambiguous(lines []int, why string) *Refusal {
	slices.Sort(lines)
	lines = slices.Compact(lines)
	r := &Refusal{Reason: Ambiguous, Hint: "Add the lines before or after it to old_text and new_text, so that it matches only one place; or set replace_all."}
	var names []string
	for i, n := range lines {
		if i == maxPlaces {
			names = append(names, "…")
			break
		}
		names = append(names, fmt.Sprint(n))
		r.Places = append(r.Places, Place{First: n, Last: n})
	}
	r.Text = why + "old_text matches several places, beginning at lines " + strings.Join(names, ", ") + "."
	if len(lines) == 1 {
		r.Text = why + "old_text matches several places in line " + names[0] + "."
	}
	return r
}

// notFound refuses with the nearest place, and with the news that new_text is there already if it does.
func (d *document) notFound(p readingPair) *Refusal {
	if done := d.candidates(p.WithoutEdges().New, nil); len(done) == 1 && countFilled(p.New) > 0 && strings.ContainsFunc(strings.Join(p.New, ""), isWord) {
		return &Refusal{Reason: Applied, Places: []Place{{First: done[0].first + 1, Last: done[0].last}},
			Text: "old_text is not in the file, but new_text is, at " + lineRange(done[0].first+1, done[0].last) + ".",
			Hint: "The change seems to be made already: continue, or read the file again."}
	}
	r := &Refusal{Reason: NotFound, Text: "old_text is not in the file.", Hint: "Read these lines again and send old_text exactly as they are."}
	if first, last, ok := d.nearest(p.WithoutEdges().Old); ok {
		r.Places = []Place{{First: first + 1, Last: last, Diff: d.beside(p.WithoutEdges().Old, first, last)}}
	} else {
		r.Text += " None of its lines is there either."
		r.Hint = "Read the file again; the text may be in another file."
	}
	return r
}

// nearest is the region that has most lines of old where old has them; failing that, the line most like its longest.
func (d *document) nearest(old []string) (first, last int, ok bool) {
	if len(old) == 0 || len(old) > maxOldLines {
		return 0, 0, false
	}
	want := map[uint64][]int{}
	for i, l := range old {
		if h := foldHash(l); h != 0 {
			want[h] = append(want[h], i)
		}
	}
	count := map[uint64]int{}
	k := d.index()
	for _, h := range k.hash {
		if _, ok := want[h]; ok {
			count[h]++
		}
	}
	votes := map[int]float64{}
	for e, h := range k.hash {
		if n := count[h]; n > 0 && n <= 50 {
			for _, i := range want[h] {
				votes[int(k.line[e])-i] += 1 / float64(n)
			}
		}
	}
	best, at := 0.0, 0
	for s, v := range votes {
		near := v + 0.5*(votes[s-1]+votes[s+1])
		if near > best || near == best && s < at {
			best, at = near, s
		}
	}
	if best == 0 {
		return d.likest(old)
	}
	first = max(at, 0)
	return first, min(at+len(old), len(d.lines)), min(at+len(old), len(d.lines)) > first
}

// maxLikened bounds the lines that are compared word by word for a message.
const maxLikened = 4000

// likest is the place of the line that is most like the longest line of old.
func (d *document) likest(old []string) (first, last int, ok bool) {
	long := 0
	for i, l := range old {
		if len(strings.TrimSpace(l)) > len(strings.TrimSpace(old[long])) {
			long = i
		}
	}
	word := longestWord(old[long])
	best, at, tried := 0.45, -1, 0
	for n := range d.lines {
		if tried > maxLikened || n&0xff == 0 && d.late() {
			break
		}
		l := d.text(n)
		if isBlankLine(l) || len(l) > 1000 || len(d.lines) > maxLikened && !strings.Contains(l, word) {
			continue
		}
		tried++
		if s := likeness(old[long], l); s > best {
			best, at = s, n
		}
	}
	if at < 0 {
		return 0, 0, false
	}
	first = max(at-long, 0)
	return first, min(first+len(old), len(d.lines)), true
}

// maxBeside bounds the lines of a two-sided diff in a message.
const maxBeside = 40

// beside shows old and a region of the file where they differ: - is the model's line, + the file's with its number.
func (d *document) beside(old []string, first, last int) string {
	file := make([]string, 0, last-first)
	for n := first; n < last; n++ {
		file = append(file, d.text(n))
	}
	var b strings.Builder
	shown := 0
	for _, s := range shortestDiff(hashes(old), hashes(file)) {
		if shown++; shown > maxBeside {
			b.WriteString("…\n")
			break
		}
		switch {
		case s.B < 0:
			fmt.Fprintf(&b, "-       %s\n", showLine(old[s.A]))
		case s.A < 0:
			fmt.Fprintf(&b, "+ %5d %s\n", first+s.B+1, showLine(file[s.B]))
		default:
			fmt.Fprintf(&b, "  %5d %s\n", first+s.B+1, showLine(file[s.B]))
		}
	}
	return b.String()
}
