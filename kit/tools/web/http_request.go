package web

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"rein/kit/document"
	"rein/kit/network"
	"rein/tool"
)

// answerBytes is how much of the body of an answer is read.
const answerBytes = 1 << 20

type httpRequestArgs struct {
	URL     string            `json:"url" jsonschema:"address, with https://" minLength:"1" maxLength:"4096"`
	Method  string            `json:"method,omitempty" enum:"GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS" default:"GET"`
	Headers map[string]string `json:"headers,omitempty" jsonschema:"headers, by name"`
	Body    string            `json:"body,omitempty" jsonschema:"body, as text" maxLength:"1048576"`
}

func (a httpRequestArgs) address() string { return a.URL }

const httpRequestDescription = `Send one HTTP request and get the status, the headers and the body of the answer unchanged. To read web pages, use web_fetch. Redirects are not followed: the answer shows the new address. {{secret:NAME}} in a header or in the body is replaced by a secret from the user's settings, only for the hosts of this secret; you never see its value.`

// Request returns the tool that sends one HTTP request. Its detail is tool.RequestDetail.
func (w *Tools) Request() *tool.Tool {
	t := tool.New("http_request", httpRequestDescription, tool.Reads|tool.Reaches, w.runRequest)
	t.Intent = tool.IntentBy(hostIntent[httpRequestArgs])
	t.Input = t.Input.WithAliases(map[string]string{"uri": "url", "verb": "method", "header": "headers", "data": "body", "json": "body"})
	t.Timeout = 2 * time.Minute
	return t
}

func (w *Tools) runRequest(ctx context.Context, in httpRequestArgs, r *tool.Reply) error {
	u, t, err := parseURL(in.URL)
	if err != nil {
		return err
	}
	req, err := w.build(ctx, in, u, t)
	if err != nil {
		return err
	}
	begun := time.Now()
	client := w.client(r.Call(), network.ClientOptions{Hops: -1})
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return w.masked(w.failed(err, t))
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, answerBytes+1))
	if err != nil {
		r.Note("the connection broke: the end is missing")
	}
	if len(body) > answerBytes {
		body = body[:answerBytes]
		r.Note("only the first " + tool.SizeText(answerBytes) + " of the body were read")
	}
	r.Show(tool.Detail{Request: &tool.RequestDetail{Method: req.Method, URL: w.mask.String(u.String()), Status: resp.StatusCode, Bytes: len(body), Duration: time.Since(begun)}})
	w.answer(r, resp, body)
	return nil
}

// build makes the request, with the secrets inserted.
func (w *Tools) build(ctx context.Context, in httpRequestArgs, u *url.URL, t network.Target) (*http.Request, error) {
	if placeholder().MatchString(in.URL) || strings.Contains(in.URL, "secret:") {
		return nil, &tool.Error{Kind: tool.BadArguments, Text: "A secret is not inserted into a URL: servers and logs keep URLs.", Hint: "Use it in a header or in the body."}
	}
	body, err := w.fill(in.Body, u, t)
	if err != nil {
		return nil, err
	}
	method := in.Method
	if method == "" {
		method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), strings.NewReader(body))
	if err != nil {
		return nil, webError(err)
	}
	req.Header.Set("User-Agent", w.options.Agent)
	for _, name := range slices.Sorted(maps.Keys(in.Headers)) {
		if fixedHeader(name) {
			return nil, &tool.Error{Kind: tool.BadArguments, Text: "The header " + name + " is set by rein.", Hint: "Leave it out."}
		}
		value, err := w.fill(in.Headers[name], u, t)
		if err != nil {
			return nil, err
		}
		if strings.ContainsAny(name+value, "\r\n\x00") {
			return nil, &tool.Error{Kind: tool.BadArguments, Text: "A header contains a line break.", Hint: "Send one value for each header."}
		}
		req.Header.Set(name, value)
	}
	return req, nil
}

// fixedHeader reports a header that belongs to the connection, not to the request.
func fixedHeader(name string) bool {
	switch http.CanonicalHeaderKey(strings.TrimSpace(name)) {
	case "Host", "Connection", "Content-Length", "Transfer-Encoding", "Te", "Trailer", "Upgrade", "Keep-Alive", "Expect", "Accept-Encoding":
		return true
	}
	return strings.HasPrefix(http.CanonicalHeaderKey(name), "Proxy-")
}

// answer writes the status, the headers and the body. Secrets that the server sends back are masked.
func (w *Tools) answer(r *tool.Reply, resp *http.Response, body []byte) {
	fmt.Fprintln(r, resp.Proto, resp.Status)
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(resp.Header)) {
		for _, value := range resp.Header[name] {
			fmt.Fprintf(&text, "%s: %s\n", name, value)
		}
	}
	text.WriteByte('\n')
	header := resp.Header.Get("Content-Type")
	if kind := contentKind(header, body); len(body) > 0 && !isText(kind) {
		fmt.Fprintf(&text, "(%s of %s, not text)\n", kind, tool.SizeText(int64(len(body))))
	} else if decoded, err := toUTF8(body, header); err == nil {
		text.Write(decoded)
	}
	document.QuoteUntrusted(r, resp.Request.URL.Host, w.mask.String(document.Printable(text.String()))) // in this order: removed characters could have hidden a secret
}

// masked is an error without the secrets that it may contain.
func (w *Tools) masked(err error) error {
	e := *tool.AsError(err)
	e.Text, e.Hint = w.mask.String(e.Text), w.mask.String(e.Hint)
	return &e
}
