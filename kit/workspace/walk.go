package workspace

import (
	"context"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// DefaultMaxEntries is how many files and directories a walk lists at most, unless its WalkOptions say otherwise.
const DefaultMaxEntries = 500_000

// WalkOptions say what a walk leaves out. The zero value follows the ignore files and has no limit of depth.
type WalkOptions struct {
	NoIgnore   bool // list what ignore files exclude too, and .git and similar directories without their contents
	Depth      int  // levels below the start; 1 is its entries alone, 0 means all
	MaxEntries int  // 0 means DefaultMaxEntries
}

// Entry is one file, directory or link that a walk found.
type Entry struct {
	Path string      // below the start of the walk, with forward slashes
	Type fs.FileMode // type bits only; 0 is a regular file
}

// Listing is what a walk found, sorted by path, each directory before what is in it.
type Listing struct {
	Dir     string // canonical name of the start; of its parent when the start is a file
	Entries []Entry
	More    bool // MaxEntries was reached: an unspecified part is missing
	Unread  int  // directories that could not be read

	tree  *tree
	top   string // path of Dir below the tree, "" for the tree itself
	links bool   // private files with more hard links may be read
}

// Walk lists what is below a directory, or the one file that is named. Links are listed, never followed. Rules come
// from .gitignore, .ignore and .reinignore of every directory from the top of the workspace down, and from
// .git/info/exclude; .git, .hg, .svn and .jj are left out.
func (w *Workspace) Walk(ctx context.Context, dir string, o WalkOptions) (*Listing, error) {
	s, err := w.locate(dir, refuse)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if s.info == nil {
		return nil, s.absent()
	}
	l := &Listing{Dir: s.name, tree: s.tree, top: strings.TrimPrefix(s.inTree(), "."), links: w.HardLinks}
	if !s.info.IsDir() {
		l.Dir, l.top = path.Dir(l.Dir), strings.TrimPrefix(path.Dir(l.top), ".")
		l.Entries = []Entry{{Path: path.Base(s.name), Type: s.info.Mode().Type()}}
		return l, nil
	}
	if o.MaxEntries <= 0 {
		o.MaxEntries = DefaultMaxEntries
	}
	k := &ranger{ctx: ctx, tree: s.tree, options: o}
	k.wake.L = &k.mu
	start := &folder{path: l.top}
	if !o.NoIgnore {
		start.rules = k.rulesAbove(l.top)
	}
	k.run(start)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if start.err != nil {
		return nil, s.wrap(start.err)
	}
	if len(start.found) == 0 && s.tree.gone() {
		return nil, s.wrap(fs.ErrNotExist) // a deleted directory lists as an empty one
	}
	l.Entries = start.flatten(make([]Entry, 0, k.count.Load()), len(l.top))
	l.More, l.Unread = k.count.Load() >= int64(o.MaxEntries), int(k.unread.Load())
	return l, nil
}

// folder is one directory of a walk, filled by one worker.
type folder struct {
	path  string // below the tree, "" for its top
	depth int
	rules *chain
	found []Entry // sorted; paths below the tree
	subs  []*folder
	err   error
}

// flatten appends what was found in a folder and those below it. The paths lose the start's own.
func (d *folder) flatten(out []Entry, cut int) []Entry {
	if cut > 0 && d.depth == 0 {
		cut++
	}
	sub := 0
	for _, e := range d.found {
		out = append(out, Entry{Path: e.Path[cut:], Type: e.Type})
		if sub < len(d.subs) && d.subs[sub].path == e.Path {
			out = d.subs[sub].flatten(out, cut)
			sub++
		}
	}
	return out
}

// ranger walks with several workers; each takes a directory at a time.
type ranger struct {
	ctx     context.Context
	tree    *tree
	options WalkOptions
	count   atomic.Int64
	unread  atomic.Int64

	mu      sync.Mutex
	wake    sync.Cond
	todo    []*folder
	pending int // folders that are not done yet
}

func (k *ranger) run(start *folder) {
	k.todo, k.pending = []*folder{start}, 1
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 8) {
		group.Go(k.work)
	}
	group.Wait()
}

func (k *ranger) work() {
	reader := newDirReader(k.tree)
	k.mu.Lock()
	defer k.mu.Unlock()
	for {
		for len(k.todo) == 0 && k.pending > 0 {
			k.wake.Wait()
		}
		if k.pending == 0 {
			return
		}
		d := k.todo[len(k.todo)-1]
		k.todo = k.todo[:len(k.todo)-1]
		k.mu.Unlock()
		k.visit(reader, d)
		k.mu.Lock()
		k.todo = append(k.todo, d.subs...)
		k.pending += len(d.subs) - 1
		if k.pending == 0 || len(k.todo) > 1 {
			k.wake.Broadcast()
		}
	}
}

// visit reads one directory.
func (k *ranger) visit(reader *dirReader, d *folder) {
	if k.ctx.Err() != nil || k.count.Load() >= int64(k.options.MaxEntries) {
		return
	}
	if strings.Count(d.path, "/") >= maxDepth { // no name that deep can be opened
		k.unread.Add(1)
		return
	}
	names, err := reader.read(d.path)
	if err != nil {
		d.err = err
		k.unread.Add(1)
		return
	}
	if !k.options.NoIgnore {
		d.rules = k.rulesOf(d, names)
	}
	slices.SortFunc(names, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	d.found = names[:0]
	for _, e := range names {
		own := private(e)
		if own && (!k.options.NoIgnore || strings.HasPrefix(e.Path, tempPrefix)) {
			continue
		}
		if d.path != "" {
			e.Path = d.path + "/" + e.Path
		}
		if d.rules.ignores(e.Path, e.Type.IsDir()) {
			continue
		}
		d.found = append(d.found, e)
		if e.Type.IsDir() && !own && (k.options.Depth == 0 || d.depth+1 < k.options.Depth) {
			d.subs = append(d.subs, &folder{path: e.Path, depth: d.depth + 1, rules: d.rules})
		}
	}
	k.count.Add(int64(len(d.found)))
}

// private reports an entry of version control, or a file that is being written.
func private(e Entry) bool {
	if e.Path[0] != '.' {
		return false
	}
	switch e.Path {
	case ".git", ".hg", ".svn", ".jj":
		return true
	}
	return strings.HasPrefix(e.Path, tempPrefix)
}
