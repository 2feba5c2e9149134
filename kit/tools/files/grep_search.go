package files

import (
	"context"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"rein/kit/workspace"
)

// searching searches many files on all cores, and passes the matches on in the order of the files. It works in batches, so
// that a full result ends the search early and is always the same.
type searching struct {
	pattern *searchPattern
	listing *workspace.Listing
	files   []workspace.Entry
	want    searchLimits
	named   bool // the file was named itself: what it is was judged

	binary int
	large  int      // files that were too large to be read at once
	hidden []string // files of secrets: they are not opened
}

// The sizes of batches and buffers.
const (
	firstBatch  = 128
	laterBatch  = 1024
	startBuffer = 128 << 10 // a larger file is read with streamBuffer
	largeBuffer = 1 << 20
)

// run searches until handle returns false, all files are searched, or ctx ends.
func (s *searching) run(ctx context.Context, handle func(workspace.Entry, fileMatches) bool) error {
	workers := min(runtime.GOMAXPROCS(0), 8)
	buffers := make([][]byte, workers)
	size := firstBatch
	for rest := s.files; len(rest) > 0; {
		batch := rest[:min(size, len(rest))]
		rest, size = rest[len(batch):], laterBatch
		found := make([]fileMatches, len(batch))
		var next atomic.Int64
		var group sync.WaitGroup
		for k := range min(workers, len(batch)) {
			group.Go(func() {
				for i := next.Add(1) - 1; i < int64(len(batch)) && ctx.Err() == nil; i = next.Add(1) - 1 {
					found[i] = s.file(batch[i], &buffers[k])
				}
			})
		}
		group.Wait()
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, e := range batch {
			if !s.take(e, found[i], handle) {
				return nil
			}
		}
	}
	return nil
}

// take passes the matches of one file on.
func (s *searching) take(e workspace.Entry, found fileMatches, handle func(workspace.Entry, fileMatches) bool) bool {
	switch {
	case found.Binary:
		s.binary++
		return true
	case found.Large:
		s.large++
		return true
	case found.Count == 0:
		return true
	}
	return handle(e, found)
}

// file searches one file. A file that cannot be read has no matches.
func (s *searching) file(e workspace.Entry, buf *[]byte) fileMatches {
	if *buf == nil {
		*buf = make([]byte, startBuffer)
	}
	n, whole, err := s.listing.Read(e, *buf)
	if err != nil {
		return fileMatches{}
	}
	head := (*buf)[:n]
	if whole {
		return s.text(head)
	}
	other := foreign(head)
	if !other && workspace.IsBinary(head) {
		return fileMatches{Binary: true}
	}
	if len(*buf) < largeBuffer {
		*buf = make([]byte, largeBuffer)
	}
	f, err := s.listing.Open(e)
	if err != nil {
		return fileMatches{}
	}
	defer f.Close()
	if other || s.pattern.across {
		return s.all(f)
	}
	found, err := s.pattern.Stream(f, *buf, s.want)
	if err != nil {
		return fileMatches{}
	}
	return found
}

// text searches the whole content of a file.
func (s *searching) text(data []byte) fileMatches {
	text, _, other := decoded(data)
	switch {
	case !other && workspace.IsBinary(data):
		return fileMatches{Binary: true}
	case !other:
		text = data
	}
	if s.pattern.across {
		return s.pattern.Across(text, s.want)
	}
	return s.pattern.Text(text, s.want)
}

// all searches a large file that must be read at once: one that is not UTF-8, or over lines.
func (s *searching) all(f *os.File) fileMatches {
	data, err := io.ReadAll(io.LimitReader(f, readDecoded+1))
	if err != nil || len(data) > readDecoded {
		return fileMatches{Large: err == nil}
	}
	return s.text(data)
}
