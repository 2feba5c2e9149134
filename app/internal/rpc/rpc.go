// Package rpc reads the JSON-RPC messages of a client, a line each, and answers the lines that are none.
package rpc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"sync"
)

// The codes of answers to lines that are no messages.
const (
	noJSON    = -32700
	noRequest = -32600
)

// Lines are the lines of a client.
type Lines struct {
	In   *bufio.Reader
	Out  *Writer
	Most int // bytes of a line; a longer one is answered with an error and left out
}

// Next returns the next line that is neither empty nor too long, and the error that ends them.
func (l *Lines) Next() ([]byte, error) {
	var line []byte
	length := 0
	for {
		piece, err := l.In.ReadSlice('\n')
		if length += len(piece); length <= l.Most || len(line) < 256 {
			line = append(line, piece...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case length > l.Most:
			if werr := l.Out.refuse(idOf(line), noRequest, fmt.Sprintf("the message has %d bytes; the limit is %d", length, l.Most)); werr != nil {
				return nil, werr
			}
		case len(bytes.TrimSpace(line)) > 0:
			return line, nil // an error comes again with the next one
		}
		if err != nil {
			return nil, err
		}
		line, length = nil, 0
	}
}

// idOf is the id of a message that is not read whole, if it is found at its beginning.
func idOf(line []byte) []byte {
	if id := regexp.MustCompile(`"id"\s*:\s*(\d+|"[^"\\]{1,100}")`).FindSubmatch(line[:min(len(line), 256)]); id != nil {
		return id[1]
	}
	return []byte("null")
}

// Writer writes one message after the other.
type Writer struct {
	W  io.Writer
	mu sync.Mutex
}

// Write implements io.Writer. A message comes whole, with its line's end.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.W.Write(p)
}

// Refuse answers a line that is no message.
func (w *Writer) Refuse(line []byte, why error) error {
	code := noJSON
	if json.Valid(line) {
		code = noRequest
	}
	return w.refuse([]byte("null"), code, "this line is no message: "+why.Error())
}

func (w *Writer) refuse(id []byte, code int, text string) error {
	quoted, err := json.Marshal(text)
	if err == nil {
		_, err = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`+"\n", id, code, quoted)
	}
	return err
}
