package undo

import (
	"encoding/binary"
	"io/fs"
)

// Names are kept as bytes: a name need not be UTF-8.

// appendText appends a text.
func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// appendNode appends a node; deep with all below it.
func appendNode(b []byte, n *treeNode, deep bool) []byte {
	if n == nil {
		return append(b, 0)
	}
	flags := byte(1)
	if n.Settled {
		flags |= 2
	}
	b = appendText(append(b, flags), n.Name)
	b = binary.AppendUvarint(b, uint64(n.Stat.Mode))
	for _, v := range []int64{n.Stat.Size, n.Stat.Mtime, n.Stat.Ctime} {
		b = binary.AppendVarint(b, v)
	}
	for _, v := range []uint64{n.Stat.Inode, n.Stat.Dev, n.Stat.Links} {
		b = binary.AppendUvarint(b, v)
	}
	if n.Stat.Mode.IsRegular() {
		b = append(b, n.Sum[:]...)
	}
	b = appendText(b, n.Target)
	b = appendText(b, n.Attrs)
	b = appendText(b, string(n.Left))
	if !deep {
		return binary.AppendUvarint(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(len(n.Kids)))
	for _, k := range n.Kids {
		b = appendNode(b, k, true)
	}
	return b
}

// treeDecoder reads what was appended. After the first error everything it gives is zero.
type treeDecoder struct {
	b   []byte
	bad bool
}

// newTreeDecoder reads bytes.
func newTreeDecoder(b []byte) *treeDecoder { return &treeDecoder{b: b} }

// Bad reports whether something could not be read.
func (d *treeDecoder) Bad() bool { return d.bad }

// Uint reads a number.
func (d *treeDecoder) Uint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *treeDecoder) int() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *treeDecoder) take(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.bad, d.b = true, nil
		return nil
	}
	part := d.b[:n]
	d.b = d.b[n:]
	return part
}

// Text reads a text.
func (d *treeDecoder) Text() string { return string(d.take(d.Uint())) }

// treeNode reads a node.
func (d *treeDecoder) Node() *treeNode { return d.node(0) }

func (d *treeDecoder) node(depth int) *treeNode {
	flags := d.take(1)
	if d.bad || flags[0] == 0 {
		return nil
	}
	n := &treeNode{Settled: flags[0]&2 != 0, Name: d.Text()}
	n.Stat.Mode = fs.FileMode(d.Uint())
	n.Stat.Size, n.Stat.Mtime, n.Stat.Ctime = d.int(), d.int(), d.int()
	n.Stat.Inode, n.Stat.Dev, n.Stat.Links = d.Uint(), d.Uint(), d.Uint()
	if n.Stat.Mode.IsRegular() {
		copy(n.Sum[:], d.take(uint64(len(contentSum{}))))
	}
	n.Target, n.Attrs, n.Left = d.Text(), d.Text(), leftReason(d.Text())
	count := d.Uint()
	if count > uint64(len(d.b)) || depth > 2*maxDepth {
		d.bad = true
		return nil
	}
	if count > 0 {
		n.Kids = make([]*treeNode, 0, count)
	}
	for range count {
		k := d.node(depth + 1)
		if d.bad || k == nil {
			d.bad = true
			return nil
		}
		n.Kids = append(n.Kids, k)
	}
	return n
}

// appendChanges appends changes.
func appendChanges(b []byte, changes []treeChange) []byte {
	b = binary.AppendUvarint(b, uint64(len(changes)))
	for _, c := range changes {
		b = appendText(b, c.Path)
		b = appendNode(b, c.Before, false)
		b = appendNode(b, c.After, false)
	}
	return b
}

// Changes reads what appendChanges appended.
func (d *treeDecoder) Changes() []treeChange {
	count := d.Uint()
	if count > uint64(len(d.b)) {
		d.bad = true
		return nil
	}
	changes := make([]treeChange, 0, count)
	for range count {
		changes = append(changes, treeChange{d.Text(), d.node(0), d.node(0)})
	}
	return changes
}
