package network

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"
)

// ProxyRequest is what a program wanted, and what became of it.
type ProxyRequest struct {
	Time    time.Time
	Method  string // CONNECT for a tunnel
	Host    string // a name or an address; what the client sent, where that names no host
	Port    uint16 // 0 where the client named none
	Path    string // of plain HTTP, without the query; empty for a tunnel
	Addr    string // the address that was dialled; empty when none was
	Allowed bool
	Rule    string // why it was refused, as in Refusal; Unreachable when it failed on the way
	Reason  string // the same in words
	Status  int    // of the response, 0 for a tunnel that works
	Long    bool   // the URL is unusually long: it may carry data out
	Up      int64  // bytes to the host, without headers
	Down    int64  // bytes from the host, without headers
	Took    time.Duration
	Done    bool // false: it was allowed and begins now; a second report follows
}

// ProxyUnreachable is the rule of a request that passed the policy and failed on the way.
const ProxyUnreachable = "unreachable"

// Address returns host:port, as rules of the policy and request_access name it.
func (r ProxyRequest) Address() string {
	if r.Port == 0 {
		return r.Host
	}
	return Target{Host: r.Host, Port: r.Port}.String()
}

// String names the request in one line: "GET example.org:80/path".
func (r ProxyRequest) String() string { return r.Method + " " + r.Address() + r.Path }

// deniedHeader carries the rule of a refusal.
const deniedHeader = "X-Rein-Denied"

// exchange is one request on its way.
type exchange struct {
	request  ProxyRequest
	report   func(ProxyRequest)
	ask      func(string) string
	up, down atomic.Int64
	ended    bool
}

type exchangeKey struct{}

// into puts the exchange where the forwarding code finds it again, and notes which address is used.
func (e *exchange) into(ctx context.Context) context.Context {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
		e.request.Addr = i.Conn.RemoteAddr().String()
	}})
	return context.WithValue(ctx, exchangeKey{}, e)
}

func exchangeOf(ctx context.Context) *exchange { return ctx.Value(exchangeKey{}).(*exchange) }

// aims notes the target, as the policy understood it.
func (e *exchange) aims(t Target) { e.request.Host, e.request.Port = t.Host, t.Port }

func (e *exchange) send() {
	if e.report != nil {
		e.report(e.request)
	}
}

func (e *exchange) begun() {
	e.request.Allowed = true
	e.send()
}

// done reports the end, once.
func (e *exchange) done() {
	if e.ended {
		return
	}
	e.ended = true
	e.request.Up, e.request.Down = e.up.Load(), e.down.Load()
	e.request.Took, e.request.Done = time.Since(e.request.Time), true
	e.send()
}

// fail ends the exchange with an error and returns the status for the client.
func (e *exchange) fail(err error) int {
	status := http.StatusBadGateway
	e.request.Rule, e.request.Reason = ProxyUnreachable, err.Error()
	if r := refusal(err); r != nil {
		status = http.StatusForbidden
		e.request.Rule, e.request.Reason, e.request.Allowed = r.Rule, r.Error(), false
	}
	e.request.Status = status
	e.done()
	return status
}

// refused answers a client with the reason.
func (e *exchange) refused(w http.ResponseWriter, err error) {
	status := e.fail(err)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set(deniedHeader, e.request.Rule)
	w.Header().Set("Connection", "close")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, e.words())
}

// words are the body of a refusal: the model reads them in its command's output.
func (e *exchange) words() string {
	if e.request.Rule == ProxyUnreachable {
		return fmt.Sprintf("[rein] %s could not be reached: %s\n", e.request.Address(), e.request.Reason)
	}
	text := fmt.Sprintf("[rein] The network policy refused %s\n[rein] Reason: %s\n", e.request, e.request.Reason)
	if e.ask == nil {
		return text
	}
	if call := e.ask(e.request.Address()); call != "" {
		text += "[rein] If the task needs this host, ask the user for access with this tool call: " + call + "\n"
	}
	return text
}

// statusLine is the first line of a refused CONNECT: many programs show nothing else of it.
func (e *exchange) statusLine(status int) string {
	reason := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, e.request.Reason)
	const most = 300
	return fmt.Sprintf("HTTP/1.1 %d rein: %.*s\r\n", status, most, reason)
}

// counter counts what is read of a body.
type counter struct {
	io.ReadCloser
	n *atomic.Int64
}

func (c counter) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.n.Add(int64(n))
	return n, err
}

func list(words []string) string { return strings.Join(words, ", ") }

// refusal is the refusal in an error, or nil.
func refusal(err error) *Refusal {
	r, _ := errors.AsType[*Refusal](err)
	return r
}
