package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"sync"
)

// serverConn is a connection to a language server. Its methods may be called by several goroutines.
type serverConn struct {
	w      io.Writer
	notify func(method string, params json.RawMessage)

	writing sync.Mutex

	mu      sync.Mutex
	next    int64
	waiting map[int64]chan message
	err     error         // why the connection ended
	ended   chan struct{} // closed when it ended
}

// mostMessage is how many bytes a message of a server may have.
const mostMessage = 32 << 20

// errEnded is the error of a call on a connection that has ended.
var errEnded = errors.New("the language server has ended")

// serverError is a server's error answer to a call.
type serverError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// serverError returns the server's words.
func (e *serverError) Error() string { return e.Message }

type message struct {
	JSONRPC string           `json:"jsonrpc"`
	ID      *json.RawMessage `json:"id,omitempty"`
	Method  string           `json:"method,omitempty"`
	Params  any              `json:"params,omitempty"`
	Result  any              `json:"result,omitempty"`
	Error   *serverError     `json:"error,omitempty"`

	params, result json.RawMessage // of a message that was read
}

// openConn begins a connection. notify gets the server's notifications, one at a time; it must not call the connection's Call.
func openConn(r io.Reader, w io.Writer, notify func(method string, params json.RawMessage)) *serverConn {
	c := &serverConn{w: w, notify: notify, waiting: map[int64]chan message{}, ended: make(chan struct{})}
	go c.read(bufio.NewReader(r))
	return c
}

// Done is closed when the connection has ended.
func (c *serverConn) Done() <-chan struct{} { return c.ended }

// Call sends a request and decodes the answer into result, which may be nil. When the context ends the request is cancelled.
func (c *serverConn) Call(ctx context.Context, method string, params, result any) error {
	answer := make(chan message, 1)
	c.mu.Lock()
	c.next++
	n := c.next
	c.waiting[n] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.waiting, n)
		c.mu.Unlock()
	}()
	id := json.RawMessage(strconv.FormatInt(n, 10))
	sent := make(chan error, 1)
	go func() { sent <- c.write(message{ID: &id, Method: method, Params: params}) }() // a server that does not read holds it up
	for {
		select {
		case err := <-sent:
			if err != nil {
				return err
			}
			sent = nil
		case m := <-answer:
			if m.Error != nil {
				return m.Error
			}
			if result == nil || len(m.result) == 0 {
				return nil
			}
			return json.Unmarshal(m.result, result)
		case <-c.ended:
			return c.why()
		case <-ctx.Done():
			go c.Notify("$/cancelRequest", map[string]any{"id": n})
			return context.Cause(ctx)
		}
	}
}

// Notify sends a notification.
func (c *serverConn) Notify(method string, params any) error {
	return c.write(message{Method: method, Params: params})
}

func (c *serverConn) why() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *serverConn) write(m message) error {
	m.JSONRPC = "2.0"
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err = fmt.Fprintf(c.w, "Content-Length: %d\r\n\r\n%s", len(text), text)
	return err
}

// read takes the messages of the server until the stream ends.
func (c *serverConn) read(r *bufio.Reader) {
	var err error
	for err == nil {
		var m message
		if m, err = receive(r); err == nil {
			c.take(m)
		}
	}
	c.mu.Lock()
	c.err = fmt.Errorf("%w: %w", errEnded, err)
	c.mu.Unlock()
	close(c.ended)
}

func receive(r *bufio.Reader) (m message, err error) {
	head, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		return m, err
	}
	n, err := strconv.Atoi(head.Get("Content-Length"))
	if err != nil || n < 0 || n > mostMessage {
		return m, fmt.Errorf("a message of %q bytes", head.Get("Content-Length"))
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return m, err
	}
	var raw struct {
		ID     *json.RawMessage `json:"id"`
		Method string           `json:"method"`
		Params json.RawMessage  `json:"params"`
		Result json.RawMessage  `json:"result"`
		Error  *serverError     `json:"error"`
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		return m, err
	}
	return message{ID: raw.ID, Method: raw.Method, params: raw.Params, result: raw.Result, Error: raw.Error}, nil
}

// take handles one message. A request of the server must be answered, or it waits forever.
func (c *serverConn) take(m message) {
	switch {
	case m.Method == "" && m.ID != nil:
		n, err := strconv.ParseInt(string(*m.ID), 10, 64)
		if err != nil {
			return
		}
		c.mu.Lock()
		answer := c.waiting[n]
		delete(c.waiting, n)
		c.mu.Unlock()
		if answer != nil {
			answer <- m
		}
	case m.ID != nil:
		answer := message{ID: m.ID, Result: json.RawMessage("null")}
		switch m.Method {
		case "workspace/configuration":
			var p struct{ Items []json.RawMessage }
			_ = json.Unmarshal(m.params, &p)
			answer.Result = make([]any, len(p.Items))
		case "workspace/applyEdit":
			answer.Result = map[string]any{"applied": false}
		case "client/registerCapability", "client/unregisterCapability", "window/workDoneProgress/create", "window/showMessageRequest",
			"workspace/semanticTokens/refresh", "workspace/diagnostic/refresh", "workspace/codeLens/refresh", "workspace/inlayHint/refresh":
		default:
			answer.Result, answer.Error = nil, &serverError{Code: -32601, Message: "not supported"}
		}
		go func() { _ = c.write(answer) }()
	case c.notify != nil:
		c.notify(m.Method, m.params)
	}
}
