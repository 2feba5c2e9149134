package edit

import (
	"fmt"
	"hash/maphash"
	"strings"
)

// DiffLines bounds the diff of a Result.
const DiffLines = 400

// contextLines are shown around each change.
const contextLines = 3

// report fills in the lines, the counts and the diff of the session's changes.
func (s *session) report(r *Result) {
	shift := 0
	var hunks []hunk
	for i := range s.changes {
		c := &s.changes[i]
		n := countLines(c.text, s.d.cr)
		removed := max(c.Old[1]-c.Old[0]+1, 0)
		c.New = [2]int{c.Old[0] + shift, c.Old[0] + shift + n - 1}
		shift += n - removed
		hunks = append(hunks, hunk{first: c.Old[0] - 1, removed: removed, added: cutLines(c.text, s.d.cr)})
		if i == 0 {
			r.Lines = c.New
		}
		r.Lines[1] = max(r.Lines[1], c.New[1])
	}
	r.Changes = s.changes
	r.Diff, r.Added, r.Removed = s.d.unified(hunks)
}

func reportWhole(r *Result, origin string) {
	before := parse(origin, farFuture())
	hunks := wholeHunks(before, r.Text)
	shift := 0
	for i, h := range hunks {
		c := Change{Old: [2]int{h.first + 1, h.first + h.removed}, New: [2]int{h.first + 1 + shift, h.first + shift + len(h.added)}}
		shift += len(h.added) - h.removed
		r.Changes = append(r.Changes, c)
		if i == 0 {
			r.Lines = c.New
		}
		r.Lines[1] = max(r.Lines[1], c.New[1])
	}
	r.Diff, r.Added, r.Removed = before.unified(hunks)
}

// Diff is a unified diff between two texts, at most DiffLines lines; empty if they are the same.
func Diff(before, after string) string {
	d := parse(before, farFuture())
	out, _, _ := d.unified(wholeHunks(d, after))
	return out
}

// Compare is the change between two texts as a Result, without classes.
func Compare(before, after string) Result {
	r := Result{Text: after}
	reportWhole(&r, before)
	return r
}

// CountLines counts the lines of a text; a last line without its end is one.
func CountLines(text string) int { return len(parse(text, farFuture()).lines) }

// hunk replaces removed lines of the file, from first on, by added ones.
type hunk struct {
	first, removed int
	added          []string
}

func wholeHunks(before *document, text string) []hunk {
	after := parse(text, before.until)
	seed := maphash.MakeSeed()
	a, b := before.exactHashes(seed), after.exactHashes(seed)
	var out []hunk
	x := 0
	open := false
	for _, s := range shortestDiff(a, b) {
		if s.A >= 0 && s.B >= 0 {
			x, open = s.A+1, false
			continue
		}
		if !open {
			out, open = append(out, hunk{first: x}), true
		}
		h := &out[len(out)-1]
		if s.A >= 0 {
			h.removed++
		} else {
			h.added = append(h.added, after.raw[after.lines[s.B].start:after.lines[s.B].next])
		}
	}
	return out
}

func (d *document) exactHashes(seed maphash.Seed) []uint64 {
	out := make([]uint64, len(d.lines))
	for i, l := range d.lines {
		out[i] = maphash.String(seed, d.raw[l.start:l.next])
	}
	return out
}

func countLines(s string, cr bool) int { return len(cutLines(s, cr)) }

func cutLines(s string, cr bool) []string {
	if s == "" {
		return nil
	}
	end := "\n"
	if cr {
		end = "\r"
	}
	out := strings.SplitAfter(s, end)
	if out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// unified renders hunks with their context.
func (d *document) unified(hunks []hunk) (text string, added, removed int) {
	var b strings.Builder
	lines, shift := 0, 0
	put := func(mark byte, l string) {
		if lines++; lines <= DiffLines {
			b.WriteByte(mark)
			b.WriteString(showLine(l))
			b.WriteByte('\n')
		}
	}
	for i := 0; i < len(hunks); {
		j := i + 1
		for j < len(hunks) && hunks[j].first-(hunks[j-1].first+hunks[j-1].removed) <= 2*contextLines {
			j++
		}
		from := max(hunks[i].first-contextLines, 0)
		to := min(hunks[j-1].first+hunks[j-1].removed+contextLines, len(d.lines))
		grow := 0
		for _, h := range hunks[i:j] {
			grow += len(h.added) - h.removed
			added, removed = added+len(h.added), removed+h.removed
		}
		if lines++; lines <= DiffLines {
			fmt.Fprintf(&b, "@@ -%s +%s @@\n", hunkSide(from, to-from), hunkSide(from+shift, to-from+grow))
		}
		shift += grow
		at := from
		for _, h := range hunks[i:j] {
			for ; at < h.first; at++ {
				put(' ', d.text(at))
			}
			for ; at < h.first+h.removed; at++ {
				put('-', d.text(at))
			}
			for _, l := range h.added {
				put('+', l)
			}
		}
		for ; at < to; at++ {
			put(' ', d.text(at))
		}
		i = j
	}
	if lines > DiffLines {
		fmt.Fprintf(&b, "… lines left out: %d\n", lines-DiffLines)
	}
	return b.String(), added, removed
}

// hunkSide names n lines after the first ones. Without lines it names the line before, as diff and git do.
func hunkSide(first, n int) string { return fmt.Sprintf("%d,%d", first+min(n, 1), n) }

// showLine is a line as a diff shows it: without its end, and not longer than a screen can bear.
func showLine(l string) string {
	l = strings.TrimRight(l, "\r\n")
	if len(l) > 500 {
		l = strings.ToValidUTF8(l[:500], "") + fmt.Sprintf("… (%d bytes)", len(l))
	}
	return l
}
