package workspace

import (
	"bytes"
	"context"
	"io"
)

// LineRange selects lines, and limits how much of them is kept.
type LineRange struct {
	First int64 // number of the first line, from 1; negative counts from the end, -1 is the last line
	Count int   // most lines
	Bytes int   // most bytes of all lines together; the first line is always there
	Line  int   // most bytes of one line; the rest of it is skipped and counted
}

// Line is one line without its ending.
type Line struct {
	Text []byte
	Cut  int64 // bytes left out at its end
	End  int64 // offset behind it and its line break
}

// LineWindow is some lines of a file.
type LineWindow struct {
	First int64  // number of the first line
	Lines []Line // none when the file ends before First
	From  int64  // offset of the first line
	To    int64  // offset behind the last one
	Total int64  // lines of the file; -1 when they were not counted
	CRLF  bool   // every line break of the window is CR LF, and there is one at least
	Open  bool   // the last line is the file's last and has no line break
}

// countAll is the size up to which a file's lines are counted for the sake of Total alone.
const countAll = 8 << 20

// ReadLines cuts a window out of a file of a given size. The index speeds up the next window; it may be nil.
func ReadLines(ctx context.Context, r io.ReaderAt, size int64, x *LineIndex, a LineRange) (LineWindow, error) {
	if x == nil {
		x = &LineIndex{}
	}
	w := LineWindow{First: max(a.First, 1), Total: -1}
	if a.First < 0 || size <= countAll || x.known(size) {
		total, err := x.lines(ctx, r, size)
		if err != nil {
			return w, err
		}
		w.Total = total
		if a.First < 0 {
			w.First = max(total+a.First+1, 1)
		}
	}
	at, line, err := x.seek(ctx, r, size, w.First)
	if err != nil || line < w.First || at >= size {
		w.From, w.To = at, at
		if w.Total < 0 && err == nil {
			w.Total, err = x.lines(ctx, r, size)
		}
		return w, err
	}
	w.From = at
	c := &cutter{ask: a, w: &w, at: at, size: size}
	return w, c.run(ctx, r)
}

// lines returns the number of lines; the last one may have no line break.
func (x *LineIndex) lines(ctx context.Context, r io.ReaderAt, size int64) (int64, error) {
	n, err := x.total(ctx, r, size)
	if err != nil || size == 0 {
		return n, err
	}
	var last [1]byte
	if _, err := r.ReadAt(last[:], size-1); err != nil && err != io.EOF {
		return n, err
	}
	if last[0] != '\n' {
		n++
	}
	return n, nil
}

// cutter reads lines of a file from a position on.
type cutter struct {
	ask   LineRange
	w     *LineWindow
	at    int64 // of the next byte to read
	size  int64
	line  []byte // the part of the current line that is held
	cut   int64  // length of the part that is not
	last  byte   // last byte of the current line
	held  int    // bytes of finished lines
	crlf  int    // lines that end in CR LF
	plain int    // lines that end in LF alone
}

func (c *cutter) run(ctx context.Context, r io.ReaderAt) error {
	c.w.To = c.at
	buf := make([]byte, min(64<<10, c.size-c.at))
	for c.at < c.size {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.ReadAt(buf, c.at)
		if err != nil && err != io.EOF {
			return err
		}
		if n == 0 {
			break // the file became shorter meanwhile
		}
		c.at += int64(n)
		if c.feed(buf[:n]) {
			c.finish()
			return nil
		}
	}
	if (len(c.line) > 0 || c.cut > 0) && !c.full(len(c.line)) {
		c.w.Open = true
		c.end(c.at)
	}
	c.finish()
	return nil
}

func (c *cutter) finish() { c.w.CRLF = c.crlf > 0 && c.plain == 0 }

// feed takes the next bytes and reports whether the window is full.
func (c *cutter) feed(p []byte) bool {
	end := c.at
	for len(p) > 0 {
		part, rest, found := bytes.Cut(p, lineBreak)
		keep := min(len(part), max(0, c.ask.Line-len(c.line)))
		c.line = append(c.line, part[:keep]...)
		c.cut += int64(len(part) - keep)
		if len(part) > 0 {
			c.last = part[len(part)-1]
		}
		p = rest
		if !found {
			return false
		}
		if c.full(len(c.line)) {
			return true
		}
		c.end(end - int64(len(rest)))
	}
	return c.full(0)
}

// full reports whether another line of n bytes does not fit.
func (c *cutter) full(n int) bool {
	have := len(c.w.Lines)
	return have >= c.ask.Count || have > 0 && c.held+n > c.ask.Bytes
}

// end finishes the current line, which ends before the given offset.
func (c *cutter) end(behind int64) {
	text := c.line
	switch {
	case c.w.Open: // no line break
	case c.last != '\r':
		c.plain++
	default:
		c.crlf++
		if c.cut == 0 {
			text = text[:len(text)-1]
		} else {
			c.cut-- // the CR belongs to the line break
		}
	}
	c.w.Lines = append(c.w.Lines, Line{Text: text, Cut: c.cut, End: behind})
	c.held += len(text)
	c.w.To = behind
	c.line, c.cut, c.last = nil, 0, 0
}

// IsBinary reports whether the start of a file looks like something that is not text: a NUL among its first 8 KiB.
func IsBinary(head []byte) bool {
	return bytes.IndexByte(head[:min(len(head), 8<<10)], 0) >= 0
}
