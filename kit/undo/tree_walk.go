package undo

// The files tree_… keep what is known of a directory and all below it, as a tree of nodes that do not change. A walk
// compares it with the disk and returns a new tree; diffTrees gives what differs between two.

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// dirMode is the mode of a directory that a record implies.
const dirMode = fs.ModeDir | 0o755

// tempPrefix starts the names of files that are being written, ours and those of package workspace.
const tempPrefix = ".rein-tmp-"

// maxDepth is how many directories deep a walk goes. What is below is left out.
const maxDepth = 256

// walkLimits say what a walk keeps.
type walkLimits struct {
	MaxFile    int64 // bytes; larger files are left out
	MaxIgnored int64 // bytes up to which a single file is kept that an ignore file leaves out
	Ignored    bool  // keep all that ignore files leave out, directories too
	MaxEntries int   // files and directories; 0 is any number
	Made       bool  // keep the directories that a filter names and that were not there in the last walk: what is looked at made them
}

// errTooMany is the error of a directory that has more entries than Limits.MaxEntries.
var errTooMany = errors.New("the workspace has too many files")

// treeWalk compares a directory with what is known of it. Where the stat of an entry is unchanged and settled, the node is
// taken over; else the content is read and kept. It is used once.
type treeWalk struct {
	Root    string // absolute path of the directory
	Limits  walkLimits
	Content *contentStore
	Objects *gitStore
	Skip    map[string]bool // absolute paths that are left out
	Began   time.Time
	Full    bool // read everything again, whatever the stats say
	Outside bool // others than our calls may have made the changes
	// Held reports whether a program that we started can change a file without changing its stat. Nil: none can.
	Held  func(inode uint64) bool
	Room  int64     // bytes that the store may still take
	Watch *dirWatch // gets the directories; nil: none
	// Heard has the directories in which something may have happened since the last walk. The others are taken over, as far as
	// they are watched. Nil: any directory may have changed.
	Heard map[fileID]bool

	ctx     context.Context
	way     *way          // what it gives way to; nil: nothing
	now     int64         // when the walk began
	margin  int64         // an entry that is younger is not settled
	spare   chan struct{} // goroutines that may still be started
	unsure  []fileID
	stir    map[*treeNode]bool // with Heard: the directories to look at, and those above them; true: to look at
	entries atomic.Int64
	stored  atomic.Int64
	young   atomic.Int64 // files between the margins
	mu      sync.Mutex
	err     error
	broken  atomic.Bool // err is set
}

// Unsure returns the directories that have something which may change without being heard.
func (w *treeWalk) Unsure() []fileID { return w.unsure }

// Stored returns the bytes of the contents that were not kept before.
func (w *treeWalk) Stored() int64 { return w.stored.Load() }

// treeFilter names the entries that a walk looks at; nil is all, and all below.
type treeFilter map[string]treeFilter

// Add adds a path.
func (f treeFilter) Add(path string) {
	for {
		name, rest, more := strings.Cut(path, "/")
		sub, known := f[name]
		if known && sub == nil {
			return
		}
		if !more {
			f[name] = nil
			return
		}
		if sub == nil {
			sub = treeFilter{}
			f[name] = sub
		}
		f, path = sub, rest
	}
}

// fail remembers the first error that ends the walk.
func (w *treeWalk) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
		w.broken.Store(true)
	}
}

// Run compares the directory with the old tree, or only the entries that a filter names, and returns the new tree.
func (w *treeWalk) Run(ctx context.Context, old *treeNode, only treeFilter) (*treeNode, error) {
	w.ctx, w.now, w.margin = ctx, w.Began.UnixNano(), int64(ownMargin)
	if isSlowFileSystem(w.Root) {
		w.margin = int64(slowMargin)
	}
	w.spare = make(chan struct{}, 8)
	for range min(runtime.GOMAXPROCS(0), 8) - 1 {
		w.spare <- struct{}{}
	}
	top, err := openDirPath(w.Root)
	if err != nil {
		return nil, err
	}
	defer top.Close()
	st, err := top.Self()
	if err != nil {
		return nil, err
	}
	if old == nil {
		only = nil
	}
	if w.Heard != nil {
		w.stir = map[*treeNode]bool{}
		w.listen(old)
	}
	v := &visit{treeWalk: w, dir: top, old: old, stat: st, only: only}
	v.scope = newScope(scopeAbove(w.Root), top, "")
	now := v.run()
	if w.err != nil {
		return nil, w.err
	}
	return now, nil
}

// settled reports whether a stat is old enough to know that a later change makes it differ. What programs that are not
// ours changed must be older, but only a few files are: a whole tree that was just copied or checked out is no database.
func (w *treeWalk) settled(st fileStat) bool {
	changed := st.Ctime
	if changed == 0 {
		changed = st.Mtime
	}
	age := w.now - changed
	if age < w.margin || !w.Outside {
		return age >= w.margin
	}
	return age >= int64(outsideMargin) || !st.Mode.IsRegular() || w.young.Add(1) > maxYoung
}

// maxYoung is how many files of a walk are read again because they changed less than outsideMargin ago.
const maxYoung = 256

// The margins: how old a stat must be to be trusted.
const (
	ownMargin     = 2 * time.Second  // what our calls changed
	slowMargin    = 5 * time.Second  // file systems with coarse stamps, and those of a network
	outsideMargin = 35 * time.Second // what programs that are not ours changed: they may write through a mapping until the kernel writes back
)
