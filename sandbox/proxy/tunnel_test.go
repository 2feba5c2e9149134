package proxy

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
	w := newWorld(t, Options{})
	for _, row := range []struct {
		rule, name string
		ok         bool
	}{{"its own name", "example.com", true}, {"in capitals", "EXAMPLE.com", true}, {"another name", "evil.test", false}, {"no name", "", false}} {
		t.Run(row.rule, func(t *testing.T) {
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
func (w *world) connect(t testing.TB, target string) net.Conn {
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

func TestRawBytesPassOnOtherPorts(t *testing.T) {
	w := newWorld(t, Options{})
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

func TestIdleTunnelEnds(t *testing.T) {
	w := newWorld(t, Options{Idle: 50 * time.Millisecond})
	conn := w.connect(t, "good.test:"+w.plainPort)
	defer conn.Close()
	fmt.Fprint(conn, "G")
	if n, err := conn.Read(make([]byte, 1)); err == nil {
		t.Errorf("read %d", n)
	}
	w.last(t)
}

func TestEndOfTheListenerEndsTunnels(t *testing.T) {
	w := newWorld(t, Options{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() { w.proxy.Serve(l); close(served) }()
	w.addr = l.Addr().String()
	conn := w.connect(t, "good.test:"+w.plainPort)
	defer conn.Close()
	fmt.Fprint(conn, "G")
	l.Close()
	select {
	case <-served:
	case <-time.After(10 * time.Second):
		t.Fatal("Serve did not return")
	}
}

func TestConnectionsAreBounded(t *testing.T) {
	w := newWorld(t, Options{Conns: 2})
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
