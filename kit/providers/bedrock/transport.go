package bedrock

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"time"
)

// streamType is the type of an event stream.
const streamType = "application/vnd.amazon.eventstream"

// SigningTransport signs the requests that it sends, unless they have an Authorization, and gives event streams as server-sent
// events.
type SigningTransport struct {
	Next   http.RoundTripper // nil: the default one
	Signer Signer
	Keys   func(context.Context) (Credentials, error) // nil: nothing is signed
	Now    func() time.Time                           // nil: time.Now
}

// RoundTrip implements http.RoundTripper.
func (t *SigningTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	next := t.Next
	if next == nil {
		next = http.DefaultTransport
	}
	if t.Keys != nil && r.Header.Get("Authorization") == "" {
		var err error
		if r, err = t.signed(r); err != nil {
			return nil, err
		}
	}
	answer, err := next.RoundTrip(r)
	if err == nil && strings.HasPrefix(answer.Header.Get("Content-Type"), streamType) {
		answer.Header.Set("Content-Type", "text/event-stream")
		answer.Body = serverSentEvents(answer.Body, strings.HasSuffix(r.URL.Path, invokeSuffix))
	}
	return answer, err
}

// signed returns a copy of the request with its signature.
func (t *SigningTransport) signed(r *http.Request) (*http.Request, error) {
	keys, err := t.Keys(r.Context())
	if err != nil {
		return nil, err
	}
	var body []byte
	if r.Body != nil {
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r.Body.Close()
	}
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	now := time.Now
	if t.Now != nil {
		now = t.Now
	}
	t.Signer.Sign(r, body, keys, now())
	return r, nil
}
