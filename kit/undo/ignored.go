package undo

import (
	"encoding/binary"
	"hash"
	"hash/fnv"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Within is why what is in a directory that an ignore file leaves out cannot be restored.
const Within Left = "an ignore file leaves out what is in it"

// mostIgnored is how many entries of all directories that are left out are looked at before and after a call: enough for the
// results of a build, and no walk of node_modules.
const mostIgnored = 200

// ignored has the directories that ignore files leave out, by their canonical names, with a sum of the times and sizes of what is in
// them. Of a large one these are the entries that are least deep: what is changed below them is not seen.
type ignored map[string]ignoredDir

type ignoredDir struct {
	path string // absolute
	most int    // entries that are looked at
	sum  uint64
}

// ignoredOf looks at the directories that are left out.
func ignoredOf(s *Store) ignored {
	all := ignored{}
	for _, r := range s.roots {
		if !r.open || r.tree == nil {
			continue
		}
		if r.ignoredIn != r.tree {
			r.ignoredIn, r.ignored = r.tree, nil
			r.tree.ignoredBelow("", &r.ignored)
		}
		for _, path := range r.ignored {
			all[s.canonical(r, path)] = ignoredDir{path: filepath.Join(r.dir, filepath.FromSlash(path))}
		}
	}
	for name, d := range all {
		d.most = max(1, mostIgnored/len(all))
		d.sum = d.look()
		all[name] = d
	}
	return all
}

// ignoredBelow adds the directories below a node that an ignore file leaves out, up to the number that are looked at.
func (n *treeNode) ignoredBelow(path string, all *[]string) {
	for _, k := range n.Kids {
		switch {
		case len(*all) >= mostIgnored || !k.Stat.Mode.IsDir() || k.Object():
		case k.Left == leftIgnored:
			*all = append(*all, joinPath(path, k.Name))
		default:
			k.ignoredBelow(joinPath(path, k.Name), all)
		}
	}
}

// changed returns the directories in which something is different now, and takes note of it.
func (all ignored) changed() (lost []Uncovered) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		d := all[name]
		if now := d.look(); now != d.sum {
			d.sum = now
			all[name] = d
			lost = append(lost, Uncovered{Path: name, Why: Within, What: Modified})
		}
	}
	return lost
}

// look sums up the directory, level by level. One that is gone is a change of its own, which the walk finds.
func (d ignoredDir) look() uint64 {
	sum, left := fnv.New64a(), d.most
	for queue := []string{d.path}; len(queue) > 0 && left > 0; queue = queue[1:] {
		info, err := os.Lstat(queue[0])
		left--
		if err != nil {
			if queue[0] == d.path {
				return d.sum
			}
			continue
		}
		stamp(sum, info)
		if !info.IsDir() || left <= len(queue)-1 {
			continue
		}
		dir, err := os.Open(queue[0] + "/.") // not a pipe that took its place
		if err != nil {
			continue
		}
		names, _ := dir.Readdirnames(left - len(queue) + 1) // as many as there are
		dir.Close()
		for _, name := range names {
			queue = append(queue, filepath.Join(queue[0], name))
		}
	}
	return sum.Sum64()
}

func stamp(sum hash.Hash64, info fs.FileInfo) {
	var b [24]byte
	binary.LittleEndian.PutUint64(b[0:], uint64(info.Mode()))
	binary.LittleEndian.PutUint64(b[8:], uint64(info.ModTime().UnixNano()))
	binary.LittleEndian.PutUint64(b[16:], uint64(sizeOf(info)))
	sum.Write(b[:])
}
