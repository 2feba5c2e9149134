package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"sync"
)

// tasks knows the tools that a server runs only as tasks, an extension that rein does not have: they are not offered. The library drops
// what a server says of that, so it is read from the messages.
type tasks struct {
	mu   sync.Mutex
	only map[string]bool
}

// has reports whether a tool runs only as a task.
func (t *tasks) has(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.only[name]
}

// saw reads a message, or an event with one.
func (t *tasks) saw(message []byte) {
	if !bytes.Contains(message, []byte(`"taskSupport"`)) {
		return
	}
	var list struct {
		Result struct {
			Tools []struct {
				Name      string
				Execution struct{ TaskSupport string }
			}
		}
	}
	if json.Unmarshal(bytes.TrimPrefix(message, []byte("data:")), &list) != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.only == nil {
		t.only = map[string]bool{}
	}
	for _, one := range list.Result.Tools {
		t.only[one.Name] = one.Execution.TaskSupport == "required"
	}
}

// watched is a client whose answers are read here too.
func (t *tasks) watched(client *http.Client) *http.Client {
	with := *client
	with.Transport = overheard{client.Transport, t}
	return &with
}

type overheard struct {
	next http.RoundTripper
	by   *tasks
}

func (o overheard) RoundTrip(r *http.Request) (*http.Response, error) {
	next := o.next
	if next == nil {
		next = http.DefaultTransport
	}
	answer, err := next.RoundTrip(r)
	if err == nil {
		answer.Body = &heard{ReadCloser: answer.Body, by: o.by}
	}
	return answer, err
}

// heard passes a body on, line by line.
type heard struct {
	io.ReadCloser
	by   *tasks
	line []byte
}

// mostHeard bounds a line that is read here: longer lists of tools are not looked through.
const mostHeard = 4 << 20

func (h *heard) Read(p []byte) (int, error) {
	n, err := h.ReadCloser.Read(p)
	for _, piece := range bytes.SplitAfter(p[:n], []byte("\n")) {
		if len(h.line)+len(piece) <= mostHeard {
			h.line = append(h.line, piece...)
		}
		if bytes.HasSuffix(piece, []byte("\n")) {
			h.by.saw(h.line)
			h.line = h.line[:0]
		}
	}
	if len(h.line) > 0 && (err != nil || bytes.HasSuffix(h.line, []byte("}"))) { // before whoever reads it decodes it
		h.by.saw(h.line)
	}
	return n, err
}
