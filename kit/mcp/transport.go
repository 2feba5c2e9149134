package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
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
		return reached{&sdk.IOTransport{Reader: &messages{r: bufio.NewReaderSize(pipe, 64<<10), c: once, most: most, other: s.log, saw: s.tasks.saw}, Writer: once, MaxLineLength: most}, func() { once.Close() }}, nil
	}
	if s.o.HTTP == nil {
		return reached{}, errors.New("servers on the network cannot be reached here")
	}
	client, err := s.o.HTTP(e)
	if err != nil {
		return reached{}, err
	}
	client = s.tasks.watched(client)
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
// end the connection. An answer that is too long becomes an error, so that only its call fails.
type messages struct {
	r     *bufio.Reader
	c     io.Closer
	most  int
	other io.Writer
	saw   func(message []byte)
	rest  []byte
}

func (m *messages) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		piece, err := m.r.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return 0, err
		}
		start := bytes.TrimLeft(piece, " \t\r")
		message := len(start) > 0 && (start[0] == '{' || start[0] == '[')
		switch {
		case message && err == nil && !isMessage(start): // a longer line is no line of a log
			m.other.Write(piece)
			m.rest = failedAnswer(start)
		case !message:
			err = m.pass(piece, err)
		case err == nil:
			m.rest = piece
		default:
			m.rest, err = m.long(bytes.Clone(piece))
		}
		if err != nil {
			return 0, err
		}
		if message && len(m.rest) > 0 {
			m.saw(m.rest)
		}
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// isMessage reports whether a line that begins like one is a message, and not "[info] ready" or what a program prints of its objects.
func isMessage(line []byte) bool {
	if line[0] == '[' {
		return json.Valid(line)
	}
	_, err := jsonrpc.DecodeMessage(line)
	return err == nil
}

// failedAnswer is an error in place of an answer that is no message, so that its call ends; nothing for any other line.
func failedAnswer(line []byte) []byte {
	var about topLevel
	about.feed(line)
	if about.asks || !json.Valid(about.id) || !bytes.Contains(line, []byte(`"jsonrpc"`)) {
		return nil
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32700,"message":"the answer is no message of the protocol"}}`+"\n", about.id)
}

// pass writes a line that is no message. full is the error of its first piece.
func (m *messages) pass(piece []byte, full error) error {
	for {
		m.other.Write(piece)
		if full == nil {
			return nil
		}
		if piece, full = m.r.ReadSlice('\n'); full != nil && !errors.Is(full, bufio.ErrBufferFull) {
			return full
		}
	}
}

// long reads the rest of a message that began. One that is too long is replaced by an error with its id; one that no call waits for, by
// nothing.
func (m *messages) long(message []byte) ([]byte, error) {
	var about topLevel
	about.feed(message)
	size, whole := len(message), false
	for !whole {
		piece, err := m.r.ReadSlice('\n')
		if whole = err == nil; !whole && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
		about.feed(piece)
		if size += len(piece); size <= m.most {
			message = append(message, piece...)
		} else {
			message = nil
		}
	}
	if size <= m.most {
		return message, nil
	}
	fmt.Fprintf(m.other, "rein: a message of %d bytes was dropped; at most %d are taken\n", size, m.most)
	if len(about.id) == 0 || about.asks {
		return nil, nil
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32001,"message":"the answer has %d bytes, and at most %d are taken: ask for less at once"}}`+"\n",
		about.id, size, m.most), nil
}

// topLevel finds the id of a message that is not kept, and whether it is a request.
type topLevel struct {
	depth           int
	inText, escaped bool
	word            []byte // the beginning of the last text of the top level
	reading, asks   bool   // the value of id now; it has a method
	id              []byte
}

func (t *topLevel) feed(p []byte) {
	for _, c := range p {
		if t.reading && !t.inText && (c == ',' || c == '}') {
			t.reading = false
		}
		if t.reading && len(t.id) < 200 {
			t.id = append(t.id, c)
		}
		t.step(c)
	}
}

func (t *topLevel) step(c byte) {
	switch {
	case t.escaped:
		t.escaped = false
	case t.inText && c == '\\':
		t.escaped = true
	case c == '"':
		if t.inText = !t.inText; t.inText && !t.reading {
			t.word = t.word[:0]
		}
	case t.inText:
		if t.depth == 1 && len(t.word) < 8 {
			t.word = append(t.word, c)
		}
	case c == '{' || c == '[':
		t.depth++
	case c == '}' || c == ']':
		t.depth--
	case c == ':' && t.depth == 1:
		t.reading = string(t.word) == "id"
		t.asks = t.asks || string(t.word) == "method"
	}
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

// reason returns what the program said of its failure: its last lines that speak of an error, at most three, else its last line.
func (t *tail) reason() string {
	lines := strings.Split(strings.TrimSpace(t.String()), "\n")
	var why []string
	last := ""
	for _, line := range lines[max(0, len(lines)-40):] {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "rein: ") {
			continue
		}
		last = line
		if failure().MatchString(line) && !slices.Contains(why, line) {
			why = append(why, line)
		}
	}
	if len(why) == 0 {
		why = []string{last}
	}
	return clip(visibleText(strings.Join(why[max(0, len(why)-3):], "; ")))
}

// failure is in the lines of programs that say why they end.
var failure = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)error\b|\b(fatal|panic|exception|cannot|not found|no such|denied|refused|failed|missing|required|usage)\b`)
})
