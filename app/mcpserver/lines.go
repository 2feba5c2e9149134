package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// messageLines reads the lines of a client that are messages. Any other line gets an error as its answer, and ends nothing: the protocol's
// library would end the session.
type messageLines struct {
	io.Closer
	r    *bufio.Reader
	out  *wholeWrites
	rest []byte
}

func (m *messageLines) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		line, err := m.r.ReadBytes('\n')
		switch wrong := noMessage(line); {
		case len(bytes.TrimSpace(line)) == 0:
		case wrong == nil:
			m.rest = line
			continue
		default:
			if werr := m.out.refuse(line, wrong); werr != nil {
				return 0, werr
			}
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// noMessage says why a line is no message, nor several in a list.
func noMessage(line []byte) error {
	if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("[")) {
		_, err := jsonrpc.DecodeMessage(line)
		return err
	}
	var all []json.RawMessage
	if err := json.Unmarshal(line, &all); err != nil {
		return err
	}
	if len(all) == 0 {
		return errors.New("the list has no message")
	}
	for _, one := range all {
		if _, err := jsonrpc.DecodeMessage(one); err != nil {
			return err
		}
	}
	return nil
}

// wholeWrites writes one message after the other.
type wholeWrites struct {
	io.WriteCloser
	mu sync.Mutex
}

func (w *wholeWrites) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.WriteCloser.Write(p)
}

// refuse answers a line that is no message.
func (w *wholeWrites) refuse(line []byte, why error) error {
	code := -32700
	if json.Valid(line) {
		code = -32600
	}
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": "this line is no message: " + why.Error()}})
	if err == nil {
		_, err = w.Write(append(text, '\n'))
	}
	return err
}
