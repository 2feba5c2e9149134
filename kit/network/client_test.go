package network

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func countingServer(t testing.TB) (hits func() int64, addr string) {
	t.Helper()
	var n atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { n.Add(1) }))
	t.Cleanup(s.Close)
	return n.Load, s.Listener.Addr().String()
}

// ssrf-01, 02, 03, 09: no spelling of this machine reaches a server on its loopback, with either resolver.
func TestNoSpellingReachesLoopback(t *testing.T) {
	hits, addr := countingServer(t)
	port := addr[strings.LastIndexByte(addr, ':')+1:]
	hosts := []string{
		"127.0.0.1", "localhost", "LOCALHOST", "localhost.", "foo.localhost", "0", "0.0.0.0", "127.1", "127.0.1", "2130706433", "0x7f.1", "0x7f000001",
		"0177.0.0.1", "017700000001", "127.0.0.1.", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]",
		"[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fe80::1%25eth0]", "[::1%25lo]", "[::ffff:0:127.0.0.1]",
		"①②⑦.⓪.⓪.①", "127。0。0。1", "１２７.０.０.１", "127.0.0.1\u00ad", "local\u00adhost", "ｌｏｃａｌｈｏｓｔ", "allowed.example@127.0.0.1", "127.0.0.1#@allowed.example",
		`allowed.example\@127.0.0.1`, "127.0.0.1%00.example.com", "127.0.0.1%2f.example.com",
	}
	for _, pure := range []bool{true, false} {
		p, err := New(Options{Rules: Rules{Allow: []string{"*:*"}}, Resolver: &net.Resolver{PreferGo: pure}})
		if err != nil {
			t.Fatal(err)
		}
		client := p.Client(ClientOptions{Time: 5 * time.Second})
		for _, host := range hosts {
			for _, form := range []string{"http://" + host + ":" + port + "/", "https://" + host + ":" + port + "/"} {
				if resp, err := client.Get(form); err == nil {
					t.Errorf("%s answered %d", form, resp.StatusCode)
					resp.Body.Close()
				}
			}
		}
	}
	if hits() != 0 {
		t.Errorf("%d hits", hits())
	}
}

// ssrf-10: proxies of the environment are not asked.
func TestNoProxyFromTheEnvironment(t *testing.T) {
	hits, addr := countingServer(t)
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
		t.Setenv(name, "http://"+addr)
	}
	t.Setenv("NO_PROXY", "")
	p := mustPolicy(t, Rules{Allow: []string{"*:*"}})
	p.resolver = &answers{names: map[string][][]string{"a.test": {{"127.0.0.1"}}}}
	if _, err := p.Client(ClientOptions{}).Get("http://a.test/"); ruleOf(err) != "address" || hits() != 0 {
		t.Errorf("err %v, %d hits", err, hits())
	}
}

// world is a server that plays several public names; the policy opens them at its port.
func world(t *testing.T, names []string, handler http.HandlerFunc) (p *Policy, port string) {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	port = fmt.Sprint(netip.MustParseAddrPort(s.Listener.Addr().String()).Port())
	table, rules := map[string][][]string{}, Rules{Allow: []string{"*"}}
	for _, name := range names {
		table[name] = [][]string{{"127.0.0.1"}}
		rules.Private = append(rules.Private, name+":"+port)
	}
	table["private.test"] = [][]string{{"10.0.0.1"}}
	p, err := New(Options{Rules: rules, Resolver: &answers{names: table}})
	if err != nil {
		t.Fatal(err)
	}
	return p, port
}

// ssrf-06: each redirect is judged.
func TestRedirects(t *testing.T) {
	var hits atomic.Int64
	p, port := world(t, []string{"good.test"}, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/secret") {
			hits.Add(1)
			return
		}
		if r.URL.Path == "/loop" {
			http.Redirect(w, r, "/loop", http.StatusFound)
			return
		}
		to := strings.ReplaceAll(r.URL.Query().Get("to"), "PORT", r.Host[strings.LastIndexByte(r.Host, ':')+1:])
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	})
	for _, row := range []struct{ rule, to, want string }{
		{"loopback", "http://127.0.0.1:PORT/secret", "address"},
		{"localhost", "http://localhost:PORT/secret", "port"},
		{"mapped loopback", "http://[::ffff:127.0.0.1]:PORT/secret", "address"},
		{"loopback in hex", "http://0x7f.1:PORT/secret", "host"},
		{"private name", "http://private.test/secret", "address"},
		{"metadata", "http://169.254.169.254/latest/meta-data/", "address"},
		{"metadata name", "http://metadata.google.internal/", "address"},
		{"file", "file:///etc/passwd", "url"},
		{"gopher", "gopher://127.0.0.1:6379/_", "url"},
		{"user information", "http://good.test@127.0.0.1:PORT/secret", "url"},
		{"scheme-relative", "//127.0.0.1:PORT/secret", "address"},
		{"loop", "/loop", "redirect"},
	} {
		t.Run(row.rule, func(t *testing.T) {
			resp, err := p.Client(ClientOptions{}).Get("http://good.test:" + port + "/?to=" + row.to)
			if got := ruleOf(err); got != row.want {
				t.Errorf("rule %q (%v), want %q", got, err, row.want)
			}
			if resp != nil && err == nil {
				resp.Body.Close()
			}
		})
	}
	if hits.Load() != 0 {
		t.Errorf("%d hits", hits.Load())
	}
}

// ssrf-06: what could be a credential stays with the origin, and so does a body.
func TestNothingSecretLeavesTheOrigin(t *testing.T) {
	var seen []http.Header
	p, port := world(t, []string{"a.test", "b.test"}, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Clone())
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusTemporaryRedirect)
		}
	})
	get := func(method, url string, body io.Reader) error {
		seen = nil
		req, err := http.NewRequest(method, url, body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"X-Api-Key": {"k"}, "Authorization": {"Bearer k"}, "Cookie": {"s=1"}, "Accept": {"text/html"}}
		resp, err := p.Client(ClientOptions{}).Do(req)
		if err == nil {
			resp.Body.Close()
		}
		return err
	}
	a, b := "http://a.test:"+port, "http://b.test:"+port
	if err := get("GET", a+"/?to=/same", nil); err != nil || seen[1].Get("X-Api-Key") != "k" {
		t.Errorf("same origin: %v, %v", err, seen)
	}
	if err := get("GET", a+"/?to="+b+"/", nil); err != nil || len(seen) != 2 {
		t.Fatalf("other origin: %v, %d", err, len(seen))
	}
	if h := seen[1]; h.Get("X-Api-Key")+h.Get("Authorization")+h.Get("Cookie") != "" || h.Get("Accept") != "text/html" {
		t.Errorf("other origin got %v", h)
	}
	if err := get("GET", a+"/?to="+b+"/%3Fto%3D"+a+"/", nil); err != nil || len(seen) != 3 || seen[2].Get("X-Api-Key") != "" {
		t.Errorf("there and back: %v, %v", err, seen)
	}
	if err := get("POST", a+"/?to="+b+"/", strings.NewReader("secret")); ruleOf(err) != "redirect" || len(seen) != 1 {
		t.Errorf("body: %v, %d requests", err, len(seen))
	}
	if err := get("POST", a+"/?to=/same", strings.NewReader("secret")); err != nil || len(seen) != 2 {
		t.Errorf("body to the same origin: %v", err)
	}
}

func TestForeignHostHeaderIsRefused(t *testing.T) {
	p, port := world(t, []string{"a.test"}, func(http.ResponseWriter, *http.Request) {})
	req, _ := http.NewRequest("GET", "http://a.test:"+port+"/", nil)
	req.Host = "b.test"
	if _, err := p.Client(ClientOptions{}).Do(req); ruleOf(err) != "host" {
		t.Errorf("got %v", err)
	}
}

// ssrf-14: bodies and headers that never end, and bombs.
func TestAnswersAreBounded(t *testing.T) {
	bomb := gzipped(t, 16<<20)
	p, port := world(t, []string{"a.test"}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bomb)
		case "/endless":
			for chunk := make([]byte, 64<<10); ; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		case "/trickle":
			for range 1000 {
				if _, err := w.Write([]byte{'.'}); err != nil {
					return
				}
				w.(http.Flusher).Flush()
				select {
				case <-r.Context().Done():
					return
				case <-time.After(20 * time.Millisecond):
				}
			}
		case "/headers":
			for i := range 100_000 {
				w.Header().Set(fmt.Sprintf("X-H-%d", i), "v")
			}
		case "/silent":
			<-r.Context().Done()
		case "/exact":
			w.Write(make([]byte, 1<<20))
		case "/short":
			w.Header().Set("Content-Length", "100")
			w.Write([]byte("x"))
		}
	})
	for _, row := range []struct {
		path string
		time time.Duration
		want string // words that the error may have, separated by |; empty means none
	}{
		{"/bomb", time.Minute, "longer than 1048576 bytes"},
		{"/endless", time.Minute, "longer than 1048576 bytes"},
		{"/trickle", 300 * time.Millisecond, "deadline exceeded|imeout"},
		{"/headers", time.Minute, "server response headers exceeded"},
		{"/silent", 200 * time.Millisecond, "deadline exceeded|imeout"},
		{"/short", time.Minute, "unexpected EOF"},
		{"/exact", time.Minute, ""},
	} {
		t.Run(row.path, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			resp, err := p.Client(ClientOptions{Body: 1 << 20, Time: row.time, Header: row.time}).Get("http://a.test:" + port + row.path)
			if err == nil {
				_, err = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			runtime.ReadMemStats(&after)
			if !errorHas(err, row.want) {
				t.Errorf("got %v, want %q", err, row.want)
			}
			if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 64<<20 {
				t.Errorf("heap grew by %d MiB", grown>>20)
			}
		})
	}
}

func errorHas(err error, want string) bool {
	if err == nil || want == "" {
		return err == nil && want == ""
	}
	return slices.ContainsFunc(strings.Split(want, "|"), func(words string) bool { return strings.Contains(err.Error(), words) })
}

func gzipped(t *testing.T, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	for zeros := make([]byte, 1<<20); n > 0; n -= len(zeros) {
		if _, err := w.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	return b.Bytes()
}

func BenchmarkCheck(b *testing.B) {
	p := mustPolicy(b, Rules{Allow: []string{"proxy.golang.org", "*.github.com", "registry.npmjs.org"}, Deny: []string{"*.evil.test"}})
	target, _ := ParseTarget("api.github.com", "443")
	addr := netip.MustParseAddr("93.184.215.14")
	for b.Loop() {
		if err := p.CheckAddr(target, addr); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseURL(b *testing.B) {
	for b.Loop() {
		if _, _, err := ParseURL("https://pkg.example.com/some/path?query=1"); err != nil {
			b.Fatal(err)
		}
	}
}
