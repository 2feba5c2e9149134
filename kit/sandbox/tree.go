package sandbox

import (
	"context"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"rein/kit/places"
)

// Tree is what is known of the names in a directory and in all directories below it. It does not change: a walk makes another one,
// which shares what is as it was.
type Tree struct {
	// Entries are those of the directory that say something, by name: the directories, files of secrets, what programs and tools obey, and
	// what shows a repository.
	Entries []Entry
	State   folderState // when the names were read; zero: that does not tell it from a later state
	deep    bool
}

// Entry is a name in a directory.
type Entry struct {
	Name   string
	Type   fs.FileMode // only its type
	Secret bool        // it is a file of secrets: see places.Private and places.Secret
	Tree   *Tree       // of a directory that is gone into: all but the objects of a repository
}

// IsDir reports whether it is a directory.
func (e Entry) IsDir() bool { return e.Type.IsDir() }

// Deep reports whether the directory is deeper than walks go: nothing is known of it.
func (t *Tree) Deep() bool { return t.deep }

// folderMargin is how old the last change of a directory must be for which its times tell it from the next one.
const folderMargin = 2 * time.Second

// mostDepth is how many directories below each other are gone into; own tools open nothing deeper.
const mostDepth = 256

// child is what is known of a directory in it; nil: nothing.
func (t *Tree) child(name string) *Tree {
	if t == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(t.Entries, name, func(e Entry, name string) int { return strings.Compare(e.Name, name) })
	if !ok {
		return nil
	}
	return t.Entries[i].Tree
}

// size is how many directories there are.
func (t *Tree) size() int {
	n := 1
	for _, e := range t.Entries {
		if e.Tree != nil {
			n += e.Tree.size()
		}
	}
	return n
}

// treeWalk is one walk through a tree.
type treeWalk struct {
	ctx   context.Context
	top   string
	began time.Time
	spare chan struct{} // goroutines that may be started; nil: none
	reads atomic.Int64  // directories that were read
	local sync.Map      // devices: whether the times of their directories can be trusted
}

func newTreeWalk(ctx context.Context, top string, began time.Time, alone bool) *treeWalk {
	w := &treeWalk{ctx: ctx, top: top, began: began}
	if alone {
		return w
	}
	w.spare = make(chan struct{}, runtime.GOMAXPROCS(0)-1)
	for range cap(w.spare) {
		w.spare <- struct{}{}
	}
	return w
}

// visit brings what is known of a directory up to date. A directory whose times say that it has the names of the last walk is not read again.
// plain means that no name above says what its entries are.
func (w *treeWalk) visit(old *Tree, path string, depth int, plain bool) *Tree {
	if w.ctx.Err() != nil {
		return old
	}
	if depth > mostDepth {
		return &Tree{deep: true}
	}
	now := &Tree{Entries: old.Entries, State: w.stateOf(path)} // before its names: what changes after it shows in the next one
	if now.State == (folderState{}) || now.State != old.State {
		w.reads.Add(1)
		all, err := readNames(path)
		if err != nil {
			now.State = folderState{} // what could be read of it
		}
		now.Entries = w.entries(old, path, plain, all)
	}
	now.Entries = w.below(now.Entries, path, depth, plain)
	if now.State == old.State && slices.Equal(now.Entries, old.Entries) {
		return old
	}
	return now
}

// below visits the directories in a directory.
func (w *treeWalk) below(old []Entry, path string, depth int, plain bool) []Entry {
	now := slices.Clone(old)
	var others *sync.WaitGroup
	for i, e := range old {
		if e.Tree == nil {
			continue
		}
		visit := func() {
			now[i].Tree = w.visit(e.Tree, path+string(filepath.Separator)+e.Name, depth+1, plain && places.Plain(e.Name))
		}
		select {
		case <-w.spare:
			if others == nil {
				others = &sync.WaitGroup{}
			}
			others.Go(func() {
				visit()
				w.spare <- struct{}{}
			})
		default:
			visit()
		}
	}
	if others != nil {
		others.Wait()
	}
	return now
}

// entries are those of a directory that say something, with what was known of the directories among them.
func (w *treeWalk) entries(old *Tree, path string, plain bool, all []Entry) (now []Entry) {
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	head := slices.ContainsFunc(all, func(e Entry) bool { return e.Name == "HEAD" })
	for _, e := range all {
		switch {
		case e.IsDir() && !(head && e.Name == "objects"): // those of a repository are many and have names that say nothing
			if e.Tree = old.child(e.Name); e.Tree == nil {
				e.Tree = &Tree{}
			}
		case e.Type == 0:
			class := places.OfName(e.Name)
			if !plain {
				class = places.Classify(filepath.Join(path, e.Name), places.Context{Workspaces: []string{w.top}})
			}
			e.Secret = class == places.Private || class == places.Secret
		}
		if e.IsDir() || e.Secret || says(strings.ToLower(e.Name)) {
			now = append(now, e)
		}
	}
	return now
}

// says reports whether the view, or the search for repositories, asks for a name.
func says(base string) bool {
	switch base {
	case ".git", "head", "objects", "refs", "commondir":
		return true
	}
	return steeringNames()[base] || isCredentials(base)
}

// steeringNames are the first names of all that the view protects or reports.
var steeringNames = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, name := range slices.Concat(places.ProtectedNames(), places.SteeringNames()) {
		first, _, _ := strings.Cut(name, "/")
		all[first] = true
	}
	return all
})
