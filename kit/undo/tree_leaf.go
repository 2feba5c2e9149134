package undo

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
)

// leaf looks at what is no directory.
func (v *visit) leaf(name string, old *treeNode, st fileStat) *treeNode {
	known := old != nil && old.Stat.Unchanged(st) && old.Settled && !v.Full
	switch {
	case st.Mode&fs.ModeSymlink != 0:
		if known {
			return old
		}
		return v.link(name, old, st)
	case !st.Mode.IsRegular():
		return v.without(name, old, st, leftSpecial)
	}
	if known && old.Left == "" && !v.holds(st) {
		return old
	}
	if left := v.leftFile(name, old, st); left != "" {
		return v.without(name, old, st, left)
	}
	n := v.read(name, old, st)
	if n != nil && old != nil && n.Stat == old.Stat && n.Settled == old.Settled && n.Left == old.Left && n.Same(old) {
		return old
	}
	return n
}

// holds reports whether a program that we started can change the file without changing its stat.
func (v *visit) holds(st fileStat) bool { return v.Held != nil && v.Held(st.Inode) }

// leftFile says why a file's content is not kept; "" if it is.
func (v *visit) leftFile(name string, old *treeNode, st fileStat) leftReason {
	_, named := v.only[name]
	switch {
	case st.Size > v.Limits.MaxFile:
		return leftTooLarge
	case v.Limits.Ignored || v.scope == nil || named || st.Size <= v.Limits.MaxIgnored:
		return ""
	case old != nil && old.Stat.Mode.IsRegular() && old.Left == "":
		return "" // what was covered stays covered, whatever the rules say now
	case old != nil && old.Left == leftIgnored && !v.again:
		return leftIgnored
	case v.scope.Ignores(joinPath(v.path, name), false):
		return leftIgnored
	}
	return ""
}

func (v *visit) link(name string, old *treeNode, st fileStat) *treeNode {
	target, err := v.dir.Readlink(name)
	if err != nil {
		return v.unreadable(name, old, st)
	}
	n := &treeNode{Name: name, Stat: st, Target: target, Settled: v.settled(st)}
	if old != nil && old.Stat == n.Stat && old.Target == target && old.Settled == n.Settled {
		return old
	}
	return n
}

// maxTries is how often a file that changes while it is read is read again.
const maxTries = 3

// read reads a file, keeps its content and returns its node.
func (v *visit) read(name string, old *treeNode, st fileStat) *treeNode {
	f, err := v.dir.Open(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return v.without(name, old, st, leftUnreadable)
	}
	defer f.Close()
	for try := 1; ; try++ {
		before, err := f.Stat()
		if err != nil || !before.Mode.IsRegular() {
			return v.without(name, old, st, leftUnreadable)
		}
		if v.holds(before) {
			f.Sync() // so that the next store through a mapping changes the stamps
			if before, err = f.Stat(); err != nil {
				return v.without(name, old, st, leftUnreadable)
			}
		}
		n := &treeNode{Name: name, Stat: before, Attrs: f.Attrs()}
		if n.Left, err = v.copy(f, n, old); err != nil {
			v.fail(err)
			return nil
		}
		after, err := f.Stat()
		if err != nil {
			return v.without(name, old, st, leftUnreadable)
		}
		if unchanged := before.Unchanged(after); unchanged || try == maxTries {
			n.Settled = unchanged && n.Left == "" && v.settled(before) && !v.holds(before)
			return n
		}
		if err := f.Rewind(); err != nil {
			return v.without(name, old, st, leftUnreadable)
		}
	}
}

// copy reads the file to its end and keeps its content.
func (v *visit) copy(f *diskFile, n *treeNode, old *treeNode) (leftReason, error) {
	size := n.Stat.Size
	if size > v.Limits.MaxFile {
		return leftTooLarge, nil
	}
	if v.stored.Load()+size > v.Room && (old == nil || old.Left != "" || old.Stat.Size != size) {
		return leftOverQuota, nil
	}
	buf := make([]byte, min(size+1, maxWholeContent+1))
	got, err := io.ReadFull(f, buf)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		if v.chunked(n, int64(got)) {
			return v.copyChunks(f, n, buf[:got])
		}
		n.Stat.Size = int64(got)
		return v.put(n, buf[:got])
	}
	if err != nil {
		return leftUnreadable, nil
	}
	return v.copyChunks(f, n, buf)
}

func (v *visit) put(n *treeNode, data []byte) (leftReason, error) {
	sum, isNew, err := v.Content.Put(data)
	n.Sum = sum
	if isNew {
		v.stored.Add(int64(len(data)))
	}
	return "", err
}

// gitIndexChunk is the size in bytes of the chunks of git's index, of which a command changes a few places.
const gitIndexChunk = 64 << 10

// chunked reports whether a file that would fit in one record is kept in chunks.
func (v *visit) chunked(n *treeNode, size int64) bool {
	return n.Name == "index" && size > gitIndexChunk
}

// copyChunks keeps a large file: start is what was read of it already.
func (v *visit) copyChunks(f *diskFile, n *treeNode, start []byte) (leftReason, error) {
	size := contentChunkSize
	if n.Name == "index" {
		size = gitIndexChunk
	}
	in := io.MultiReader(bytes.NewReader(start), f)
	var sums []contentSum
	n.Stat.Size = 0
	chunk := make([]byte, size)
	for {
		got, err := io.ReadFull(in, chunk)
		if got > 0 {
			sum, isNew, err := v.Content.Put(chunk[:got])
			if err != nil {
				return "", err
			}
			if isNew {
				v.stored.Add(int64(got))
			}
			sums = append(sums, sum)
			if n.Stat.Size += int64(got); n.Stat.Size > v.Limits.MaxFile {
				return leftTooLarge, nil // it grows while it is read
			}
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		if err != nil {
			return leftUnreadable, nil
		}
	}
	sum, _, err := v.Content.PutList(sums)
	n.Sum = sum
	return "", err
}

// object keeps one of git's objects.
func (v *visit) object(name string, old *treeNode, st fileStat) *treeNode {
	if old.Object() && old.Stat.Size == st.Size {
		return old
	}
	if !v.Objects.Keep(v.dir, name, v.Root+"/"+joinPath(v.path, name), st.Size) {
		return v.without(name, old, st, leftGitObject)
	}
	return v.without(name, old, st, keptByGit)
}
