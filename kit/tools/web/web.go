// Package web makes the tools that use the network: web_fetch, http_request and web_search.
package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"rein/kit/network"
	"rein/redact"
	"rein/tool"
)

// Options are what the tools that use the network share. The zero value reaches no host.
type Options struct {
	// Policy returns what a call may reach now, by the id of the call: access that was granted to one call is for this call
	// only. It is asked at each connection. Nil: no host.
	Policy  func(call string) *network.Policy
	Secrets []Secret      // what http_request may insert by name
	Agent   string        // User-Agent; "" is "rein"
	Time    time.Duration // limit of one exchange; 0 means 30 s
	// Document returns the text of a document that was fetched, up to most bytes, and notes about it; ok is false for data that
	// are no document. Nil: documents are refused.
	Document func(ctx context.Context, data []byte, most int) (text string, notes []string, ok bool, err error)
	// Answer sends a prompt to a small model, and returns what it answers. Nil: web_fetch takes no question.
	Answer func(ctx context.Context, prompt string) (string, error)
	// Ask returns the call of request_access that the model should send for a host, given as host:port; "" if no access can
	// be granted. Nil: there is no such tool.
	Ask func(host string) string
}

// Tools makes the tools that use the network. It keeps the pages that were fetched last.
type Tools struct {
	options Options
	mask    *redact.Filter // of the secrets that http_request inserts
	cache   pages
	mu      sync.Mutex // guards cache
}

// New makes the web tools. An error names a secret that cannot be bound to its hosts.
func New(o Options) (*Tools, error) {
	if o.Agent == "" {
		o.Agent = "rein"
	}
	if o.Policy == nil {
		o.Policy = func(string) *network.Policy { return nil }
	}
	var values []redact.Value
	for _, s := range o.Secrets {
		if err := s.check(); err != nil {
			return nil, err
		}
		values = append(values, redact.Value{Name: s.Name, Text: s.Value, Declared: true})
	}
	return &Tools{options: o, mask: redact.New(values)}, nil
}

// client returns the client of one call. Calls share no connections: one that was opened with the access of one call must
// not serve another. The caller closes its idle connections.
func (w *Tools) client(call string, o network.ClientOptions) *http.Client {
	o.Time = w.options.Time
	return network.NewClient(func() *network.Policy { return w.options.Policy(call) }, o)
}

// moved is a redirect to another site: the call was judged for the first one only.
type moved struct{ to *url.URL }

func (m *moved) Error() string { return "redirected to " + m.to.String() }

// sameSite follows redirects within a site: the same host, with or without www. The policy judges each of them.
func sameSite(from, to *url.URL) error {
	bare := func(u *url.URL) string { return strings.TrimPrefix(strings.ToLower(u.Host), "www.") }
	if bare(from) == bare(to) {
		return nil
	}
	if _, _, err := network.Canonical(to); err != nil {
		return err
	}
	return &moved{to}
}

// parseURL parses the URL of a call. Without a scheme, it is https.
func parseURL(raw string) (*url.URL, network.Target, error) {
	raw = strings.TrimSpace(raw)
	if !strings.Contains(raw, "://") && !strings.HasPrefix(raw, "/") && strings.Contains(raw, ".") && !strings.Contains(strings.SplitN(raw, "/", 2)[0], "@") {
		raw = "https://" + raw
	}
	u, t, err := network.ParseURL(raw)
	if err != nil {
		return nil, t, webError(err)
	}
	return u, t, nil
}

// hostIntent is the intent of a call whose arguments have a URL: the host and the port that the policy checks. A URL that
// cannot be used is refused here, before anybody is asked for approval.
func hostIntent[In interface{ address() string }](in In) (tool.Intent, error) {
	_, t, err := parseURL(in.address())
	if err != nil {
		return tool.Intent{}, err
	}
	return tool.Intent{Hosts: []string{t.String()}}, nil
}
