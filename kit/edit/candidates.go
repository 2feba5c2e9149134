package edit

// keyIndex holds the key hashes of a file's lines that are not blank.
type keyIndex struct {
	line []int32 // line number of each entry
	hash []uint64
	of   []int32 // entry at or after each line
}

func (d *document) index() *keyIndex {
	if d.keys != nil {
		return d.keys
	}
	k := &keyIndex{line: make([]int32, 0, len(d.lines)), hash: make([]uint64, 0, len(d.lines)), of: make([]int32, len(d.lines)+1)}
	for i := range d.lines {
		k.of[i] = int32(len(k.line))
		if h := foldHash(d.text(i)); h != 0 {
			k.line = append(k.line, int32(i))
			k.hash = append(k.hash, h)
		}
	}
	k.of[len(d.lines)] = int32(len(k.line))
	d.keys = k
	return k
}

// candidate is a place where all lines of old fit under the loosest key.
type candidate struct {
	first, last int   // lines [first,last) of the file
	at          []int // the file's line for each line of old; -1 for a blank one that the file has not
	damage      lineDamage
}

// candidates finds the places of old under the loosest key; blank lines count on neither side. A line for which gap
// is true means any number of lines; the pieces between them must follow one another.
func (d *document) candidates(old []string, gap func(int) bool) []candidate {
	pieces := cutPieces(old, gap)
	if len(pieces) == 0 {
		return nil
	}
	found := make([][]int, len(pieces))
	for i, p := range pieces {
		if found[i] = d.positions(p); len(found[i]) == 0 {
			return nil
		}
	}
	c := chainer{d: d, old: old, pieces: pieces, found: found}
	c.chain(0, 0, make([]int, len(pieces)))
	if c.steps > maxChainSteps && len(c.out) == 1 {
		c.out = append(c.out, c.out[0]) // not all chains were seen, so it may not be the only one
	}
	return c.out
}

// maxChainSteps bounds the search for chains of pieces.
const maxChainSteps = 20000

// chainer lists the ways in which pieces follow one another.
type chainer struct {
	d      *document
	old    []string
	pieces []piece
	found  [][]int
	out    []candidate
	steps  int
}

func (c *chainer) chain(i, from int, starts []int) {
	if i == len(c.pieces) {
		c.out = append(c.out, c.d.align(c.old, c.pieces, starts))
		return
	}
	for _, s := range c.found[i] {
		if c.steps++; c.steps > maxChainSteps || len(c.out) > maxPlaces {
			return
		}
		if s >= from {
			starts[i] = s
			c.chain(i+1, s+len(c.pieces[i].hash), starts)
		}
	}
}

// piece is a run of old's lines without a gap.
type piece struct {
	line []int // indices of its lines that are not blank
	hash []uint64
	key  []string
}

func cutPieces(old []string, gap func(int) bool) []piece {
	var out []piece
	var p piece
	for i, l := range old {
		if gap != nil && gap(i) {
			if len(p.line) > 0 {
				out = append(out, p)
			}
			p = piece{}
			continue
		}
		if h := foldHash(l); h != 0 {
			p.line, p.hash, p.key = append(p.line, i), append(p.hash, h), append(p.key, foldKey(l))
		}
	}
	if len(p.line) > 0 {
		out = append(out, p)
	}
	return out
}

// positions finds a piece in the index, starting at its rarest line; more than maxPlaces are not known apart.
func (d *document) positions(p piece) []int {
	k := d.index()
	rare := d.rarest(p)
	var out []int
	for e, h := range k.hash {
		start := e - rare
		if h != p.hash[rare] || start < 0 || start+len(p.hash) > len(k.hash) {
			continue
		}
		if d.standsAt(p, start) {
			if out = append(out, start); len(out) > maxPlaces {
				break
			}
		}
		if e&0xfff == 0 && d.late() {
			break
		}
	}
	return out
}

func (d *document) rarest(p piece) int {
	count := make(map[uint64]int, len(p.hash))
	for _, h := range p.hash {
		count[h] = 0
	}
	for _, h := range d.index().hash {
		if n, ok := count[h]; ok {
			count[h] = n + 1
		}
	}
	best := 0
	for i, h := range p.hash {
		if count[h] < count[p.hash[best]] {
			best = i
		}
	}
	return best
}

func (d *document) standsAt(p piece, start int) bool {
	k := d.index()
	for i, h := range p.hash {
		if k.hash[start+i] != h {
			return false
		}
	}
	for i := range p.hash {
		if foldKey(d.text(int(k.line[start+i]))) != p.key[i] {
			return false
		}
	}
	return true
}

// align gives each line of old its line of the file: blank lines of old take the blank lines that the file has
// in the same gap, in order.
func (d *document) align(old []string, pieces []piece, starts []int) candidate {
	k := d.index()
	c := candidate{at: make([]int, len(old))}
	for i := range c.at {
		c.at[i] = -1
	}
	for i, p := range pieces {
		for j, l := range p.line {
			n := int(k.line[starts[i]+j])
			c.at[l] = n
			c.damage |= compareLines(old[l], d.text(n))
		}
	}
	lastPiece := pieces[len(pieces)-1]
	c.first = c.at[pieces[0].line[0]]
	c.last = c.at[lastPiece.line[len(lastPiece.line)-1]] + 1
	d.alignBlanks(old, &c)
	return c
}

func (d *document) alignBlanks(old []string, c *candidate) {
	prev := -1
	for i := range old {
		switch {
		case c.at[i] >= 0:
			if prev >= 0 && c.at[i] > prev+1 && c.at[i-1] >= 0 {
				c.damage |= damageBlankLine // the file has more of them
			}
			prev = c.at[i]
		case prev >= 0 && prev+1 < c.last && isBlankLine(old[i]) && isBlankLine(d.text(prev+1)):
			prev++
			c.at[i] = prev
			c.damage |= compareLines(old[i], d.text(prev))
		case prev >= 0 && i < len(old)-1:
			c.damage |= damageBlankLine // old has more of them
		}
	}
}
