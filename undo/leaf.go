package undo

import (
	"bytes"
	"errors"
	"io"
	"io/fs"

	"rein/undo/internal/content"
	"rein/undo/internal/disk"
)

// keeper takes contents. A nil store only computes sums, for a dry run.
type keeper struct{ store *content.Store }

func (k keeper) put(data []byte) (sum content.Sum, isNew bool, err error) {
	if k.store == nil {
		return content.SumOf(data), false, nil
	}
	return k.store.Put(data)
}

func (k keeper) putList(chunks []content.Sum) (sum content.Sum, isNew bool, err error) {
	if k.store == nil {
		return content.SumOfList(chunks), false, nil
	}
	return k.store.PutList(chunks)
}

// leaf looks at what is no directory.
func (v *visit) leaf(name string, old *node, st disk.Stat) *node {
	known := old != nil && old.stat.Unchanged(st) && old.settled && !v.full
	switch {
	case st.Mode&fs.ModeSymlink != 0:
		if known {
			return old
		}
		return v.link(name, old, st)
	case !st.Mode.IsRegular():
		return v.without(name, old, st, Special)
	}
	if known && old.left == "" && !v.holds(st) {
		return old
	}
	if left := v.leftFile(name, old, st); left != "" {
		return v.without(name, old, st, left)
	}
	n := v.read(name, old, st)
	if n != nil && old != nil && n.stat == old.stat && n.settled == old.settled && n.state() == old.state() {
		return old
	}
	return n
}

// holds reports whether a program that we started can change the file without changing its stat.
func (v *visit) holds(st disk.Stat) bool { return v.held != nil && v.held(st.Inode) }

// leftFile says why a file's content is not kept; "" if it is.
func (v *visit) leftFile(name string, old *node, st disk.Stat) Left {
	switch {
	case st.Size > v.options.MaxFile:
		return TooLarge
	case v.options.Ignored || st.Size <= v.options.MaxIgnored:
		return ""
	case old != nil && old.stat.Mode.IsRegular() && old.left == "":
		return "" // what was covered stays covered, whatever the rules say now
	case old != nil && old.left == Ignored && !v.again:
		return Ignored
	case v.scope.Ignores(join(v.path, name), false):
		return Ignored
	}
	return ""
}

func (v *visit) link(name string, old *node, st disk.Stat) *node {
	target, err := v.dir.Readlink(name)
	if err != nil {
		return v.unreadable(name, old, st)
	}
	n := &node{name: name, stat: st, target: target, settled: v.settled(st)}
	if old != nil && old.stat == n.stat && old.target == target && old.settled == n.settled {
		return old
	}
	return n
}

// maxTries is how often a file that changes while it is read is read again.
const maxTries = 3

// read reads a file, keeps its content and gives its node.
func (v *visit) read(name string, old *node, st disk.Stat) *node {
	f, err := v.dir.Open(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return v.without(name, old, st, Unreadable)
	}
	defer f.Close()
	for try := 1; ; try++ {
		before, err := f.Stat()
		if err != nil || !before.Mode.IsRegular() {
			return v.without(name, old, st, Unreadable)
		}
		if v.holds(before) {
			f.Sync() // so that the next store through a mapping changes the stamps
			if before, err = f.Stat(); err != nil {
				return v.without(name, old, st, Unreadable)
			}
		}
		n := &node{name: name, stat: before, attrs: f.Attrs()}
		if n.left, err = v.copy(f, n, old); err != nil {
			v.fail(err)
			return nil
		}
		after, err := f.Stat()
		if err != nil {
			return v.without(name, old, st, Unreadable)
		}
		if unchanged := before.Unchanged(after); unchanged || try == maxTries {
			n.settled = unchanged && n.left == "" && v.settled(before) && !v.holds(before)
			return n
		}
		if err := f.Rewind(); err != nil {
			return v.without(name, old, st, Unreadable)
		}
	}
}

// copy reads the file to its end and keeps its content.
func (v *visit) copy(f *disk.File, n *node, old *node) (Left, error) {
	size := n.stat.Size
	if size > v.options.MaxFile {
		return TooLarge, nil
	}
	if v.keep.store != nil && v.stored.Load()+size > v.room && (old == nil || old.left != "" || old.stat.Size != size) {
		return OverQuota, nil
	}
	buf := make([]byte, min(size+1, content.Whole+1))
	got, err := io.ReadFull(f, buf)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		if v.chunked(n, int64(got)) {
			return v.copyChunks(f, n, buf[:got])
		}
		n.stat.Size = int64(got)
		return v.put(n, buf[:got])
	}
	if err != nil {
		return Unreadable, nil
	}
	return v.copyChunks(f, n, buf)
}

func (v *visit) put(n *node, data []byte) (Left, error) {
	sum, isNew, err := v.keep.put(data)
	n.sum = sum
	if isNew {
		v.stored.Add(int64(len(data)))
	}
	return "", err
}

// gitIndexChunk is the size in bytes of the chunks of git's index, of which a command changes a few places.
const gitIndexChunk = 64 << 10

// chunked reports whether a file that would fit in one record is kept in chunks.
func (v *visit) chunked(n *node, size int64) bool { return n.name == "index" && size > gitIndexChunk }

// copyChunks keeps a large file: start is what was read of it already.
func (v *visit) copyChunks(f *disk.File, n *node, start []byte) (Left, error) {
	size := content.Chunk
	if n.name == "index" {
		size = gitIndexChunk
	}
	in := io.MultiReader(bytes.NewReader(start), f)
	var sums []content.Sum
	n.stat.Size = 0
	chunk := make([]byte, size)
	for {
		got, err := io.ReadFull(in, chunk)
		if got > 0 {
			sum, isNew, err := v.keep.put(chunk[:got])
			if err != nil {
				return "", err
			}
			if isNew {
				v.stored.Add(int64(got))
			}
			sums = append(sums, sum)
			if n.stat.Size += int64(got); n.stat.Size > v.options.MaxFile {
				return TooLarge, nil // it grows while it is read
			}
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		if err != nil {
			return Unreadable, nil
		}
	}
	sum, _, err := v.keep.putList(sums)
	n.sum = sum
	return "", err
}
