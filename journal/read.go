package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"rein/event"
)

// ErrTorn means that a journal ends in a line that a crash cut off. What came before it is whole.
var ErrTorn = errors.New("the last line was cut off by a crash and is left out")

// Read gives the events of a journal file in order. A torn last line ends it with ErrTorn; any other bad line with an
// error that names the line.
func Read(name string) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		f, err := os.Open(name)
		if err != nil {
			yield(event.Event{}, err)
			return
		}
		defer f.Close()
		lines := bufio.NewReaderSize(f, 64<<10)
		for n := 1; ; n++ {
			line, err := lines.ReadBytes('\n')
			if err == io.EOF && len(line) == 0 {
				return
			}
			if err == io.EOF {
				yield(event.Event{}, ErrTorn)
				return
			}
			e, err := parse(line, n, err)
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

func parse(line []byte, n int, err error) (event.Event, error) {
	var e event.Event
	if err == nil {
		err = json.Unmarshal(line, &e)
	}
	if err != nil {
		return e, fmt.Errorf("line %d: %w", n, err)
	}
	return e, nil
}

// wholeLines finds where the last whole line of a file ends, and what follows it.
func wholeLines(f *os.File) (size int64, rest string, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, "", err
	}
	size = info.Size()
	var tail []byte
	for start := size; start > 0; {
		step := min(start, 64<<10)
		start -= step
		piece := make([]byte, step)
		if _, err := f.ReadAt(piece, start); err != nil {
			return 0, "", err
		}
		if i := bytes.LastIndexByte(piece, '\n'); i >= 0 {
			return start + int64(i) + 1, string(append(piece[i+1:], tail...)), nil
		}
		tail = append(piece, tail...)
	}
	return 0, string(tail), nil
}
