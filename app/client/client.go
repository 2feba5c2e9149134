// Package client talks to a rein server: it starts sessions, sends messages, answers approval requests, and follows events
// without a gap.
//
//	c := &Client{URL: "http://127.0.0.1:4096", Key: key}
//	s, err := c.Start(ctx, api.NewSession{Text: "make the tests pass"})
//	for e, err := range c.Events(ctx, s.ID) { … }
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"strings"
)

// Client is a program that uses a server. It may be used by several goroutines at once.
type Client struct {
	URL  string       // of the server, with the base path: http://127.0.0.1:4096
	Key  string       // the owner's or a user's
	HTTP *http.Client // nil: http.DefaultClient
}

// Problem is an error of the server, as RFC 9457 has it.
type Problem struct {
	Type   string `json:"type"` // urn:rein:problem:KIND, where the server names the kind
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

// Error returns the status and what the server said, in one line.
func (p *Problem) Error() string {
	return fmt.Sprintf("the server answered %d: %s", p.Status, strings.Join(strings.Fields(p.Detail), " "))
}

// Kind names the problem: "no_session", "changed", "role", …; "" when the server gives no name.
func (p *Problem) Kind() string { return strings.TrimPrefix(p.Type, "urn:rein:problem:") }

func (c *Client) do(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(text)
	}
	answer, err := c.request(ctx, method, path, body, nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if out == nil {
		return nil
	}
	return json.NewDecoder(answer.Body).Decode(out)
}

// get reads an answer in JSON.
func (c *Client) get(ctx context.Context, path string, out any) error {
	return c.do(ctx, http.MethodGet, path, nil, out)
}

// post sends what has no content of its own with an empty object.
func (c *Client) post(ctx context.Context, path string, in, out any) error {
	if in == nil {
		in = struct{}{}
	}
	return c.do(ctx, http.MethodPost, path, in, out)
}

// open returns an answer that is no JSON. The caller closes it.
func (c *Client) open(ctx context.Context, path string) (io.ReadCloser, error) {
	answer, err := c.request(ctx, http.MethodGet, path, nil, nil)
	if err != nil {
		return nil, err
	}
	return answer.Body, nil
}

// at makes a path of the interface from its parts.
func at(parts ...any) string {
	var path strings.Builder
	path.WriteString("/v1")
	for _, part := range parts {
		path.WriteString("/" + url.PathEscape(fmt.Sprint(part)))
	}
	return path.String()
}

// with adds parameters, name by name with its value. Zero values are left out: the server has its defaults.
func with(path string, pairs ...any) string {
	query := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if value := reflect.ValueOf(pairs[i+1]); !value.IsZero() {
			query.Set(pairs[i].(string), fmt.Sprint(value))
		}
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

func (c *Client) request(ctx context.Context, method, path string, body io.Reader, header http.Header) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(c.URL, "/")+path, body)
	if err != nil {
		return nil, err
	}
	maps.Copy(r.Header, header)
	r.Header.Set("Authorization", "Bearer "+c.Key)
	r.Header.Set("Content-Type", "application/json")
	h := c.HTTP
	if h == nil {
		h = http.DefaultClient
	}
	answer, err := h.Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode < 300 {
		return answer, nil
	}
	defer answer.Body.Close()
	p := &Problem{Status: answer.StatusCode, Detail: answer.Status}
	if text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20)); err == nil {
		_ = json.Unmarshal(text, p) // an answer that is no problem keeps its status
	}
	return nil, p
}
