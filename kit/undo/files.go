package undo

// files says which inodes are one file: an undo that makes a file again gives it another inode than the one that older records
// have, and its other names are to be links to it all the same. An inode that is missing is its own.
type files map[fileID]fileID

// filesOf reads from the log which inodes took the place of which.
func filesOf(records []*record) files {
	all, planned := files{}, map[uint64]*record{}
	for _, r := range records {
		if r.Kind == undoing {
			planned[r.N] = r
		}
		if r.Kind != undone || len(r.Of) == 0 || planned[r.Of[0]] == nil {
			continue
		}
		made := map[string]*treeNode{}
		for _, c := range r.changes {
			made[c.Path] = c.After
		}
		for _, c := range planned[r.Of[0]].changes {
			if n := made[c.Path]; n != nil && c.After != nil && !n.Stat.Mode.IsDir() && !nodeChanged(n, c.After) {
				all.join(c.After.Stat.ID(), n.Stat.ID())
			}
		}
	}
	return all
}

// of returns the inode that stands for a file.
func (f files) of(id fileID) fileID {
	for {
		next, more := f[id]
		if !more {
			return id
		}
		id = next
	}
}

// relinked is as the function, by what is one file.
func (f files) relinked(old, now *treeNode) bool {
	return relinked(old, now) && f.of(old.Stat.ID()) != f.of(now.Stat.ID())
}

// join takes note that two inodes are one file.
func (f files) join(a, b fileID) {
	if a, b = f.of(a), f.of(b); a != b {
		f[a] = b
	}
}
