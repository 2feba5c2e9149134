package network

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// connect opens a tunnel. Only the name in the request was checked before, so what the program then sends in the
// tunnel must fit it, on every port: see greet.
func (s *session) connect(w http.ResponseWriter, r *http.Request) {
	e := s.exchange(ProxyRequest{Method: r.Method, Host: r.Host})
	t, upstream, err := s.open(r)
	if t.Host != "" {
		e.aims(t)
	}
	if err != nil {
		s.refuseConnect(w, e, err)
		return
	}
	defer upstream.Close()
	e.request.Addr = upstream.RemoteAddr().String()
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		e.refused(w, err)
		return
	}
	defer client.Close()
	if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	e.begun()
	defer e.done()
	tunnel := &tunnel{session: s, exchange: e, target: t, client: client, upstream: upstream, early: buffered.Reader}
	tunnel.run(r.Context())
}

// open judges the target of a CONNECT and dials it.
func (s *session) open(r *http.Request) (Target, net.Conn, error) {
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		return Target{}, nil, &Refusal{Rule: "host", Host: r.Host, Text: "CONNECT needs host:port"}
	}
	t, err := ParseTarget(host, port)
	if err != nil {
		return t, nil, err
	}
	upstream, err := s.policy().Dial(r.Context(), outside(t))
	return t, upstream, err
}

// refuseConnect answers with the reason in the status line, in a header and in the body.
func (s *session) refuseConnect(w http.ResponseWriter, e *exchange, err error) {
	client, _, hijackErr := http.NewResponseController(w).Hijack()
	if hijackErr != nil {
		e.refused(w, err)
		return
	}
	defer client.Close()
	status := e.fail(err)
	body := e.words()
	_ = client.SetWriteDeadline(time.Now().Add(headerTime))
	_, _ = fmt.Fprintf(client, "%s%s: %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		e.statusLine(status), deniedHeader, e.request.Rule, len(body), body)
}

// tunnel is one connection through the proxy.
type tunnel struct {
	*session
	*exchange
	target           Target
	client, upstream net.Conn
	early            *bufio.Reader // what the client sent together with its request, then the client
	active           atomic.Int64  // time of the last byte either way, in nanoseconds since the request
}

// run copies both ways until both have ended, the tunnel is idle for too long, or the context ends.
func (t *tunnel) run(ctx context.Context) {
	stop := context.AfterFunc(ctx, t.cut)
	defer stop()
	var both sync.WaitGroup
	both.Go(func() {
		defer closeWrite(t.client)
		t.copy(t.client, t.upstream, t.upstream, &t.down)
	})
	both.Go(func() {
		defer closeWrite(t.upstream)
		if err := t.greet(); err != nil {
			t.request.Rule, t.request.Reason = ProxyUnreachable, err.Error()
			if r := refusal(err); r != nil {
				t.request.Rule, t.request.Reason, t.request.Allowed = r.Rule, r.Error(), false
			}
			t.cut()
			return
		}
		t.copy(t.upstream, t.early, t.client, &t.up)
	})
	both.Wait()
}

func (t *tunnel) cut() {
	t.client.Close()
	t.upstream.Close()
}

// greet looks at the first bytes of the client and passes them on when they fit what was judged: a TLS greeting that names
// the host. Bytes without TLS pass where the server greets first, as ssh and mail servers do, and to a host that may get
// everything. Else the limits of plain HTTP (methods, length of the URL, Host header) would not hold in a tunnel.
func (t *tunnel) greet() error {
	first, err := t.firstByte()
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return fmt.Errorf("first bytes: %w", err)
	}
	switch {
	case first == tlsHandshake:
	case t.target.Port == httpsPort:
		return &Refusal{Rule: "sni", Host: t.target.Host, Text: "only TLS passes on port 443"}
	case t.options.Send != nil && t.options.Send(t.target), t.down.Load() > 0 && t.target.Port != httpPort:
		return nil
	default:
		return &Refusal{Rule: "method", Host: t.target.Host, Text: "only TLS passes in a tunnel to a server that does not greet first",
			Hint: "plain HTTP goes to the proxy without CONNECT; other protocols need access with sending: request_access with \"send\": true"}
	}
	_ = t.client.SetReadDeadline(time.Now().Add(headerTime))
	hello, name, err := readHello(t.early)
	if err != nil {
		return fmt.Errorf("TLS greeting: %w", err)
	}
	if !t.fits(name) {
		_, _ = t.client.Write(unrecognizedName)
		return &Refusal{Rule: "sni", Host: t.target.Host, Text: fmt.Sprintf("the TLS greeting names another host: %q", name), Hint: "connect to that host itself"}
	}
	n, err := t.upstream.Write(hello)
	t.up.Add(int64(n))
	return err
}

// firstByte waits for the client, for as long as the server sends.
func (t *tunnel) firstByte() (byte, error) {
	for {
		before := t.down.Load()
		_ = t.client.SetReadDeadline(time.Now().Add(headerTime))
		first, err := t.early.Peek(1)
		if err == nil {
			return first[0], nil
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) || t.target.Port == httpsPort || t.target.Port == httpPort || before == 0 && t.down.Load() == 0 {
			return 0, err
		}
	}
}

// fits reports whether the name in a TLS greeting is that of the tunnel; a literal address has none.
func (t *tunnel) fits(name string) bool {
	if t.target.Addr.IsValid() {
		return name == ""
	}
	return strings.EqualFold(strings.TrimSuffix(name, "."), t.target.Host)
}

const (
	httpPort  = 80
	httpsPort = 443
)

// copy moves bytes one way. A read that runs into its deadline continues while the other way is active.
func (t *tunnel) copy(to io.Writer, from io.Reader, conn net.Conn, n *atomic.Int64) {
	buffer := t.buffers.Get()
	defer t.buffers.Put(buffer)
	idle := t.options.Idle
	for {
		_ = conn.SetReadDeadline(time.Now().Add(idle))
		read, err := from.Read(buffer)
		if read > 0 {
			t.active.Store(int64(time.Since(t.request.Time)))
			n.Add(int64(read))
			if _, err := to.Write(buffer[:read]); err != nil {
				t.cut()
				return
			}
		}
		if errors.Is(err, os.ErrDeadlineExceeded) && time.Since(t.request.Time)-time.Duration(t.active.Load()) < idle {
			continue
		}
		if err != nil && err != io.EOF {
			t.cut()
		}
		if err != nil {
			return
		}
	}
}
