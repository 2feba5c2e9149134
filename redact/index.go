package redact

import (
	"encoding/binary"
	"math/bits"
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
	next   string                                  // the bytes that can be behind a prefix of three; "": any
	after  func(before byte) bool                  // reports which byte may be before the prefix; nil: none that continues a word
	match  func(c *cursor) (from, to int, ok bool) // reads on behind the prefix; nil: the prefix is all of it
}

// hit is a part of the text to hide; at is where its anchor begins, which may be before it.
type hit struct {
	at, from, to int
	kind         string
	known        bool
}

// index finds anchors by their first three bytes, a window. Most text is passed over by pairs of bytes, with one look at every other
// byte: of the two pairs of a window one begins at an even place, and one at an odd.
type index struct {
	marks *[1 << 16]uint8 // of pairs of bytes
	dense bool            // so many pairs are marked that each window is looked up at once
	bits  *[tableSize / 64]uint64
	heads []head // in chains that begin at first
	first *[chains]int32
	list  []anchor
	ones  [256]bool // bytes with which an anchor begins
}

// head is a window of three bytes with the anchors that begin with it: what is added first is tried first.
type head struct {
	window uint32
	next   int32   // the next head of the chain, 1 more than its place; 0: none
	fourth *class  // bytes that can follow; nil: any
	ids    []int32 // places in the list
}

const (
	tableBits = 18
	tableSize = 1 << tableBits
	chainBits = 12
	chains    = 1 << chainBits

	firstPair, secondPair = 1, 2 // marks of a pair: the part of a window that it is

	// mostPairs is with how many marked pairs it still pays to look at pairs first. Known values in base64 mark many.
	mostPairs = 1200
)

func hash(window uint32) uint32 { return window * 0x9E3779B1 >> (32 - tableBits) }

func windowOf[T string | []byte](start T) uint32 {
	return uint32(start[0]) | uint32(start[1])<<8 | uint32(start[2])<<16
}

func newIndex(anchors []anchor) *index {
	x := &index{marks: new([1 << 16]uint8), bits: new([tableSize / 64]uint64), first: new([chains]int32)}
	for _, a := range anchors {
		x.add(a)
	}
	pairs := 0
	for _, m := range x.marks {
		pairs += bits.OnesCount8(m)
	}
	x.dense = pairs > mostPairs
	return x
}

func (x *index) add(a anchor) {
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
	x.ones[start[0]] = true
	x.marks[w&0xffff] |= firstPair
	x.marks[w>>8] |= secondPair
	x.bits[hash(w)/64] |= 1 << (hash(w) % 64)
	h := x.head(w)
	if h == nil {
		chain := &x.first[hash(w)%chains]
		x.heads = append(x.heads, head{window: w, next: *chain, fourth: new(class)})
		*chain = int32(len(x.heads))
		h = &x.heads[len(x.heads)-1]
	}
	h.ids = append(h.ids, id)
	h.follow(&x.list[id])
}

// follow notes which bytes an anchor can have behind the window.
func (h *head) follow(a *anchor) {
	next := a.next
	if len(a.prefix) > 3 {
		next = a.prefix[3:4]
	}
	if next == "" || h.fourth == nil {
		h.fourth = nil
		return
	}
	for _, b := range []byte(next) {
		h.fourth.add(b)
		if a.fold && 'a' <= b && b <= 'z' {
			h.fourth.add(b - 'a' + 'A')
		}
	}
}

// head returns what begins with a window, nil when nothing does.
func (x *index) head(window uint32) *head {
	for i := x.first[hash(window)%chains]; i != 0; i = x.heads[i-1].next {
		if h := &x.heads[i-1]; h.window == window {
			return h
		}
	}
	return nil
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
	var c *cursor // one for all: it goes to the heap
	for i := x.candidate(text, 0); i >= 0; i = x.candidate(text, i+1) {
		if c == nil {
			c = &cursor{text: text, final: final}
		}
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

// candidate returns the next position from i on at which an anchor may begin, -1 when there is none. It looks at the six windows of
// eight bytes at once: at the three pairs that are in all of them first, and only where one is marked at each window.
func (x *index) candidate(text []byte, i int) int {
	marks, table := x.marks, x.bits
	for ; i+8 <= len(text); i += 6 {
		v := binary.LittleEndian.Uint64(text[i:])
		if !x.dense && marks[uint16(v>>8)]|marks[uint16(v>>24)]|marks[uint16(v>>40)] == 0 {
			continue
		}
		switch {
		case begins(table, v):
			return i
		case begins(table, v>>8):
			return i + 1
		case begins(table, v>>16):
			return i + 2
		case begins(table, v>>24):
			return i + 3
		case begins(table, v>>32):
			return i + 4
		case begins(table, v>>40):
			return i + 5
		}
	}
	for ; i+3 <= len(text); i++ {
		if begins(table, uint64(windowOf(text[i:]))) {
			return i
		}
	}
	return -1
}

// begins reports whether an anchor may begin with the first three of eight bytes.
func begins(table *[tableSize / 64]uint64, v uint64) bool {
	h := hash(uint32(v) & 0xffffff)
	return table[h/64]&(1<<(h%64)) != 0
}

// at tries the anchors that may begin at a position and adds what holds. open means that the text ran out before one
// of them was decided.
func (x *index) at(c *cursor, i int, before byte, hits []hit) (all []hit, open bool) {
	h := x.head(windowOf(c.text[i:]))
	if h == nil || h.fourth != nil && i+3 < len(c.text) && !h.fourth.has(c.text[i+3]) {
		return hits, false
	}
	for _, id := range h.ids {
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
	if n >= 2 && x.marks[uint16(text[n-2])|uint16(text[n-1])<<8]&firstPair != 0 {
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
