package wire

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// shared returns the transport of the process: clients without a transport of their own use it.
var shared = sync.OnceValue(NewTransport)

// NewTransport returns a transport for Client. It keeps connections, takes proxies and certificates from the usual
// variables (HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE), and uses HTTP/1.1: a stream has its connection for itself, so that one
// stalled stream delays no other, and each piece costs less. Nothing is read or opened before the first request.
func NewTransport() *http.Transport {
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
