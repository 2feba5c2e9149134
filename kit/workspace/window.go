package workspace

import (
	"context"
	"io/fs"
	"sync"
)

// Lines reads a window of lines from the file and holds no more of the file than the window. It remembers where the
// lines of a large file start, for the next window.
func (f *File) Lines(ctx context.Context, a LineRange) (LineWindow, error) {
	w, err := ReadLines(ctx, f, f.Info.Size(), f.w.index.of(f.Info), a)
	if err != nil && ctx.Err() == nil {
		err = f.tree.wrap(f.given, err)
	}
	return w, err
}

// The bounds of what is remembered of large files.
const (
	indexedSize  = 1 << 20 // bytes; smaller files are counted again
	indexedFiles = 8
)

// indexes are the line counts of the large files that were used last.
type indexes struct {
	mu    sync.Mutex
	files []indexed // the last used first
}

type indexed struct {
	info  fs.FileInfo
	index *LineIndex
}

func (x *indexes) of(info fs.FileInfo) *LineIndex {
	if info.Size() < indexedSize {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	found := indexed{info, &LineIndex{}}
	kept := []indexed{found}
	for _, f := range x.files {
		switch {
		case sameFile(f.info, info):
			kept[0] = f
		case len(kept) < indexedFiles:
			kept = append(kept, f)
		}
	}
	x.files = kept
	return kept[0].index
}
