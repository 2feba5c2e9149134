package acp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"sync"
)

// maxLine is the length of the longest message in bytes. The library's reader ends the connection at a longer one.
const maxLine = 10<<20 - 1

// lineReader gives the messages of the client, a line each. A message that is too long is answered with an error and left
// out.
type lineReader struct {
	in     io.Reader
	answer io.Writer
	ready  chan struct{} // closed when the connection can read

	once   sync.Once
	buffer *bufio.Reader
	rest   []byte // of the current line
}

// Read implements io.Reader.
func (l *lineReader) Read(p []byte) (int, error) {
	l.once.Do(func() {
		<-l.ready
		l.buffer = bufio.NewReaderSize(l.in, 64<<10)
	})
	if len(l.rest) == 0 {
		line, err := l.line()
		if err != nil && len(line) == 0 {
			return 0, err
		}
		l.rest = line
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// line reads the next line that is not too long.
func (l *lineReader) line() ([]byte, error) {
	var line []byte
	length := 0
	for {
		piece, err := l.buffer.ReadSlice('\n')
		length += len(piece)
		if length <= maxLine || len(line) < 256 {
			line = append(line, piece...)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if length <= maxLine || err != nil {
			return line, err
		}
		if err := l.refuse(line, length); err != nil {
			return nil, err
		}
		line, length = nil, 0
	}
}

// refuse answers a message that is too long, if its id is found at its beginning.
func (l *lineReader) refuse(line []byte, length int) error {
	id := regexp.MustCompile(`"id"\s*:\s*(\d+|"[^"\\]{1,100}")`).FindSubmatch(line[:256])
	if id == nil {
		return nil
	}
	text, err := json.Marshal(fmt.Sprintf("the message has %d bytes; the limit is %d", length, maxLine))
	if err != nil {
		return err
	}
	_, err = l.answer.Write(bytes.Join([][]byte{[]byte(`{"jsonrpc":"2.0","id":`), id[1], []byte(`,"error":{"code":-32600,"message":`), text, []byte("}}\n")}, nil))
	return err
}

// lockedWriter writes one message after the other.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write implements io.Writer.
func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
