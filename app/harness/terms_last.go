package harness

import (
	"bytes"
	"cmp"
	"errors"
	"io"

	"rein/event"
	"rein/internal/plainfile"
	"rein/journal"
)

// lastStart returns how a session ran last: the Start of its last event that has one. It searches from the end, and decodes
// only such events: the rest of a long journal is not read.
func lastStart(name string) (last event.Start, err error) {
	f, err := plainfile.Open(name)
	if err != nil {
		return last, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return last, err
	}
	for to := info.Size(); ; {
		at, err := lastIndex(f, to, []byte(`"start":`))
		if err != nil || at < 0 {
			return last, err
		}
		if to, err = lastIndex(f, at, []byte("\n")); err != nil {
			return last, err
		}
		to++ // where the line begins
		start, err := startAt(name, to)
		if err != nil || start != nil {
			return *cmp.Or(start, &last), err
		}
	}
}

// startAt returns the start in the line that begins at an offset; nil: it has none, or cannot be read.
func startAt(name string, offset int64) (*event.Start, error) {
	for l, err := range journal.ReadFrom(name, offset) {
		if errors.Is(err, journal.ErrTorn) {
			return nil, nil
		}
		return l.Event.Start, err
	}
	return nil, nil
}

// searchedAtOnce is how much lastIndex reads at once.
const searchedAtOnce = 256 << 10

// lastIndex returns where the last sep is that ends before to; -1: there is none.
func lastIndex(r io.ReaderAt, to int64, sep []byte) (int64, error) {
	buf := make([]byte, min(to, searchedAtOnce))
	for to >= int64(len(sep)) {
		from := max(to-int64(len(buf)), 0)
		chunk := buf[:to-from]
		if _, err := r.ReadAt(chunk, from); err != nil {
			return -1, err
		}
		if bytes.Contains(chunk, sep) { // much faster than LastIndex, and mostly false
			return from + int64(bytes.LastIndex(chunk, sep)), nil
		}
		if from == 0 {
			break
		}
		to = from + int64(len(sep)) - 1
	}
	return -1, nil
}
