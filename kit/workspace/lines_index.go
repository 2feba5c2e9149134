package workspace

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
)

// block is the part of a file whose line breaks are counted together. It fits into the cache of a core.
const block = 128 << 10

// wave is how many blocks are counted before the next check whether the line was reached.
const wave = 128

// LineIndex remembers how many line breaks the blocks of one version of a file have, so that a second window of it
// starts at once. It takes 4 bytes for each 128 KiB. The zero value is empty. Several goroutines may use it at once.
type LineIndex struct {
	mu     sync.Mutex
	counts []int32 // of the first blocks
}

// seek returns the offset where a line starts and its number, which is smaller than wanted when the file ends before
// it. Lines count from 1.
func (x *LineIndex) seek(ctx context.Context, r io.ReaderAt, size int64, wanted int64) (offset, line int64, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	breaks := int64(0)
	for i := int64(0); i*block < size; i++ {
		if i >= int64(len(x.counts)) {
			if err := x.extend(ctx, r, size, ahead(i, breaks, wanted-1)); err != nil {
				return 0, 0, err
			}
		}
		here := int64(x.counts[i])
		if breaks+here >= wanted-1 {
			offset, err = nth(r, i*block, size, wanted-1-breaks)
			return offset, wanted, err
		}
		breaks += here
	}
	return size, breaks + 1, nil
}

// ahead estimates how many blocks to count next, from the lines of the blocks so far, with a few more for the error. At the
// start it is a small number: most windows start there.
func ahead(blocks, breaks, wanted int64) int64 {
	const few = 4
	if blocks == 0 {
		return few
	}
	each := max(breaks/blocks, 1)
	return min(wave, (wanted-breaks)/each+few)
}

// total returns the number of line breaks in the file.
func (x *LineIndex) total(ctx context.Context, r io.ReaderAt, size int64) (int64, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for int64(len(x.counts))*block < size {
		if err := x.extend(ctx, r, size, wave); err != nil {
			return 0, err
		}
	}
	sum := int64(0)
	for _, n := range x.counts {
		sum += int64(n)
	}
	return sum, nil
}

// known reports whether all of a file of that size is counted.
func (x *LineIndex) known(size int64) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return int64(len(x.counts))*block >= size
}

// extend counts n more blocks on all cores.
func (x *LineIndex) extend(ctx context.Context, r io.ReaderAt, size, n int64) error {
	first := int64(len(x.counts))
	end := min(first+n, (size+block-1)/block)
	counts := make([]int32, end-first)
	var next atomic.Int64
	workers := int(min(int64(min(runtime.GOMAXPROCS(0), 4)), (end-first+3)/4))
	errs := make([]error, workers)
	var group sync.WaitGroup
	work := func(k int) {
		buf := make([]byte, min(block, size-first*block+1)) // a small file needs a small one
		for i := next.Add(1) - 1; i < end-first && errs[k] == nil; i = next.Add(1) - 1 {
			if errs[k] = ctx.Err(); errs[k] == nil {
				counts[i], errs[k] = countBlock(r, (first+i)*block, buf)
			}
		}
	}
	for k := 1; k < workers; k++ {
		group.Go(func() { work(k) })
	}
	if workers > 0 {
		work(0) // most files need no other goroutine
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	x.counts = append(x.counts, counts...)
	return nil
}

var lineBreak = []byte{'\n'}

func countBlock(r io.ReaderAt, at int64, buf []byte) (int32, error) {
	n, err := r.ReadAt(buf, at)
	if err == io.EOF {
		err = nil
	}
	return int32(bytes.Count(buf[:n], lineBreak)), err
}

// nth returns the offset behind the n-th line break after a position; n 0 is the position itself.
func nth(r io.ReaderAt, at, size int64, n int64) (int64, error) {
	if n == 0 {
		return at, nil
	}
	buf := make([]byte, 32<<10)
	for at < size {
		got, err := r.ReadAt(buf, at)
		if err != nil && err != io.EOF {
			return 0, err
		}
		p := buf[:got]
		if have := int64(bytes.Count(p, lineBreak)); have < n && got > 0 {
			n -= have
			at += int64(got)
			continue
		}
		for i := 0; i < len(p); {
			j := bytes.IndexByte(p[i:], '\n')
			if j < 0 {
				break
			}
			i += j + 1
			if n--; n == 0 {
				return at + int64(i), nil
			}
		}
		return size, nil // the file became shorter meanwhile
	}
	return size, nil
}
