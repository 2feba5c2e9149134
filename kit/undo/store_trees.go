package undo

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// The file "trees" has what is known of all roots: a magic number, the SHA-256 of the rest, the number of the last record
// of the log that it includes, and for each root its path and its nodes.
const treesMagic = "rein trees 1\n"

// saveTrees writes the file.
func (s *Store) saveTrees() error {
	b := binary.AppendUvarint(nil, s.log.next-1)
	b = binary.AppendUvarint(b, uint64(len(s.roots)))
	for _, r := range s.roots {
		b = appendText(b, r.dir)
		b = appendNode(b, r.tree, true)
	}
	sum := sha256.Sum256(b)
	data := append(append([]byte(treesMagic), sum[:]...), b...)
	if err := writeFile(filepath.Join(s.dir, "trees"), data, s.options.Fault); err != nil {
		return err
	}
	s.upTo, s.added = s.log.next-1, 0
	return nil
}

// loadTrees reads the file. Where it is missing or damaged nothing is known: the next walk reads every file again.
func (s *Store) loadTrees() error {
	for _, r := range s.roots {
		r.tree = nil
	}
	s.upTo = 0
	data, err := os.ReadFile(filepath.Join(s.dir, "trees"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	data, ok := bytes.CutPrefix(data, []byte(treesMagic))
	if !ok || len(data) < sha256.Size || sha256.Sum256(data[sha256.Size:]) != [sha256.Size]byte(data[:sha256.Size]) {
		return nil
	}
	d := newTreeDecoder(data[sha256.Size:])
	upTo := d.Uint()
	trees := map[string]*treeNode{}
	for range d.Uint() {
		dir := d.Text()
		trees[dir] = d.Node()
		if d.Bad() {
			return nil
		}
	}
	s.upTo, s.log.next = upTo, max(s.log.next, upTo+1)
	for _, r := range s.roots {
		r.tree = trees[r.dir]
		delete(trees, r.dir)
	}
	for dir, tree := range trees {
		s.roots = append(s.roots, &root{dir: dir, tree: tree}) // of another session: its changes can be listed, not undone
	}
	return nil
}
