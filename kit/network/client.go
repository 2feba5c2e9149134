package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ClientOptions are the limits of a client; the zero value gives the defaults that the fields name.
type ClientOptions struct {
	Time   time.Duration // for a whole exchange with its body: 0 means 30 s, negative none (streams; use the context)
	Header time.Duration // until the headers of an answer: 0 means 15 s
	Body   int64         // bytes of a body after decompression: 0 means 8 MiB, negative no limit
	Hops   int           // redirects followed: 0 means 5, negative none (the redirect itself is the answer)
	// Follow judges a redirect beyond the policy; nil follows what the policy allows. Its error ends the exchange.
	Follow func(from, to *url.URL) error
}

const (
	defaultTime   = 30 * time.Second
	defaultHeader = 15 * time.Second
	defaultBody   = 8 << 20
	defaultHops   = 5
	headerBytes   = 128 << 10
	idleConns     = 16
)

// Client returns an HTTP client that reaches only what the policy allows. It uses no proxy of the environment and
// keeps no cookies. Each redirect is judged like a first request; when one leaves the first request's origin, only
// plain headers go along, and a body never does. A body longer than the limit ends in a *Refusal.
func (p *Policy) Client(o ClientOptions) *http.Client {
	return NewClient(func() *Policy { return p }, o)
}

// NewClient returns an HTTP client like Policy.Client under the policy that holds now: it is asked for at each request
// and at each connection, and may change in between.
func NewClient(policy func() *Policy, o ClientOptions) *http.Client {
	if o.Time == 0 {
		o.Time = defaultTime
	}
	if o.Header == 0 {
		o.Header = defaultHeader
	}
	if o.Body == 0 {
		o.Body = defaultBody
	}
	if o.Hops == 0 {
		o.Hops = defaultHops
	}
	transport := &http.Transport{
		Proxy: nil,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			return policy().DialContext(ctx, network, addr)
		},
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           idleConns,
		IdleConnTimeout:        time.Minute,
		TLSHandshakeTimeout:    dialTimeout,
		ResponseHeaderTimeout:  o.Header,
		MaxResponseHeaderBytes: headerBytes,
	}
	return &http.Client{
		Transport:     &guarded{policy: policy, next: transport, body: o.Body},
		CheckRedirect: o.checkRedirect,
		Timeout:       max(o.Time, 0),
	}
}

// guarded judges each request before it goes out, also one that reuses a connection, and bounds its answer.
type guarded struct {
	policy func() *Policy
	next   *http.Transport
	body   int64
}

func (g *guarded) RoundTrip(req *http.Request) (*http.Response, error) {
	out, err := g.judged(req)
	if err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	resp, err := g.next.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	if g.body >= 0 && resp.Body != nil {
		resp.Body = &bounded{ReadCloser: resp.Body, left: g.body, limit: g.body, host: req.URL.Hostname()}
	}
	return resp, nil
}

// judged returns the request with its canonical URL when the policy allows it.
func (g *guarded) judged(req *http.Request) (*http.Request, error) {
	u, t, err := Canonical(req.URL)
	if err != nil {
		return nil, err
	}
	if err := g.policy().Check(t); err != nil {
		return nil, err
	}
	if req.Host != "" && req.Host != req.URL.Host {
		return nil, &Refusal{Rule: "host", Host: t.Host, Text: fmt.Sprintf("the Host header %q names another host", req.Host)}
	}
	out := *req
	out.URL, out.Host = u, ""
	return &out, nil
}

// CloseIdleConnections closes what is kept for reuse; http.Client calls it.
func (g *guarded) CloseIdleConnections() { g.next.CloseIdleConnections() }

// plainHeaders may go along to another origin; all others could be credentials.
var plainHeaders = []string{"Accept", "Accept-Language", "User-Agent", "Range"}

func (o ClientOptions) checkRedirect(req *http.Request, via []*http.Request) error {
	if o.Hops < 0 {
		return http.ErrUseLastResponse
	}
	if len(via) > o.Hops {
		return &Refusal{Rule: "redirect", Host: req.URL.Hostname(), Text: fmt.Sprintf("more redirects than the limit, %d", o.Hops)}
	}
	from := via[len(via)-1].URL
	if _, err := targetOf(req.URL); err != nil {
		return hop(err, len(via))
	}
	if from.Scheme == "https" && req.URL.Scheme == "http" {
		return hop(&Refusal{Rule: "redirect", Host: req.URL.Hostname(), Text: "a redirect from https to http is not followed"}, len(via))
	}
	if o.Follow != nil {
		if err := o.Follow(from, req.URL); err != nil {
			return hop(err, len(via))
		}
	}
	if left(req, via) {
		if req.Body != nil && req.Body != http.NoBody {
			return hop(&Refusal{Rule: "redirect", Host: req.URL.Hostname(), Text: "a redirect would send the body to another host", Hint: "send the request to that host yourself if that is meant"}, len(via))
		}
		keepPlain(req.Header)
	}
	return nil
}

// left reports whether a redirect, this one or an earlier one, went away from the first request's origin.
func left(req *http.Request, via []*http.Request) bool {
	origin := func(u *url.URL) string { return u.Scheme + "://" + strings.ToLower(u.Host) }
	for _, v := range append(via[1:len(via):len(via)], req) {
		if origin(v.URL) != origin(via[0].URL) {
			return true
		}
	}
	return false
}

func keepPlain(h http.Header) {
	kept := http.Header{}
	for _, name := range plainHeaders {
		if v, ok := h[name]; ok {
			kept[name] = v
		}
	}
	clear(h)
	maps.Copy(h, kept)
}

// hop adds which redirect failed.
func hop(err error, n int) error {
	if r, ok := errors.AsType[*Refusal](err); ok {
		at := *r
		at.Text = fmt.Sprintf("redirect %d: %s", n, r.Text)
		return &at
	}
	return err
}

// bounded ends a body with a refusal at its limit; the limit holds for what comes out of the decompressor.
type bounded struct {
	io.ReadCloser
	left, limit int64
	host        string
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		var one [1]byte
		if n, err := b.ReadCloser.Read(one[:]); n == 0 {
			return 0, err
		}
		return 0, &Refusal{Rule: "size", Host: b.host, Text: fmt.Sprintf("the body is longer than %d bytes", b.limit)}
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
