// Package client talks to a rein server: it starts sessions, sends messages, answers approval requests, and follows events
// without a gap.
//
//	c := &client.Client{URL: "http://127.0.0.1:4096", Key: key}
//	s, err := c.Start(ctx, api.NewSession{Text: "make the tests pass"})
//	for e, err := range c.Events(ctx, s.ID) { … }
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

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
	return fmt.Sprintf("the server answered %d: %s", p.Status, strings.Join(strings.Fields(p.Detail), " "))
}

// Kind names the problem: "no_session", "changed", "role", …; "" when the server gives no name.
func (p *Problem) Kind() string { return strings.TrimPrefix(p.Type, "urn:rein:problem:") }

// Me gives who the key belongs to, and the version of the server.
func (c *Client) Me(ctx context.Context) (m api.Me, err error) {
	return m, c.do(ctx, http.MethodGet, "/v1/me", nil, &m)
}

// Start begins a session.
func (c *Client) Start(ctx context.Context, n api.NewSession) (s api.Session, err error) {
	return s, c.do(ctx, http.MethodPost, "/v1/sessions", n, &s)
}

// Session gives one session.
func (c *Client) Session(ctx context.Context, id string) (s api.Session, err error) {
	return s, c.do(ctx, http.MethodGet, "/v1/sessions/"+url.PathEscape(id), nil, &s)
}

// Past gives the last recorded events of a session before one; before 0 means its last ones. At most limit come, or 2,000.
func (c *Client) Past(ctx context.Context, session string, before int64, limit int) (e api.Events, err error) {
	return e, c.do(ctx, http.MethodGet, fmt.Sprintf("/v1/sessions/%s/events?before=%d&limit=%d", url.PathEscape(session), before, limit), nil, &e)
}

// Sessions gives the sessions that the user sees, newest first.
func (c *Client) Sessions(ctx context.Context) (all []api.Session, err error) {
	return all, c.do(ctx, http.MethodGet, "/v1/sessions", nil, &all)
}

// Send sends a message. With an ID it may be sent again after an error: the server takes it once.
func (c *Client) Send(ctx context.Context, session string, m api.NewMessage) (s api.Sent, err error) {
	return s, c.do(ctx, http.MethodPost, "/v1/sessions/"+url.PathEscape(session)+"/messages", m, &s)
}

// Change changes the name, the mode or the model of a session.
func (c *Client) Change(ctx context.Context, session string, change api.Change) (s api.Session, err error) {
	return s, c.do(ctx, http.MethodPost, "/v1/sessions/"+url.PathEscape(session), change, &s)
}

// Resume continues a session that was suspended or interrupted.
func (c *Client) Resume(ctx context.Context, session string) (s api.Session, err error) {
	return s, c.do(ctx, http.MethodPost, "/v1/sessions/"+url.PathEscape(session)+"/resume", struct{}{}, &s)
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
