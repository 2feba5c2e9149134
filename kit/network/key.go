package network

import (
	"crypto/subtle"
	"net/http"
)

// ProxyKeyAddress is what a client with a proxy of its own requests first: the answer asks for its key, as the password of the
// proxy. The client then sends the key with all its requests. It is no host: nothing is contacted.
const ProxyKeyAddress = "http://key.rein.internal/"

const keyHost = "key.rein.internal"

// keyed returns the proxy of the client that sent a request; nil: it has none of its own. It reports whether the client only
// wants to show its key.
func (p *Proxy) keyed(r *http.Request) (own *Proxy, shows bool) {
	if len(p.options.Own) == 0 {
		return nil, false
	}
	sent := http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}
	_, password, _ := sent.BasicAuth()
	for key, proxy := range p.options.Own {
		if subtle.ConstantTimeCompare([]byte(key), []byte(password)) == 1 {
			own = proxy
		}
	}
	return own, r.Method == http.MethodGet && r.URL.Host == keyHost
}

// greet answers a client that shows its key, or asks it for one.
func greet(w http.ResponseWriter, known bool) {
	if known {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header().Set("Proxy-Authenticate", `Basic realm="rein"`)
	http.Error(w, "This address is for clients with a key.", http.StatusProxyAuthRequired)
}
