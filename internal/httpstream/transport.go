package httpstream

import (
	"net"
	"net/http"
	"time"
)

// NewHTTP returns an HTTP client for Client. Its transport keeps connections, takes proxies and certificates from the
// usual variables (HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE), and speaks HTTP/1.1: a stream has its connection for itself, so
// that one stalled stream holds up no other, and each piece costs less. Nothing is read or opened before the first
// request. A nil transport means this one; another one is for tapes and tests.
func NewHTTP(transport http.RoundTripper) *http.Client {
	if transport == nil {
		transport = newTransport()
	}
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func newTransport() *http.Transport {
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
