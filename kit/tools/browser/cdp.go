package browser

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// mostMessage is the longest message that is read, in bytes. A longer one ends the connection.
const mostMessage = 64 << 20

// errClosed reports that the browser has ended.
var errClosed = errors.New("the browser has ended")

// cdpEvent is what the browser reports by itself.
type cdpEvent struct {
	Session string // of a tab; "" is the browser
	Method  string
	Params  json.RawMessage
}

// cdpConn is a connection to a browser by the DevTools protocol, over a pair of pipes: JSON messages that end in a null byte.
// It may be used by several goroutines.
type cdpConn struct {
	event func(cdpEvent)
	done  chan struct{}

	writing sync.Mutex // guards out
	out     io.Writer

	mu      sync.Mutex // guards what follows
	last    int64
	waiting map[int64]waiter
	closed  bool
}

type waiter struct {
	session string
	answer  chan message
}

type message struct {
	ID      int64           `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *cdpError       `json:"error,omitempty"`

	failed error // of our own
}

// cdpError is what the browser answers when a call fails.
type cdpError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// cdpError returns the browser's words.
func (e *cdpError) Error() string { return e.Message }

// newCDPConn makes a connection that reads from in until its end. event is called with each event, in order; it must not call the
// browser and must not block.
func newCDPConn(in io.Reader, out io.Writer, event func(cdpEvent)) *cdpConn {
	c := &cdpConn{event: event, done: make(chan struct{}), out: out, waiting: map[int64]waiter{}}
	go c.read(in)
	return c
}

// Done is closed when the browser has ended.
func (c *cdpConn) Done() <-chan struct{} { return c.done }

// Call calls a method and decodes its answer into result, which may be nil. It ends early, with the cause, when ctx does.
func (c *cdpConn) Call(ctx context.Context, session, method string, params, result any) error {
	id, answer, err := c.begin(session)
	if err != nil {
		return err
	}
	defer c.forget(id)
	encoded, err := json.Marshal(params)
	if err != nil {
		return err
	}
	if params == nil {
		encoded = []byte("{}")
	}
	text, err := json.Marshal(message{ID: id, Session: session, Method: method, Params: encoded})
	if err != nil {
		return err
	}
	c.writing.Lock()
	_, err = c.out.Write(append(text, 0))
	c.writing.Unlock()
	if err != nil {
		return errClosed
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case m := <-answer:
		switch {
		case m.failed != nil:
			return m.failed
		case m.Error != nil:
			return fmt.Errorf("%s: %w", method, m.Error)
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	}
}

func (c *cdpConn) begin(session string) (int64, chan message, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, nil, errClosed
	}
	c.last++
	answer := make(chan message, 1) // one answer: the reader never waits
	c.waiting[c.last] = waiter{session, answer}
	return c.last, answer, nil
}

func (c *cdpConn) forget(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, id)
}

// Fail ends all calls of a session that wait for an answer: a tab that crashed gives none.
func (c *cdpConn) Fail(session string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, w := range c.waiting {
		if w.session == session {
			w.answer <- message{failed: err}
			delete(c.waiting, id)
		}
	}
}

// read gives the answers to those who wait, and the events to their function.
func (c *cdpConn) read(in io.Reader) {
	defer c.close()
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), mostMessage)
	lines.Split(atNull)
	for lines.Scan() {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			continue
		}
		if m.ID == 0 {
			c.event(cdpEvent{m.Session, m.Method, m.Params})
			continue
		}
		c.mu.Lock()
		if w, ok := c.waiting[m.ID]; ok {
			w.answer <- m
			delete(c.waiting, m.ID)
		}
		c.mu.Unlock()
	}
}

func atNull(data []byte, atEnd bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEnd {
		return len(data), nil, nil
	}
	return 0, nil, nil
}

// close fails all that wait.
func (c *cdpConn) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for id, w := range c.waiting {
		w.answer <- message{failed: errClosed}
		delete(c.waiting, id)
	}
	close(c.done)
}
