package network

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"sync"
	"time"
)

// ProxyOptions are the parts of a proxy. The zero value refuses everything.
type ProxyOptions struct {
	// Policy returns the rules that hold now; it is asked for each request, so that a host can be allowed while a
	// program runs. Nil, and a nil policy, refuse everything.
	Policy func() *Policy
	// Methods are those of plain HTTP that pass; nil means GET and HEAD. Inside a tunnel (https) methods cannot be
	// seen.
	Methods []string
	// Send reports whether every method of plain HTTP passes to a host; nil: to none.
	Send func(Target) bool
	// Report receives every request, from several goroutines: a refused one once, an allowed one at its start and
	// at its end. The end may be a refusal because of the address or the TLS greeting. Report must not block.
	// May be nil.
	Report func(ProxyRequest)

	// Ask returns the tool call by which a model asks the user for access to a host:port that was refused, or "" where
	// nobody would allow it. It becomes part of the answer to the program, whose output the model reads. It may be called
	// from several goroutines. May be nil.
	Ask func(address string) string

	// Own are clients of the same listener that have a proxy with rules of their own, by the key with which they prove who
	// they are: see ProxyKeyAddress. Nil: all clients have these rules.
	Own map[string]*Proxy

	Conns int           // connections at once of one listener; more wait. 0 means 128
	URL   int           // bytes of a URL; 0 means 4096
	Idle  time.Duration // after which a tunnel without traffic ends; 0 means 5 minutes
}

const (
	defaultConns  = 128
	defaultURL    = 4096
	longURL       = 1024 // from here on a URL is reported as Long
	defaultIdle   = 5 * time.Minute
	headerTime    = 10 * time.Second // for a request's header, and for the first bytes in a tunnel
	keepAlive     = 10 * time.Second // idle connections of clients, which hold a place
	answerTime    = time.Minute      // until the header of an upstream's answer
	maxHeader     = 64 << 10
	bufferSize    = 32 << 10
	idleUpstreams = 32
)

// Proxy is an HTTP and CONNECT proxy in rein's own process, by which programs inside the sandbox reach the hosts that a project
// allows, and no others. It resolves the names itself, dials the address that it checked, explains each refusal, and reports
// every request. Make it with NewProxy; it may serve many listeners at once.
type Proxy struct {
	options ProxyOptions
	forward *httputil.ReverseProxy
	buffers buffers
}

// NewProxy returns a proxy.
func NewProxy(o ProxyOptions) *Proxy {
	if o.Methods == nil {
		o.Methods = []string{http.MethodGet, http.MethodHead}
	}
	if o.Conns == 0 {
		o.Conns = defaultConns
	}
	if o.URL == 0 {
		o.URL = defaultURL
	}
	if o.Idle == 0 {
		o.Idle = defaultIdle
	}
	p := &Proxy{options: o}
	p.forward = &httputil.ReverseProxy{
		// The request comes rewritten already. Only the query, which the library tidies up, is put back as it was.
		Rewrite:        func(r *httputil.ProxyRequest) { r.Out.URL.RawQuery = r.In.URL.RawQuery },
		ErrorHandler:   p.failed,
		ModifyResponse: counted,
		FlushInterval:  -1,
		BufferPool:     &p.buffers,
		ErrorLog:       log.New(io.Discard, "", 0),
		Transport: &http.Transport{
			Proxy:                  nil,
			DialContext:            p.dial,
			DisableCompression:     true,
			MaxIdleConns:           idleUpstreams,
			MaxIdleConnsPerHost:    idleUpstreams / 2,
			IdleConnTimeout:        keepAlive,
			TLSHandshakeTimeout:    headerTime,
			ResponseHeaderTimeout:  answerTime,
			MaxResponseHeaderBytes: maxHeader,
		},
	}
	return p
}

func (p *Proxy) policy() *Policy {
	if p.options.Policy == nil {
		return nil
	}
	return p.options.Policy()
}

func (p *Proxy) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return p.policy().DialContext(ctx, network, addr)
}

// Serve serves a listener until it is closed, then ends the connections that came from it and returns.
func (p *Proxy) Serve(l net.Listener) {
	ctx, cancel := context.WithCancel(context.Background())
	s := &session{Proxy: p, running: new(sync.WaitGroup)}
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       keepAlive,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          log.New(io.Discard, "", 0),
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	_ = server.Serve(limit(l, p.options.Conns)) // it ends with the listener
	cancel()
	_ = server.Close()
	s.running.Wait()
}

// session is the proxy for one listener; it knows what still runs.
type session struct {
	*Proxy
	running *sync.WaitGroup
}

// ServeHTTP answers one request, which is judged separately even when its connection has been used before.
func (s *session) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.running.Add(1)
	defer s.running.Done()
	own, shows := s.keyed(r)
	if shows {
		greet(w, own != nil)
		return
	}
	if own != nil {
		s = &session{Proxy: own, running: s.running}
	}
	if r.Method == http.MethodConnect {
		s.connect(w, r)
		return
	}
	s.plain(w, r)
}

// plain forwards a request of plain HTTP.
func (p *Proxy) plain(w http.ResponseWriter, r *http.Request) {
	e := p.exchange(ProxyRequest{Method: r.Method, Host: r.URL.Host, Path: r.URL.Path})
	e.request.Long = len(r.RequestURI) > longURL
	u, t, err := Canonical(r.URL)
	if t = outside(t); err == nil && t.Host == localhost {
		u.Host = t.String()
	}
	if err == nil {
		e.aims(t)
		err = p.judge(r, t)
	}
	if err != nil {
		e.refused(w, err)
		return
	}
	e.begun()
	defer e.done()
	out := r.Clone(e.into(r.Context()))
	out.URL, out.Host = u, ""
	out.Header.Del("Upgrade") // no way out of the one exchange that was judged
	if out.Body != nil {
		out.Body = counter{out.Body, &e.up}
	}
	p.forward.ServeHTTP(w, out)
}

// HostName is how a program inside the sandbox names the machine outside: its own localhost is the sandbox's. It is
// judged and reached as localhost, so a rule like "localhost:3000" among the private ones opens it.
const HostName = "host.rein.internal"

const localhost = "localhost"

func outside(t Target) Target {
	if t.Host == HostName {
		t.Host = localhost
	}
	return t
}

func (p *Proxy) exchange(r ProxyRequest) *exchange {
	r.Time = time.Now()
	return &exchange{report: p.options.Report, ask: p.options.Ask, request: r}
}

func (p *Proxy) judge(r *http.Request, t Target) error {
	if err := p.policy().Check(t); err != nil {
		return err
	}
	if !slices.Contains(p.options.Methods, r.Method) && (p.options.Send == nil || !p.options.Send(t)) {
		return &Refusal{Rule: "method", Host: t.Host, Text: "the method " + r.Method + " is not allowed", Hint: "only " + list(p.options.Methods) + " pass; ask the user to allow more"}
	}
	if len(r.RequestURI) > p.options.URL {
		return &Refusal{Rule: "size", Host: t.Host, Text: "the URL is too long", Hint: "long URLs can carry data out; keep it shorter"}
	}
	return nil
}

// failed explains to the client why there is no response from upstream.
func (p *Proxy) failed(w http.ResponseWriter, r *http.Request, err error) {
	exchangeOf(r.Context()).refused(w, err)
}

// counted counts the bytes of an answer as they pass.
func counted(resp *http.Response) error {
	e := exchangeOf(resp.Request.Context())
	e.request.Status = resp.StatusCode
	resp.Body = counter{resp.Body, &e.down}
	return nil
}

// buffers lends the memory for copying.
type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte {
	if buffer, ok := b.pool.Get().(*[]byte); ok {
		return *buffer
	}
	return make([]byte, bufferSize)
}

func (b *buffers) Put(buffer []byte) { b.pool.Put(&buffer) }
