package network

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

type names map[string]string

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if a, ok := n[host]; ok {
		return []netip.Addr{netip.MustParseAddr(a)}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

// proxyWorld is a proxy before two upstreams on loopback, one plain and one with TLS, which play public hosts.
type proxyWorld struct {
	proxy       *Proxy
	addr        string // of the proxy
	plain, tls  *httptest.Server
	plainPort   string
	tlsPort     string
	mu          sync.Mutex
	reports     []ProxyRequest
	lastRequest *http.Request
}

func newWorld(t testing.TB, o ProxyOptions, extra ...string) *proxyWorld {
	t.Helper()
	w := &proxyWorld{}
	handler := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.lastRequest = r.Clone(context.Background())
		w.mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(rw, "hello %s %s", r.Host, body)
	})
	w.plain, w.tls = httptest.NewServer(handler), httptest.NewTLSServer(handler)
	w.plainPort, w.tlsPort = portOf(w.plain), portOf(w.tls)
	policy, err := New(Options{
		Rules: Rules{
			Allow:   append([]string{"public-but-private.test", "*.allowed.test"}, extra...),
			Private: []string{"good.test:" + w.plainPort, "example.com:" + w.tlsPort},
			Deny:    []string{"bad.allowed.test"},
		},
		Resolver: names{"good.test": "127.0.0.1", "example.com": "127.0.0.1", "public-but-private.test": "10.0.0.1", "meta.allowed.test": "169.254.169.254"},
	})
	if err != nil {
		t.Fatal(err)
	}
	o.Policy = func() *Policy { return policy }
	o.Report = func(r ProxyRequest) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.reports = append(w.reports, r)
	}
	w.proxy = NewProxy(o)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.addr = l.Addr().String()
	served := make(chan struct{})
	go func() { w.proxy.Serve(l); close(served) }()
	t.Cleanup(func() {
		l.Close()
		<-served
		w.proxy.forward.Transport.(*http.Transport).CloseIdleConnections()
		w.plain.Close()
		w.tls.Close()
	})
	return w
}

func portOf(s *httptest.Server) string { return s.URL[strings.LastIndexByte(s.URL, ':')+1:] }

func (w *proxyWorld) client(t testing.TB) *http.Client {
	pool := x509.NewCertPool()
	pool.AddCert(w.tls.Certificate())
	tr := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: w.addr}), TLSClientConfig: &tls.Config{RootCAs: pool}}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// raw sends bytes to the proxy and returns all that comes back.
func (w *proxyWorld) raw(t testing.TB, send string) string {
	t.Helper()
	c, err := net.Dial("tcp", w.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(c, send); err != nil {
		t.Fatal(err)
	}
	back, _ := io.ReadAll(c)
	return string(back)
}

// last waits for the report of an end and returns it.
func (w *proxyWorld) last(t testing.TB) ProxyRequest {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		w.mu.Lock()
		n := len(w.reports)
		if n > 0 && w.reports[n-1].Done {
			defer w.mu.Unlock()
			return w.reports[n-1]
		}
		w.mu.Unlock()
	}
	t.Fatal("no report")
	return ProxyRequest{}
}

func TestPlainHTTP(t *testing.T) {
	w := newWorld(t, ProxyOptions{})
	resp, err := w.client(t).Get("http://good.test:" + w.plainPort + "/path?a=1;b=%zz")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if want := "hello good.test:" + w.plainPort + " "; resp.StatusCode != 200 || string(body) != want {
		t.Errorf("%d %q, want %q", resp.StatusCode, body, want)
	}
	if got := w.lastRequest; got.URL.RawQuery != "a=1;b=%zz" || got.Header.Get("X-Forwarded-For")+got.Header.Get("Via")+got.Header.Get("Proxy-Connection") != "" {
		t.Errorf("upstream saw %v %v", got.URL, got.Header)
	}
	r := w.last(t)
	if !r.Allowed || !r.Done || r.Method != "GET" || r.Address() != "good.test:"+w.plainPort || r.Path != "/path" || r.Status != 200 || r.Down != int64(len(body)) || r.Addr != "127.0.0.1:"+w.plainPort {
		t.Errorf("report %+v", r)
	}
	if len(w.reports) != 2 || w.reports[0].Done || !w.reports[0].Allowed {
		t.Errorf("reports %+v", w.reports)
	}
}

func TestTunnel(t *testing.T) {
	w := newWorld(t, ProxyOptions{})
	resp, err := w.client(t).Post("https://example.com:"+w.tlsPort+"/", "text/plain", strings.NewReader("body"))
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if !strings.HasSuffix(string(body), " body") {
		t.Errorf("got %q", body)
	}
	w.mu.Lock()
	first := w.reports[0]
	w.mu.Unlock()
	if first.Method != "CONNECT" || first.Address() != "example.com:"+w.tlsPort || !first.Allowed || first.Done || first.Addr != "127.0.0.1:"+w.tlsPort {
		t.Errorf("report %+v", first)
	}
}

// ssrf-11, ssrf-13: raw requests to the proxy. "SERVER" is replaced by the plain upstream's port.
func TestRefusals(t *testing.T) {
	long := strings.Repeat("QUJD", 1100)
	for _, row := range []struct{ rule, send, status, denied string }{
		{"unknown host", "GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n", "403", "not-allowed"},
		{"denied host", "GET http://bad.allowed.test/ HTTP/1.1\r\nHost: bad.allowed.test\r\n\r\n", "403", "denied"},
		{"loopback", "GET http://127.0.0.1:SERVER/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "403", "not-allowed"},
		{"decimal loopback", "GET http://2130706433:SERVER/ HTTP/1.1\r\nHost: x\r\n\r\n", "403", "host"},
		{"port not allowed", "GET http://good.test:1/ HTTP/1.1\r\nHost: good.test\r\n\r\n", "403", "port"},
		{"allowed name at a private address", "GET http://public-but-private.test/ HTTP/1.1\r\nHost: x\r\n\r\n", "403", "address"},
		{"allowed name at the metadata address", "GET http://meta.allowed.test/ HTTP/1.1\r\nHost: x\r\n\r\n", "403", "address"},
		{"method", "POST http://good.test:SERVER/ HTTP/1.1\r\nHost: good.test\r\nContent-Length: 0\r\n\r\n", "403", "method"},
		{"long URL", "GET http://good.test:SERVER/" + long + " HTTP/1.1\r\nHost: good.test\r\n\r\n", "403", "size"},
		{"user in the URL", "GET http://a:b@good.test:SERVER/ HTTP/1.1\r\nHost: good.test\r\n\r\n", "403", "url"},
		{"file", "GET file:///etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", "403", "url"},
		{"request to the proxy itself", "GET / HTTP/1.1\r\nHost: good.test:SERVER\r\n\r\n", "403", "url"},
		{"CONNECT to an unknown host", "CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test:443\r\n\r\n", "403", "not-allowed"},
		{"CONNECT to an address", "CONNECT 127.0.0.1:SERVER HTTP/1.1\r\nHost: x\r\n\r\n", "403", "not-allowed"},
		{"CONNECT to a mapped address", "CONNECT [::ffff:127.0.0.1]:SERVER HTTP/1.1\r\nHost: x\r\n\r\n", "403", "not-allowed"},
		{"CONNECT to a private address behind an allowed name", "CONNECT public-but-private.test:443 HTTP/1.1\r\nHost: x\r\n\r\n", "403", "address"},
		{"CONNECT to the wrong port", "CONNECT good.test:22 HTTP/1.1\r\nHost: x\r\n\r\n", "403", "port"},
		{"CONNECT without a port", "CONNECT good.test HTTP/1.1\r\nHost: x\r\n\r\n", "403", "host"},
		{"CONNECT to port 0", "CONNECT good.test:0 HTTP/1.1\r\nHost: x\r\n\r\n", "403", "host"},
		{"name that does not resolve", "GET http://none.allowed.test/ HTTP/1.1\r\nHost: x\r\n\r\n", "502", "unreachable"},
	} {
		t.Run(row.rule, func(t *testing.T) {
			w := newWorld(t, ProxyOptions{})
			back := w.raw(t, strings.ReplaceAll(row.send, "SERVER", w.plainPort))
			if !strings.HasPrefix(back, "HTTP/1.1 "+row.status+" ") || !strings.Contains(back, "X-Rein-Denied: "+row.denied+"\r\n") || !strings.Contains(back, "[rein] ") {
				t.Errorf("got %q", back)
			}
			if r := w.last(t); r.Rule != row.denied || r.Reason == "" || row.status == "403" && r.Allowed {
				t.Errorf("report %+v", r)
			}
			if w.lastRequest != nil {
				t.Error("the upstream was reached")
			}
		})
	}
}

// A refusal names host, port, method and path as data in the report, and in words, with the way to ask, in the answer.
func TestRefusalNamesTheRequestAndTheWayToAsk(t *testing.T) {
	ask := func(address string) string { return `request_access {"host":"` + address + `"}` }
	for _, row := range []struct {
		name, request string
		want          ProxyRequest
		body          string
	}{
		{"plain", "GET http://evil.test/a?secret HTTP/1.1\r\nHost: x\r\n\r\n", ProxyRequest{Method: "GET", Host: "evil.test", Port: 80, Path: "/a"},
			"[rein] The network policy refused GET evil.test:80/a\n[rein] Reason: evil.test: not on the list of allowed hosts"},
		{"tunnel", "CONNECT Evil.test:443 HTTP/1.1\r\nHost: x\r\n\r\n", ProxyRequest{Method: "CONNECT", Host: "evil.test", Port: 443},
			"[rein] The network policy refused CONNECT evil.test:443\n[rein] Reason: evil.test: not on the list of allowed hosts"},
		{"a host that is none", "CONNECT evil HTTP/1.1\r\nHost: x\r\n\r\n", ProxyRequest{Method: "CONNECT", Host: "evil"},
			"[rein] The network policy refused CONNECT evil\n[rein] Reason: evil: CONNECT needs host:port"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t, ProxyOptions{Ask: ask})
			back := w.raw(t, row.request)
			if !strings.Contains(back, row.body) || !strings.Contains(back, "with this tool call: request_access {\"host\":\""+row.want.Address()+"\"}\n") {
				t.Errorf("the answer is\n%s", back)
			}
			got := w.last(t)
			if got.Method != row.want.Method || got.Host != row.want.Host || got.Port != row.want.Port || got.Path != row.want.Path {
				t.Errorf("the report is %+v", got)
			}
		})
	}
}

func TestZeroProxyRefusesEverything(t *testing.T) {
	rec := httptest.NewRecorder()
	NewProxy(ProxyOptions{}).plain(rec, httptest.NewRequest("GET", "http://example.com/", nil))
	if rec.Code != 403 {
		t.Errorf("got %d", rec.Code)
	}
}

// ssrf-11: the Host header does not matter; what was judged is what is sent.
func TestHostHeaderIsThatOfTheURL(t *testing.T) {
	w := newWorld(t, ProxyOptions{})
	back := w.raw(t, "GET http://good.test:"+w.plainPort+"/ HTTP/1.1\r\nHost: internal.test\r\nConnection: close\r\n\r\n")
	if !strings.Contains(back, "hello good.test:"+w.plainPort) {
		t.Errorf("got %q", back)
	}
}

// ssrf-11: each request on a connection is judged; two lengths for one body are refused by the parser.
func TestSmuggling(t *testing.T) {
	w := newWorld(t, ProxyOptions{Methods: []string{"GET", "POST"}})
	two := "GET http://good.test:SERVER/ HTTP/1.1\r\nHost: x\r\n\r\nGET http://evil.test/ HTTP/1.1\r\nHost: x\r\n\r\n"
	back := w.raw(t, strings.ReplaceAll(two, "SERVER", w.plainPort))
	if strings.Count(back, "HTTP/1.1 ") != 2 || !strings.Contains(back, "200 OK") || !strings.Contains(back, "403 Forbidden") {
		t.Errorf("two requests: %q", back)
	}
	smuggled := "POST http://good.test:SERVER/ HTTP/1.1\r\nHost: x\r\nContent-Length: 48\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n"
	if back := w.raw(t, strings.ReplaceAll(smuggled, "SERVER", w.plainPort)); strings.Contains(back, "hello evil") {
		t.Errorf("smuggled: %q", back)
	}
	doubled := "POST http://good.test:SERVER/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"
	if back := w.raw(t, strings.ReplaceAll(doubled, "SERVER", w.plainPort)); !strings.HasPrefix(back, "HTTP/1.1 400") {
		t.Errorf("two lengths: %q", back)
	}
}

func TestUpgradeDoesNotPass(t *testing.T) {
	w := newWorld(t, ProxyOptions{})
	w.raw(t, "GET http://good.test:"+w.plainPort+"/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n")
	if got := w.lastRequest; got == nil || got.Header.Get("Upgrade") != "" {
		t.Errorf("upstream saw %v", got)
	}
}

// The machine outside has a name of its own inside, which is judged as localhost.
func TestTheHostByName(t *testing.T) {
	w := newWorld(t, ProxyOptions{})
	ask := func(url string) (int, string) {
		resp, err := w.client(t).Get(url)
		if err != nil {
			return 0, err.Error()
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(body)
	}
	plain := "http://" + HostName + ":" + w.plainPort + "/"
	if status, body := ask(plain); status != 403 || !strings.Contains(body, "localhost: not on the list") {
		t.Errorf("not opened: %d %q", status, body)
	}
	w.proxy.options.Policy = openPolicy(t, "localhost:"+w.plainPort, "localhost:"+w.tlsPort)
	if status, body := ask(plain); status != 200 || !strings.Contains(body, "hello localhost:"+w.plainPort) {
		t.Errorf("opened: %d %q", status, body)
	}
	conn := w.connect(t, HostName+":"+w.tlsPort)
	defer conn.Close()
	client := tls.Client(conn, &tls.Config{ServerName: HostName, InsecureSkipVerify: true})
	if err := client.Handshake(); err != nil {
		t.Errorf("tunnel: %v", err)
	}
}

func TestHostCanBeAllowedMeanwhile(t *testing.T) {
	w := newWorld(t, ProxyOptions{})
	url := "http://127.0.0.1:" + w.plainPort + "/"
	status := func() int {
		resp, err := w.client(t).Get(url)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	if got := status(); got != 403 {
		t.Fatalf("before: %d", got)
	}
	w.proxy.options.Policy = openPolicy(t, "127.0.0.1:*")
	if got := status(); got != 200 {
		t.Errorf("after: %d", got)
	}
}

func openPolicy(t *testing.T, private ...string) func() *Policy {
	t.Helper()
	open, err := New(Options{Rules: Rules{Private: private}})
	if err != nil {
		t.Fatal(err)
	}
	return func() *Policy { return open }
}

// FuzzProxy holds that no words to the proxy reach a host that is not allowed.
func FuzzProxy(f *testing.F) {
	f.Add("GET http://evil.test/ HTTP/1.1\r\nHost: good.test\r\n\r\n")
	f.Add("CONNECT evil.test:443 HTTP/1.1\r\n\r\n")
	f.Add("GET http://127.0.0.1/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n")
	p := NewProxy(ProxyOptions{Policy: func() *Policy { return nil }})
	f.Fuzz(func(t *testing.T, words string) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(words)))
		if err != nil {
			return
		}
		rec := httptest.NewRecorder()
		(&session{Proxy: p, running: new(sync.WaitGroup)}).ServeHTTP(rec, r)
		if rec.Code != 403 || rec.Header().Get(deniedHeader) == "" {
			t.Errorf("%q: %d", words, rec.Code)
		}
	})
}
