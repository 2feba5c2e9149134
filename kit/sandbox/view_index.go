package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"rein/kit/places"
)

// viewIndex knows the files of the places that programs may write, or that the user named, which need protection: files of
// secrets and repositories at any depth, and other protected names in the upper directories. It reads every directory
// once, in the first update; after that it reads those that changed. Where the system reports changes (Linux), an update
// costs nothing else; elsewhere, and for directories beyond the system's limit, it looks at each directory's time.
type viewIndex struct {
	mu    sync.Mutex
	tops  []string
	trees *Trees              // what is known of the names in them; nil: nothing
	names map[string][]string // protected names by their first part
	told  map[string][]string // those names, and others that programs obey, for the report
	repos map[string]bool     // directories of repositories; true: it named a common directory when it was first seen
	known map[string]*folder  // the directories, by path
	found map[string]entryKind
	watch watcher
	stale []string // directories that the system does not report
	began bool
	queue []queued // directories that are still to be read, the upper ones first
	ended bool
	done  sync.WaitGroup // what reads the rest in the background
}

// queued is a directory to read.
type queued struct {
	dir   string
	depth int
	tree  *Tree // what is known of its names; nil: nothing
}

// folder is a directory that was read.
type folder struct {
	watched bool            // changes are reported
	depth   int             // below the top; skippedDepth below other people's code
	info    os.FileInfo     // which directory it is, and its time, before it was read
	below   map[string]bool // names of the directories in it that were read
	found   []string        // paths in it that need protection
}

// entryKind is why a file needs protection.
type entryKind uint8

const (
	secretFile entryKind = 1 + iota
	secretDir
	steeringFile
	steeringDir
	bareHead // the file HEAD of a directory that git takes for a repository by what is in it
	deepFile // what steers too deep for a lock: its changes are reported
	deepDir
)

const (
	// scanDepth is how deep protected names count; files of secrets and repositories count at every depth.
	scanDepth = 3
	// skippedDepth is the depth of directories whose protected names do not count.
	skippedDepth = 1 << 20
	// walkTime is how long a program waits for directories to be read. The rest is read beside it, in slices.
	walkTime  = 5 * time.Second
	walkSlice = 20 * time.Millisecond
)

// watcher reports which directories changed.
type watcher interface {
	// add watches a directory; false: it is not reported.
	add(dir string) bool
	// watches reports whether a directory that was added still is the one that is watched.
	watches(dir string) bool
	// changed returns the directories in which something was made, removed or renamed since the last call; all: it is
	// not known which.
	changed() (dirs []string, all bool)
	// wait returns when something changed, or after a while.
	wait(most time.Duration)
	// forget ends watching a directory, "" all of them.
	forget(dir string)
	close()
}

// newIndex makes the index of some directories. Nothing is read yet.
func newIndex(tops []string, trees *Trees) *viewIndex {
	return &viewIndex{tops: tops, trees: trees, names: byFirstName(places.ProtectedNames()), told: byFirstName(places.SteeringNames()),
		repos: map[string]bool{}, known: map[string]*folder{}, found: map[string]entryKind{}, watch: noWatcher{}}
}

// of makes the directories of the first view that asks those of the index, and reports whether they are its directories.
func (x *viewIndex) of(dirs []string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.tops == nil {
		x.tops = dirs
	}
	return slices.Equal(x.tops, dirs)
}

// Close ends watching.
func (x *viewIndex) Close() {
	x.mu.Lock()
	x.ended = true
	x.watch.close()
	x.mu.Unlock()
	x.done.Wait()
}

// update brings the index up to date and returns what it found, sorted by path.
func (x *viewIndex) update() (paths []string, kinds []entryKind) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.refresh()
	paths = make([]string, 0, len(x.found))
	for path := range x.found {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		kinds = append(kinds, x.found[path])
	}
	return paths, kinds
}

func (x *viewIndex) refresh() {
	if x.ended {
		return
	}
	if !x.began {
		x.watch = newWatcher()
	}
	dirs, all := x.watch.changed()
	if !x.began || all {
		clear(x.known)
		clear(x.found)
		x.stale, x.queue, x.began = nil, nil, true
		x.watch.forget("")
		for _, top := range x.tops {
			x.queue = append(x.queue, queued{top, 0, x.trees.known(top, walkTime)})
		}
	}
	for _, dir := range dirs {
		x.again(dir)
	}
	x.stale = slices.DeleteFunc(x.stale, func(dir string) bool { return x.known[dir] == nil })
	for _, dir := range slices.Clone(x.stale) {
		if info, err := os.Lstat(dir); err != nil || x.known[dir] != nil && !info.ModTime().Equal(x.known[dir].info.ModTime()) {
			x.again(dir)
		}
	}
	if x.walk(walkTime); len(x.queue) > 0 && !x.ended {
		x.done.Go(x.finish)
	}
}

// walk reads queued directories for a while.
func (x *viewIndex) walk(most time.Duration) {
	for until := time.Now().Add(most); len(x.queue) > 0 && time.Now().Before(until) && !x.ended; {
		next := x.queue[0]
		x.queue = x.queue[1:]
		x.read(next)
	}
}

// finish reads what is still queued, in slices, so that programs that start meanwhile need not wait for it.
func (x *viewIndex) finish() {
	for {
		x.mu.Lock()
		x.walk(walkSlice)
		over := len(x.queue) == 0 || x.ended
		x.mu.Unlock()
		if over {
			return
		}
		time.Sleep(walkSlice / 4)
	}
}

// again reads a directory again, and what is new in it. Directories that are still there were not changed by that.
func (x *viewIndex) again(dir string) {
	f := x.known[dir]
	if f == nil {
		return // it is gone, or was read with the directory above
	}
	info, ok := x.same(dir)
	if !ok {
		x.drop(dir) // another one has its place, which is a change of the directory above, too
		return
	}
	f.info = info
	entries, _ := readNames(dir) // what could be read of it
	x.note(dir, f, entries)
	still := map[string]bool{}
	for _, e := range entries {
		if x.goesInto(e) && f.below[e.Name] {
			_, still[e.Name] = x.same(filepath.Join(dir, e.Name))
		}
	}
	for name := range f.below {
		if !still[name] {
			x.drop(filepath.Join(dir, name))
		}
	}
	x.goBelow(dir, f, entries, still, nil)
}

// same reports whether a path is the directory that was read there, and what it is now.
func (x *viewIndex) same(path string) (info os.FileInfo, ok bool) {
	info, err := os.Lstat(path)
	f := x.known[path]
	// A new directory may have the number of one that was removed; the watch went with that one.
	return info, err == nil && f != nil && os.SameFile(info, f.info) && (!f.watched || x.watch.watches(path))
}

// drop forgets a directory and what is below.
func (x *viewIndex) drop(dir string) {
	f := x.known[dir]
	if f == nil {
		return
	}
	for name := range f.below {
		x.drop(filepath.Join(dir, name))
	}
	for _, path := range f.found {
		delete(x.found, path)
	}
	delete(x.known, dir)
	x.watch.forget(dir)
}

// read reads a directory, unless that was done, and queues what is below. Of one that is as a walk found it, the names are known.
func (x *viewIndex) read(q queued) {
	if x.known[q.dir] != nil {
		return
	}
	watched := x.watch.add(q.dir) // before it is looked at: what changes after that is reported
	info, err := os.Lstat(q.dir)
	if err != nil {
		x.watch.forget(q.dir)
		return
	}
	f := &folder{depth: q.depth, watched: watched, info: info}
	if x.known[q.dir] = f; !f.watched {
		x.stale = append(x.stale, q.dir)
	}
	var entries []Entry
	if q.tree != nil && q.tree.is(info) {
		entries = q.tree.Entries
	} else {
		entries, _ = readNames(q.dir) // what could be read of it
	}
	x.note(q.dir, f, entries)
	x.goBelow(q.dir, f, entries, nil, q.tree)
}

// note notes the entries of a directory that need protection, in place of those of the last time.
func (x *viewIndex) note(dir string, f *folder, entries []Entry) {
	for _, path := range f.found {
		delete(x.found, path)
	}
	f.found = f.found[:0]
	for _, e := range entries {
		if kind := x.kind(f.depth, e); kind != 0 {
			path := filepath.Join(dir, e.Name)
			x.found[path] = kind
			f.found = append(f.found, path)
		}
	}
	if head := filepath.Join(dir, "HEAD"); filepath.Base(dir) != ".git" && isRepository(entries) {
		x.found[head] = bareHead
		f.found = append(f.found, head)
	}
}

// isRepository reports whether git takes a directory with these entries for a repository, whatever its name is.
func isRepository(entries []Entry) bool {
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(e Entry) bool { return e.Name == name })
	}
	return has("HEAD") && (has("objects") && has("refs") || has("commondir"))
}

// goBelow queues the directories in a directory, but for those that were read. t is what is known of it.
func (x *viewIndex) goBelow(dir string, f *folder, entries []Entry, still map[string]bool, t *Tree) {
	f.below = map[string]bool{}
	for _, e := range entries {
		if !x.goesInto(e) {
			continue
		}
		f.below[e.Name] = true
		if !still[e.Name] {
			x.queue = append(x.queue, queued{filepath.Join(dir, e.Name), deeper(f.depth, e.Name), t.child(e.Name)})
		}
	}
}

func (x *viewIndex) goesInto(e Entry) bool { return e.IsDir() && e.Name != ".git" }

// deeper is the depth of a directory in another.
func deeper(depth int, name string) int {
	if skipped(name) {
		return skippedDepth
	}
	return depth + 1
}

// kind is why an entry of a directory needs protection; 0: it needs none.
func (x *viewIndex) kind(depth int, e Entry) entryKind {
	base := strings.ToLower(e.Name)
	kind := entryKind(0)
	switch {
	case e.Type&os.ModeSymlink != 0:
		return 0 // what it points to is judged where it lies
	case isCredentials(base):
		kind = secretFile
	case base == ".git", depth < scanDepth && (x.names[base] != nil || x.told[base] != nil):
		kind = steeringFile
	case depth < skippedDepth && x.told[base] != nil:
		kind = deepFile
	default:
		return 0
	}
	if e.IsDir() {
		kind++
	}
	return kind
}

// noWatcher watches nothing: the times of directories are looked at.
type noWatcher struct{}

func (noWatcher) add(string) bool           { return false }
func (noWatcher) watches(string) bool       { return false }
func (noWatcher) changed() ([]string, bool) { return nil, false }
func (noWatcher) wait(most time.Duration)   { time.Sleep(most) }
func (noWatcher) forget(string)             {}
func (noWatcher) close()                    {}
