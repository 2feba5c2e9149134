package network

import (
	"net/http"
	"net/url"
	"testing"
)

// TestAClientWithAKey: it has rules of its own on the same listener; others have the listener's, whatever they send.
func TestAClientWithAKey(t *testing.T) {
	var strict *Policy
	w := newWorld(t, ProxyOptions{Own: map[string]*Proxy{"secret": NewProxy(ProxyOptions{Policy: func() *Policy { return strict }})}})
	good, own, tunnel := "http://good.test:"+w.plainPort+"/", "http://"+HostName+":"+w.plainPort+"/", "https://example.com:"+w.tlsPort+"/"
	strict, err := New(Options{Rules: Rules{Private: []string{"localhost:" + w.plainPort}}})
	if err != nil {
		t.Fatal(err)
	}
	const refused = 0 // a tunnel that was not opened
	for name, c := range map[string]struct {
		user *url.Userinfo
		url  string
		want int
	}{
		"no key, a host of all":                  {nil, good, http.StatusOK},
		"no key, a tunnel to a host of all":      {nil, tunnel, http.StatusOK},
		"no key, a host of the client's own":     {nil, own, http.StatusForbidden},
		"a wrong key is no key":                  {url.UserPassword("x", "secre"), own, http.StatusForbidden},
		"the key, a host of its own":             {url.UserPassword("x", "secret"), own, http.StatusOK},
		"the key, a host of the others":          {url.UserPassword("x", "secret"), good, http.StatusForbidden},
		"the key, a tunnel of the others":        {url.UserPassword("x", "secret"), tunnel, refused},
		"the key as a name is no key":            {url.UserPassword("secret", ""), own, http.StatusForbidden},
		"it is asked for the key":                {nil, ProxyKeyAddress, http.StatusProxyAuthRequired},
		"it is asked again after a wrong one":    {url.UserPassword("x", "wrong"), ProxyKeyAddress, http.StatusProxyAuthRequired},
		"it shows the key":                       {url.UserPassword("x", "secret"), ProxyKeyAddress, http.StatusNoContent},
		"an address beside it is a host as ever": {url.UserPassword("x", "secret"), "http://x." + keyHost + "/", http.StatusForbidden},
	} {
		client := w.client(t)
		client.Transport.(*http.Transport).Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: w.addr, User: c.user})
		status := refused
		resp, err := client.Get(c.url)
		if err == nil {
			status = resp.StatusCode
			resp.Body.Close()
		}
		if status != c.want {
			t.Errorf("%s: %d, want %d: %v", name, status, c.want, err)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, line := range w.lastRequest.Header["Proxy-Authorization"] {
		t.Errorf("the host received the key: %s", line)
	}
}
