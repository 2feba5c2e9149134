package redact

import "io"

// Writer hides secrets in what is written to it, also those that come in several writes: it holds back what could
// be the beginning of one, at most 16 KiB and the length of the longest
// value. Flush it at the end to write out the rest. It is for one goroutine.
type Writer struct {
	filter *Filter
	out    io.Writer
	held   []byte
	prev   byte // the last byte that was decided
	next   int  // held bytes at which scanning again is useful
}

// Writer returns a writer that hides secrets and passes the rest on to w.
func (f *Filter) Writer(w io.Writer) *Writer {
	return &Writer{filter: f, out: w}
}

// seam is how much of a write is looked at together with what was held back, before the rest of the write is passed on as it is.
const seam = 4 << 10

// Write takes text; an error is that of the writer below.
func (w *Writer) Write(p []byte) (int, error) {
	for at := 0; at < len(p); {
		text, end := p[at:], len(p)
		if len(w.held) > 0 {
			end = min(len(p), at+max(seam, len(w.held)))
			w.held = append(w.held, p[at:end]...)
			if text = w.held; len(text) < w.next {
				at = end
				continue
			}
		}
		rest, err := w.pass(text, false)
		if err != nil {
			return 0, err
		}
		if from := end - len(rest); end < len(p) && from >= at {
			at, rest = from, nil // it is in p as a whole
		} else {
			at = end
		}
		w.hold(rest)
	}
	return len(p), nil
}

func (w *Writer) hold(rest []byte) {
	w.held = append(w.held[:0], rest...)
	w.next = len(w.held)
	if len(w.held) > 256 {
		w.next += len(w.held) / 8 // a long one that comes byte by byte must not cost its square
	}
}

// pass writes what is decided of a text and returns the rest.
func (w *Writer) pass(text []byte, final bool) ([]byte, error) {
	hits, settled := w.filter.now().scan(text, w.prev, final)
	if settled == 0 {
		return text, nil
	}
	out := text[:settled]
	if len(hits) > 0 {
		out = replace(make([]byte, 0, settled), out, hits)
	}
	if _, err := w.out.Write(out); err != nil {
		return nil, err
	}
	w.prev = text[settled-1]
	return text[settled:], nil
}

// Flush writes out what was held back, as if the text ended here; more may be written afterwards. Flushing in the
// middle of a text (to show a prompt like "Password: ") can let the first part of a secret through.
func (w *Writer) Flush() error {
	_, err := w.pass(w.held, true)
	w.held, w.next = w.held[:0], 0
	return err
}

// Close is Flush: it does not close the writer below.
func (w *Writer) Close() error { return w.Flush() }
