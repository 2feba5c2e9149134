package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"sync"
	"time"
)

// The limits that hold unless a Client says otherwise.
const (
	defaultIdle    = 120 * time.Second
	defaultMaxBody = 512 << 20
	maxFault       = 64 << 10 // bytes kept of the body of an error
)

// errStalled is returned when nothing came for the idle time.
var errStalled = errors.New("nothing came")

// errTooMuch is returned when the whole answer is longer than the client allows.
var errTooMuch = errors.New("answer too long")

// statusError is an answer that is no success.
type statusError struct {
	Status int
	Header http.Header
	Body   []byte // its first 64 KiB
}

func (e *statusError) Error() string { return fmt.Sprintf("HTTP status %d", e.Status) }

// client posts JSON to one server and returns the answer while it comes. It bounds how much may come and how long it may be
// silent, and tries nothing twice. It follows no redirect: headers with keys would go along.
type client struct {
	Transport http.RoundTripper // nil means the transport that all clients share
	Idle      time.Duration     // longest silence; 0 means 120 s
	MaxBody   int64             // bytes of an answer; 0 means 512 MiB
}

// do sends a request.
func (c *client) do(req *http.Request) (*http.Response, error) {
	client := http.Client{Transport: c.Transport, CheckRedirect: stay}
	if client.Transport == nil {
		client.Transport = shared()
	}
	return client.Do(req)
}

func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Post sends the pieces of body one after the other and returns the answer, which is to be closed. The pieces are not
// copied and must not change. Errors are a *statusError, errStalled, the context's cause, or the network's error.
func (c *client) Post(ctx context.Context, url string, header http.Header, body ...[]byte) (*stream, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	idle := c.Idle
	if idle == 0 {
		idle = defaultIdle
	}
	s := &stream{ctx: ctx, cancel: cancel, idle: idle, left: c.MaxBody}
	if s.left == 0 {
		s.left = defaultMaxBody
	}
	s.timer = time.AfterFunc(idle, func() { cancel(errStalled) })
	if err := s.open(c, url, header, body); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// stream is an answer that is coming.
type stream struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	idle   time.Duration
	left   int64

	body  io.ReadCloser
	kind  string
	ended bool
}

func (s *stream) open(c *client, url string, header http.Header, body [][]byte) error {
	req, err := http.NewRequestWithContext(s.ctx, http.MethodPost, url, nil)
	if err != nil {
		return err
	}
	req.Header = header
	setBody(req, body)
	res, err := c.do(req)
	if err != nil {
		return s.why(err)
	}
	s.timer.Stop()
	s.body = res.Body
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(s, maxFault))
		return &statusError{Status: res.StatusCode, Header: res.Header, Body: text}
	}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	s.kind = kind
	return nil
}

// Type returns what the answer says that it is, such as "text/event-stream"; empty when it does not say.
func (s *stream) Type() string { return s.kind }

// Read reads from the body. Only the time that it waits itself is idle time: a slow reader is not the server's silence.
func (s *stream) Read(p []byte) (int, error) {
	s.timer.Reset(s.idle)
	n, err := s.body.Read(p)
	s.timer.Stop()
	if n > 0 {
		if s.left -= int64(n); s.left < 0 {
			return 0, errTooMuch
		}
	}
	if err != nil && err != io.EOF {
		err = s.why(err)
	}
	s.ended = err == io.EOF
	return n, err
}

// why returns the reason behind an error that a cancelled context may have caused.
func (s *stream) why(err error) error {
	if s.ctx.Err() == nil {
		return err
	}
	cause := context.Cause(s.ctx)
	if errors.Is(cause, errStalled) {
		return fmt.Errorf("%w for %v", errStalled, s.idle)
	}
	return cause
}

// Drain reads what is left when the answer is known to be whole, so that the connection can be used again: a few bytes, and
// 100 ms at most.
func (s *stream) Drain() {
	if s.ended {
		return
	}
	s.idle = 100 * time.Millisecond
	_, _ = io.CopyN(io.Discard, s, 4<<10)
}

// Close ends the answer; when it was not read to its end, its connection too.
func (s *stream) Close() {
	s.timer.Stop()
	s.cancel(nil)
	if s.body != nil {
		_ = s.body.Close()
	}
}

// setBody lets a request send pieces in order. The transport may ask for them again when a kept connection turns out dead.
func setBody(req *http.Request, pieces [][]byte) {
	for _, p := range pieces {
		req.ContentLength += int64(len(p))
	}
	if req.ContentLength == 0 {
		return
	}
	req.GetBody = func() (io.ReadCloser, error) { return &body{pieces: pieces}, nil }
	req.Body = &body{pieces: pieces}
}

// body reads pieces one after the other.
type body struct {
	pieces [][]byte
	at     int // in the first piece
}

func (b *body) Read(p []byte) (n int, err error) {
	for n < len(p) && len(b.pieces) > 0 {
		m := copy(p[n:], b.pieces[0][b.at:])
		n += m
		if b.at += m; b.at == len(b.pieces[0]) {
			b.pieces, b.at = b.pieces[1:], 0
		}
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (b *body) Close() error { return nil }

// shared returns the transport of the process: clients without a transport of their own use it.
var shared = sync.OnceValue(NewTransport)

// NewTransport returns a transport for Client. It keeps connections, takes proxies and certificates from the usual
// variables (HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE), and uses HTTP/1.1: a stream has its connection for itself, so that one
// stalled stream delays no other, and each piece costs less. Nothing is read or opened before the first request.
func NewTransport() *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 20 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout: 20 * time.Second,
		MaxIdleConnsPerHost: 16,
		IdleConnTimeout:     90 * time.Second,
		DisableCompression:  true,
		Protocols:           &protocols,
		WriteBufferSize:     64 << 10,
		ReadBufferSize:      32 << 10,
	}
}
