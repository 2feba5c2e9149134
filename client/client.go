// Package client talks to a rein server: it starts sessions, sends messages, answers approval requests, and follows events
// without a gap.
//
//	c := &client.Client{URL: "http://127.0.0.1:4096", Key: key}
//	s, err := c.Start(ctx, api.NewSession{Text: "make the tests pass"})
//	for e, err := range c.Events(ctx, s.ID) { … }
package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"rein/event"
	"rein/server/api"
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

func (p *Problem) Error() string {
	return fmt.Sprintf("the server answered %d: %s", p.Status, p.Detail)
}

// Kind names the problem: "no_session", "changed", "role", …; "" when the server gives no name.
func (p *Problem) Kind() string { return strings.TrimPrefix(p.Type, "urn:rein:problem:") }

// Start begins a session.
func (c *Client) Start(ctx context.Context, n api.NewSession) (s api.Session, err error) {
	return s, c.do(ctx, http.MethodPost, "/v1/sessions", n, &s)
}

// Session gives one session.
func (c *Client) Session(ctx context.Context, id string) (s api.Session, err error) {
	return s, c.do(ctx, http.MethodGet, "/v1/sessions/"+url.PathEscape(id), nil, &s)
}

// Sessions gives the sessions that the user sees, newest first.
func (c *Client) Sessions(ctx context.Context) (all []api.Session, err error) {
	return all, c.do(ctx, http.MethodGet, "/v1/sessions", nil, &all)
}

// Send sends a message. With an ID it may be sent again after an error: the server takes it once.
func (c *Client) Send(ctx context.Context, session string, m api.NewMessage) (s api.Sent, err error) {
	return s, c.do(ctx, http.MethodPost, "/v1/sessions/"+url.PathEscape(session)+"/messages", m, &s)
}

// Cancel cancels what a session does.
func (c *Client) Cancel(ctx context.Context, session string) error {
	return c.do(ctx, http.MethodPost, "/v1/sessions/"+url.PathEscape(session)+"/cancel", struct{}{}, nil)
}

// Inbox gives the approval requests that wait.
func (c *Client) Inbox(ctx context.Context) (r api.Requests, err error) {
	return r, c.do(ctx, http.MethodGet, "/v1/inbox", nil, &r)
}

// Answer answers an approval request. The first answer counts; Answered has it.
func (c *Client) Answer(ctx context.Context, session, call string, a api.Answer) (got api.Answered, err error) {
	return got, c.do(ctx, http.MethodPost, "/v1/inbox/"+url.PathEscape(session)+"/"+url.PathEscape(call), a, &got)
}

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

func (c *Client) request(ctx context.Context, method, path string, body io.Reader, header http.Header) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(c.URL, "/")+path, body)
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		r.Header[name] = values
	}
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

// Events gives the last events of a session and its sub-agents, then what happens, live text too, until ctx is done. When
// the connection breaks it connects again and goes on after the last recorded event. An error of the server ends it; one
// of the network does not.
func (c *Client) Events(ctx context.Context, session string) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		f := follower{client: c, query: "/v1/events?watch=" + url.QueryEscape("s:"+session), yield: yield}
		for pause := firstPause; ctx.Err() == nil; pause = min(2*pause, longestPause) {
			got, goOn := f.connect(ctx)
			if !goOn {
				return
			}
			if got {
				pause = firstPause
			}
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
		}
	}
}

// Pauses before another connection is tried.
const (
	firstPause   = 250 * time.Millisecond
	longestPause = 15 * time.Second
)

type follower struct {
	client *Client
	query  string
	cursor string
	yield  func(event.Event, error) bool
}

// connect follows one connection. got reports whether it gave something.
func (f *follower) connect(ctx context.Context) (got, goOn bool) {
	header := http.Header{}
	if f.cursor != "" {
		header.Set("Last-Event-ID", f.cursor)
	}
	answer, err := f.client.request(ctx, http.MethodGet, f.query, nil, header)
	if p, refused := err.(*Problem); refused && p.Status < 500 && p.Status != http.StatusTooManyRequests {
		return false, f.yield(event.Event{}, err) && false
	}
	if err != nil {
		return false, true
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 64<<20)
	id, name := "", ""
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ": ")
		switch key {
		case "id":
			id = value
		case "event":
			name = value
		case "data":
			got = true
			if name == "event" && !f.give(value) {
				return got, false
			}
			if id != "" {
				f.cursor = id
			}
		case "":
			id, name = "", ""
		}
	}
	return got, true
}

func (f *follower) give(data string) bool {
	var e event.Event
	if err := json.Unmarshal([]byte(data), &e); err != nil {
		return f.yield(e, fmt.Errorf("an event of the server: %w", err))
	}
	return f.yield(e, nil)
}
