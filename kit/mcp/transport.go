package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// reached is a transport with what ends it when no session came of it.
type reached struct {
	sdk.Transport
	end func()
}

// transport starts the program of the entry, or prepares the way to its address.
func (s *Server) transport(ctx context.Context, e ServerEntry) (reached, error) {
	none := func() {}
	most := s.o.Line
	if most <= 0 {
		most = DefaultLine
	}
	if e.Kind() == "stdio" {
		if s.o.Start == nil {
			return reached{}, errors.New("programs cannot be started here")
		}
		pipe, err := s.o.Start(ctx, e, s.log)
		if err != nil {
			return reached{}, err
		}
		once := &closeOnce{ReadWriteCloser: pipe}
		return reached{&sdk.IOTransport{Reader: &messages{r: bufio.NewReaderSize(pipe, 64<<10), c: once, most: most, other: s.log}, Writer: once, MaxLineLength: most}, func() { once.Close() }}, nil
	}
	if s.o.HTTP == nil {
		return reached{}, errors.New("servers on the network cannot be reached here")
	}
	client, err := s.o.HTTP(e)
	if err != nil {
		return reached{}, err
	}
	if len(e.Headers) > 0 {
		with := *client
		with.Transport = headers{client.Transport, e.Headers}
		client = &with
	}
	if e.Kind() == "sse" {
		return reached{lasting{&sdk.SSEClientTransport{Endpoint: e.URL, HTTPClient: client, MaxEventSize: most}}, none}, nil
	}
	t := &sdk.StreamableClientTransport{Endpoint: e.URL, HTTPClient: client, MaxEventSize: most}
	if s.o.Auth != nil && e.Headers["Authorization"] == "" {
		var handler auth.OAuthHandler
		if handler, err = s.o.Auth(e); err != nil {
			return reached{}, err
		}
		t.OAuthHandler = handler
	}
	return reached{t, none}, nil
}

// lasting is a transport whose connection outlives the context in which it was opened. The library binds the stream of SSE to it.
type lasting struct{ sdk.Transport }

func (l lasting) Connect(ctx context.Context) (sdk.Connection, error) {
	working, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	c, err := l.Transport.Connect(working)
	if !stop() && err == nil {
		err = errors.Join(context.Cause(ctx), c.Close())
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return c, nil // its Close ends the stream
}

// headers adds the headers of an entry to each request.
type headers struct {
	next http.RoundTripper
	more map[string]string
}

func (h headers) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for k, v := range maps.All(h.more) {
		r.Header.Set(k, v)
	}
	next := h.next
	if next == nil {
		next = http.DefaultTransport
	}
	return next.RoundTrip(r)
}

// closeOnce closes a pipe once, whoever comes first.
type closeOnce struct {
	io.ReadWriteCloser
	once sync.Once
	err  error
}

func (c *closeOnce) Close() error {
	c.once.Do(func() { c.err = c.ReadWriteCloser.Close() })
	return c.err
}

// messages reads the lines of a program that are messages. Other lines, such as a greeting, go where stderr goes: they would
// end the connection. A line that is too long is an error.
type messages struct {
	r     *bufio.Reader
	c     io.Closer
	most  int
	other io.Writer
	rest  []byte
	inOne bool // rest and what follows belong to a message
	size  int  // of the message so far
}

func (m *messages) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		piece, err := m.r.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return 0, err
		}
		whole := err == nil
		if !m.inOne {
			start := bytes.TrimLeft(piece, " \t\r")
			if len(start) == 0 || start[0] != '{' && start[0] != '[' {
				m.other.Write(piece)
				for !whole && err != nil { // the rest of a long line that is no message
					piece, err = m.r.ReadSlice('\n')
					if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
						return 0, err
					}
					m.other.Write(piece)
				}
				continue
			}
		}
		m.size += len(piece)
		if m.size > m.most {
			return 0, fmt.Errorf("a message is longer than %d bytes", m.most)
		}
		m.rest, m.inOne = piece, !whole
		if whole {
			m.size = 0
		}
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

func (m *messages) Close() error { return m.c.Close() }

// tail keeps the end of what is written.
type tail struct {
	mu   sync.Mutex
	most int
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-t.most):]...)
	if len(t.text) > 2*t.most {
		t.text = append([]byte(nil), t.text[len(t.text)-t.most:]...)
	}
	return len(p), nil
}

func (t *tail) line(text string) { t.Write([]byte(text + "\n")) }

// String returns the end of the text, from the beginning of a line.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := t.text[max(0, len(t.text)-t.most):]
	if len(text) < len(t.text) {
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			text = text[i+1:]
		}
	}
	return strings.ToValidUTF8(string(text), "�")
}

// last returns the last line that the program wrote.
func (t *tail) last() string {
	lines := strings.Split(strings.TrimSpace(t.String()), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if line := strings.TrimSpace(lines[i]); line != "" && !strings.HasPrefix(line, "rein: ") {
			return clip(visibleText(line))
		}
	}
	return ""
}
