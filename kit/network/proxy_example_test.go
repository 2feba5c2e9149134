package network

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
)

// A proxy that allows one host refuses all others, and its answer names the way to ask for access.
func Example() {
	policy, err := New(Options{Rules: Rules{Allow: []string{"proxy.golang.org"}}})
	if err != nil {
		panic(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0") // in a sandbox: the listener of sandbox.Policy.Proxy
	if err != nil {
		panic(err)
	}
	p := NewProxy(ProxyOptions{
		Policy: func() *Policy { return policy },
		Report: func(r ProxyRequest) { fmt.Println("report:", r.Method, r.Host, r.Port, r.Path, r.Allowed, r.Rule) },
		Ask:    func(address string) string { return `request_access {"host":"` + address + `"}` },
	})
	go p.Serve(listener)

	client := http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: listener.Addr().String()})}}
	answer, err := client.Get("http://example.org/data?key=1")
	if err != nil {
		panic(err)
	}
	body, _ := io.ReadAll(answer.Body)
	fmt.Print(answer.StatusCode, "\n", string(body))
	listener.Close()
	// Output:
	// report: GET example.org 80 /data false not-allowed
	// 403
	// [rein] The network policy refused GET example.org:80/data
	// [rein] Reason: example.org: not on the list of allowed hosts (allowed: proxy.golang.org; or ask the user to allow example.org)
	// [rein] If the task needs this host, ask the user for access with this tool call: request_access {"host":"example.org:80"}
}
