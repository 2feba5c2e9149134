package network

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// ssrf-11, domain fronting: the name in the TLS greeting has to be the one that was judged.
func TestGreetingMustNameTheHost(t *testing.T) {
	for _, row := range []struct {
		rule, name string
		ok         bool
	}{{"its own name", "example.com", true}, {"in capitals", "EXAMPLE.com", true}, {"another name", "evil.test", false}, {"no name", "", false}} {
		t.Run(row.rule, func(t *testing.T) {
			w := newWorld(t, ProxyOptions{})
			conn := w.connect(t, "example.com:"+w.tlsPort)
			defer conn.Close()
			client := tls.Client(conn, &tls.Config{ServerName: row.name, InsecureSkipVerify: true})
			err := client.Handshake()
			if (err == nil) != row.ok {
				t.Errorf("handshake: %v", err)
			}
			client.Close()
			if !row.ok {
				if r := w.last(t); r.Rule != "sni" || r.Allowed {
					t.Errorf("report %+v", r)
				}
			}
		})
	}
}

// connect opens a tunnel by hand.
func (w *proxyWorld) connect(t testing.TB, target string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", w.addr)
	if err != nil {
		t.Fatal(err)
	}
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, target)
	resp, err := http.ReadResponse(bufio.NewReaderSize(oneByte{conn}, 16), nil)
	if err != nil || resp.StatusCode != 200 {
		t.Fatal(err, resp)
	}
	return conn
}

// oneByte reads no further than it must, so that what follows a header stays in the connection.
type oneByte struct{ io.Reader }

func (o oneByte) Read(p []byte) (int, error) { return o.Reader.Read(p[:1]) }

// TestPlainHTTPInATunnel: the limits of plain HTTP hold in a tunnel to any port, because nothing without TLS passes.
func TestPlainHTTPInATunnel(t *testing.T) {
	for _, row := range []struct{ rule, send string }{
		{"a method that does not pass outside", "POST / HTTP/1.1\r\nHost: good.test\r\nContent-Length: 6\r\n\r\nsecret"},
		{"one that does", "GET / HTTP/1.0\r\nHost: good.test\r\n\r\n"},
		{"another host at the same address", "GET / HTTP/1.0\r\nHost: evil.test\r\n\r\n"},
		{"after an empty line", "\r\n\r\nPOST / HTTP/1.1\r\nHost: good.test\r\nContent-Length: 1\r\n\r\nx"},
		{"HTTP/2 without TLS", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
		{"a long URL", "GET /" + strings.Repeat("s", 5000) + " HTTP/1.0\r\nHost: good.test\r\n\r\n"},
		{"another protocol", "helo\r\n"},
		{"a greeting that is none", "\x16POST / HTTP/1.1\r\nHost: good.test\r\n\r\n"},
	} {
		t.Run(row.rule, func(t *testing.T) {
			w := newWorld(t, ProxyOptions{})
			conn := w.connect(t, "good.test:"+w.plainPort)
			defer conn.Close()
			fmt.Fprint(conn, row.send)
			back, _ := io.ReadAll(conn)
			if r := w.last(t); len(back) > 0 || r.Up > 0 || r.Allowed && r.Rule != "unreachable" {
				t.Errorf("%q came back; report %+v", back, r)
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.lastRequest != nil {
				t.Errorf("the server got %s %s of %s", w.lastRequest.Method, w.lastRequest.URL, w.lastRequest.Host)
			}
		})
	}
}

func TestRawBytesPassToAHostThatMayGetEverything(t *testing.T) {
	w := newWorld(t, ProxyOptions{Send: func(t Target) bool { return t.Host == "good.test" }})
	conn := w.connect(t, "good.test:"+w.plainPort)
	defer conn.Close()
	fmt.Fprintf(conn, "GET / HTTP/1.0\r\nHost: good.test\r\n\r\n")
	back, err := io.ReadAll(conn)
	if err != nil || !strings.Contains(string(back), "hello good.test") {
		t.Errorf("%q %v", back, err)
	}
	conn.Close()
	if r := w.last(t); r.Up == 0 || r.Down != int64(len(back)) {
		t.Errorf("report %+v", r)
	}
}

func TestRawBytesPassWhereTheServerGreetsFirst(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			fmt.Fprint(c, "SSH-2.0-test\r\n")
			line, _ := bufio.NewReader(c).ReadString('\n')
			fmt.Fprint(c, "got "+line)
			c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	w := newWorld(t, ProxyOptions{}, "ssh.test:"+port)
	policy, err := New(Options{Rules: Rules{Private: []string{"ssh.test:" + port}}, Resolver: names{"ssh.test": "127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	w.proxy.options.Policy = func() *Policy { return policy }
	conn := w.connect(t, "ssh.test:"+port)
	defer conn.Close()
	r := bufio.NewReader(conn)
	if line, err := r.ReadString('\n'); err != nil || line != "SSH-2.0-test\r\n" {
		t.Fatalf("%q %v", line, err)
	}
	fmt.Fprint(conn, "SSH-2.0-client\n")
	if line, err := r.ReadString('\n'); err != nil || line != "got SSH-2.0-client\n" {
		t.Errorf("%q %v", line, err)
	}
}

func TestIdleTunnelEnds(t *testing.T) {
	w := newWorld(t, ProxyOptions{Idle: 50 * time.Millisecond})
	conn := w.connect(t, "good.test:"+w.plainPort)
	defer conn.Close()
	fmt.Fprint(conn, "\x16")
	if n, err := conn.Read(make([]byte, 1)); err == nil {
		t.Errorf("read %d", n)
	}
	w.last(t)
}

func TestEndOfTheListenerEndsTunnels(t *testing.T) {
	w := newWorld(t, ProxyOptions{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() { w.proxy.Serve(l); close(served) }()
	w.addr = l.Addr().String()
	conn := w.connect(t, "good.test:"+w.plainPort)
	defer conn.Close()
	fmt.Fprint(conn, "\x16")
	l.Close()
	select {
	case <-served:
	case <-time.After(10 * time.Second):
		t.Fatal("Serve did not return")
	}
}

func TestConnectionsAreBounded(t *testing.T) {
	w := newWorld(t, ProxyOptions{Conns: 2})
	first, second := w.connect(t, "good.test:"+w.plainPort), w.connect(t, "good.test:"+w.plainPort)
	defer second.Close()
	third := make(chan string, 1)
	go func() {
		third <- w.raw(t, "GET http://evil.test/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	}()
	select {
	case <-third:
		t.Error("a third connection was served beside two")
	case <-time.After(100 * time.Millisecond):
	}
	first.Close()
	if back := <-third; !strings.Contains(back, "403") {
		t.Errorf("got %q", back)
	}
}
