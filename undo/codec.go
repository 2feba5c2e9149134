package undo

import (
	"encoding/binary"
	"io/fs"

	"rein/undo/internal/content"
)

// Names are kept as bytes: a name need not be UTF-8.

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// appendNode appends a node; deep with all below it.
func appendNode(b []byte, n *node, deep bool) []byte {
	if n == nil {
		return append(b, 0)
	}
	flags := byte(1)
	if n.settled {
		flags |= 2
	}
	b = appendText(append(b, flags), n.name)
	b = binary.AppendUvarint(b, uint64(n.stat.Mode))
	for _, v := range []int64{n.stat.Size, n.stat.Mtime, n.stat.Ctime} {
		b = binary.AppendVarint(b, v)
	}
	for _, v := range []uint64{n.stat.Inode, n.stat.Dev, n.stat.Links} {
		b = binary.AppendUvarint(b, v)
	}
	if n.stat.Mode.IsRegular() {
		b = append(b, n.sum[:]...)
	}
	b = appendText(b, n.target)
	b = appendText(b, n.attrs)
	b = appendText(b, string(n.left))
	if !deep {
		return binary.AppendUvarint(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(len(n.kids)))
	for _, k := range n.kids {
		b = appendNode(b, k, true)
	}
	return b
}

// decoder reads what was appended. After the first error everything it gives is zero.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) uint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) int() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) take(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.bad, d.b = true, nil
		return nil
	}
	part := d.b[:n]
	d.b = d.b[n:]
	return part
}

func (d *decoder) text() string { return string(d.take(d.uint())) }

func (d *decoder) node(depth int) *node {
	flags := d.take(1)
	if d.bad || flags[0] == 0 {
		return nil
	}
	n := &node{settled: flags[0]&2 != 0, name: d.text()}
	n.stat.Mode = fs.FileMode(d.uint())
	n.stat.Size, n.stat.Mtime, n.stat.Ctime = d.int(), d.int(), d.int()
	n.stat.Inode, n.stat.Dev, n.stat.Links = d.uint(), d.uint(), d.uint()
	if n.stat.Mode.IsRegular() {
		copy(n.sum[:], d.take(uint64(len(content.Sum{}))))
	}
	n.target, n.attrs, n.left = d.text(), d.text(), Left(d.text())
	count := d.uint()
	if count > uint64(len(d.b)) || depth > 2*maxDepth {
		d.bad = true
		return nil
	}
	if count > 0 {
		n.kids = make([]*node, 0, count)
	}
	for range count {
		k := d.node(depth + 1)
		if d.bad || k == nil {
			d.bad = true
			return nil
		}
		n.kids = append(n.kids, k)
	}
	return n
}

func appendChanges(b []byte, changes []change) []byte {
	b = binary.AppendUvarint(b, uint64(len(changes)))
	for _, c := range changes {
		b = appendText(b, c.path)
		b = appendNode(b, c.before, false)
		b = appendNode(b, c.after, false)
	}
	return b
}

func (d *decoder) changes() []change {
	count := d.uint()
	if count > uint64(len(d.b)) {
		d.bad = true
		return nil
	}
	changes := make([]change, 0, count)
	for range count {
		changes = append(changes, change{d.text(), d.node(0), d.node(0)})
	}
	return changes
}
