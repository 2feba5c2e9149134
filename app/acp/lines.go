package acp

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"rein/app/internal/rpc"
)

// maxLine is the length of the longest message in bytes. The library's reader ends the connection at a longer one.
const maxLine = 10<<20 - 1

// lineReader gives the library the lines of the client that are messages. The others are answered with an error: the library would leave
// them out.
type lineReader struct {
	in    io.Reader
	out   *rpc.Writer
	ready chan struct{} // closed when the connection can read

	once  sync.Once
	lines rpc.Lines
	rest  []byte // of the current line
}

// Read implements io.Reader.
func (l *lineReader) Read(p []byte) (int, error) {
	l.once.Do(func() {
		<-l.ready
		l.lines = rpc.Lines{In: bufio.NewReaderSize(l.in, 64<<10), Out: l.out, Most: maxLine}
	})
	for len(l.rest) == 0 {
		line, err := l.lines.Next()
		if err != nil {
			return 0, err
		}
		if wrong := noMessage(line); wrong == nil {
			l.rest = line
		} else if err := l.out.Refuse(line, wrong); err != nil {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// noMessage says why a line is no message.
func noMessage(line []byte) error {
	var m struct {
		ID     any    `json:"id"`
		Method string `json:"method"`
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return err
	}
	switch m.ID.(type) {
	case nil:
		if m.Method == "" {
			return errors.New("it has no method and no id")
		}
	case string, float64:
	default:
		return errors.New("its id is neither a text nor a number")
	}
	return nil
}
