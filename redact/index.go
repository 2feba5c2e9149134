package redact

import (
	"slices"
	"sort"
)

// anchor is the literal beginning of something to hide: all of a known value, the beginning of an encoded one, the prefix of a
// key's shape.
type anchor struct {
	kind   string
	prefix string
	known  bool                                    // a value that is known: it may begin within a word
	fold   bool                                    // the prefix is in lower case and matches in any case
	after  func(before byte) bool                  // reports which byte may be before the prefix; nil: none that continues a word
	match  func(c *cursor) (from, to int, ok bool) // reads on behind the prefix; nil: the prefix is all of it
}

// hit is a part of the text to hide; at is where its anchor begins, which may be before it.
type hit struct {
	at, from, to int
	kind         string
	known        bool
}

// index finds anchors by their first three bytes: one multiplication and one bit of a table for each byte of text, with no branch
// taken where nothing begins. Its zero value is empty; add makes it.
type index struct {
	bits  *[tableSize / 64]uint64
	heads map[uint32][]int32 // anchors by their first bytes: what is added first is tried first
	list  []anchor
	ones  [256]bool // bytes with which an anchor begins
	pairs map[[2]byte]bool
}

const (
	tableBits = 18
	tableSize = 1 << tableBits
)

func hash(window uint32) uint32 { return window * 0x9E3779B1 >> (32 - tableBits) }

func windowOf(start string) uint32 {
	return uint32(start[0]) | uint32(start[1])<<8 | uint32(start[2])<<16
}

func (x *index) add(a anchor) {
	if x.heads == nil {
		x.bits, x.heads, x.pairs = new([tableSize / 64]uint64), map[uint32][]int32{}, map[[2]byte]bool{}
	}
	id := int32(len(x.list))
	x.list = append(x.list, a)
	if !a.fold {
		x.begin(a.prefix[:3], id)
		return
	}
	for _, start := range cases(a.prefix[:3]) {
		x.begin(start, id)
	}
}

// begin notes that an anchor begins with three bytes.
func (x *index) begin(start string, id int32) {
	w := windowOf(start)
	x.ones[start[0]], x.pairs[[2]byte{start[0], start[1]}] = true, true
	x.bits[hash(w)/64] |= 1 << (hash(w) % 64)
	x.heads[w] = append(x.heads[w], id)
}

// cases returns the spellings of a text in lower case, each once.
func cases(start string) []string {
	all := []string{""}
	for _, c := range []byte(start) {
		var grown []string
		for _, s := range all {
			grown = append(grown, s+string(c))
			if 'a' <= c && c <= 'z' {
				grown = append(grown, s+string(c-'a'+'A'))
			}
		}
		all = grown
	}
	return all
}

// scan finds the hits of a text. prev is the byte before it, 0 at the beginning. Unless final, the text may continue:
// what could still become a hit is left, and settled is how much of the text is decided.
func (x *index) scan(text []byte, prev byte, final bool) (hits []hit, settled int) {
	settled = len(text)
	c := &cursor{text: text, final: final} // one for all: it goes to the heap
	for i := x.candidate(text, 0); i >= 0; i = x.candidate(text, i+1) {
		before := prev
		if i > 0 {
			before = text[i-1]
		}
		var open bool
		if hits, open = x.at(c, i, before, hits); open {
			settled = i
			break
		}
	}
	if !final {
		settled = min(settled, x.tail(text))
		hits, settled = undecided(hits, settled)
	}
	return merge(hits), settled
}

// candidate returns the next position from i on at which an anchor may begin, -1 when there is none.
func (x *index) candidate(text []byte, i int) int {
	if len(text)-i < 3 {
		return -1
	}
	bits := x.bits
	window := uint32(text[i])<<8 | uint32(text[i+1])<<16
	for j, b := range text[i+2:] {
		window = window>>8 | uint32(b)<<16
		h := hash(window)
		if bits[h/64]&(1<<(h%64)) != 0 {
			return i + j
		}
	}
	return -1
}

// at tries the anchors that may begin at a position and adds what holds. open means that the text ran out before one
// of them was decided.
func (x *index) at(c *cursor, i int, before byte, hits []hit) (all []hit, open bool) {
	for _, id := range x.heads[windowOf(string(c.text[i:i+3]))] {
		a := &x.list[id]
		if len(hits) > 0 && i < hits[len(hits)-1].to && !a.known {
			continue // already hidden; only a known value could reach further
		}
		c.i, c.short = i, false
		found, ok := a.try(c, before)
		if c.short && !c.final {
			return hits, true
		}
		if ok {
			hits = append(hits, found)
			if !a.known {
				break
			}
		}
	}
	return hits, false
}

// try reports whether an anchor holds at the cursor.
func (a *anchor) try(c *cursor, before byte) (hit, bool) {
	at := c.i
	if !a.known && !a.mayFollow(before) {
		return hit{}, false
	}
	if !c.literal(a.prefix, a.fold) {
		return hit{}, false
	}
	if a.match == nil {
		return hit{at: at, from: at, to: c.i, kind: a.kind, known: a.known}, true
	}
	from, to, ok := a.match(c)
	return hit{at: at, from: from, to: to, kind: a.kind, known: a.known}, ok
}

func (a *anchor) mayFollow(before byte) bool {
	if a.after == nil {
		return !isWord(before)
	}
	return a.after(before)
}

// tail returns where the last bytes begin to look like an anchor that has no three bytes yet.
func (x *index) tail(text []byte) int {
	n := len(text)
	if n >= 2 && x.pairs[[2]byte(text[n-2:])] {
		return n - 2
	}
	if n >= 1 && x.ones[text[n-1]] {
		return n - 1
	}
	return n
}

// undecided drops the hits that reach over the settled part; their anchors stay with what is left.
func undecided(hits []hit, settled int) ([]hit, int) {
	for _, h := range slices.Backward(hits) {
		if h.to > settled {
			settled = min(settled, h.at)
		}
	}
	hits = slices.DeleteFunc(hits, func(h hit) bool { return h.to > settled })
	return hits, settled
}

// merge puts hits in order and joins those that overlap; the name of a known value wins over that of a shape.
func merge(hits []hit) []hit {
	if len(hits) < 2 {
		return hits
	}
	sort.SliceStable(hits, func(i, j int) bool { return hits[i].from < hits[j].from })
	joined := hits[:1]
	for _, h := range hits[1:] {
		last := &joined[len(joined)-1]
		if h.from >= last.to {
			joined = append(joined, h)
			continue
		}
		if h.known && !last.known {
			last.kind, last.known = h.kind, true
		}
		last.to = max(last.to, h.to)
	}
	return joined
}
