package main

// This file measures the sandbox's proxy on loopback: requests a second and memory, straight and through the
// proxy, as plain HTTP and in tunnels. Nothing leaves the machine.
//
//	go run ./lab/load proxy -n 20000 -c 64

import (
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"rein/kit/network"
)

func loadProxy() {
	requests := flag.Int("n", 20_000, "requests in each row")
	clients := flag.Int("c", 64, "clients at once")
	size := flag.Int("size", 4096, "bytes of an answer")
	flag.Parse()
	if err := run(*requests, *clients, *size); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(requests, clients, size int) error {
	body := make([]byte, size)
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) })
	plain, secure := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	defer plain.Close()
	defer secure.Close()
	via, reports, err := serve(plain.URL, secure.URL)
	if err != nil {
		return err
	}
	for _, row := range []struct {
		name, url string
		proxy     *url.URL
		fresh     bool // a new connection for each request
	}{
		{"plain, straight", plain.URL, nil, false},
		{"plain, proxy", plain.URL, via, false},
		{"tls, straight", secure.URL, nil, false},
		{"tls, tunnel kept", secure.URL, via, false},
		{"plain, straight, new connections", plain.URL, nil, true},
		{"plain, proxy, new connections", plain.URL, via, true},
		{"tls, tunnel each", secure.URL, via, true},
	} {
		transport := secure.Client().Transport.(*http.Transport).Clone()
		transport.Proxy, transport.MaxIdleConnsPerHost, transport.DisableKeepAlives = http.ProxyURL(row.proxy), clients, row.fresh
		n := requests
		if row.fresh {
			n = requests / 10
		}
		measure(row.name, &http.Client{Transport: transport}, row.url, n, clients)
		transport.CloseIdleConnections()
	}
	fmt.Printf("%d reports\n", reports.Load())
	return nil
}

// serve starts a proxy that opens exactly the two servers.
func serve(servers ...string) (via *url.URL, reports *atomic.Int64, err error) {
	var rules network.Rules
	for _, s := range servers {
		u, err := url.Parse(s)
		if err != nil {
			return nil, nil, err
		}
		rules.Private = append(rules.Private, u.Host)
	}
	policy, err := network.New(network.Options{Rules: rules})
	if err != nil {
		return nil, nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	reports = new(atomic.Int64)
	p := network.NewProxy(network.ProxyOptions{Policy: func() *network.Policy { return policy }, Report: func(network.ProxyRequest) { reports.Add(1) }})
	go p.Serve(listener)
	return &url.URL{Scheme: "http", Host: listener.Addr().String()}, reports, nil
}

func measure(name string, client *http.Client, url string, requests, clients int) {
	var failed atomic.Int64
	took := make([]time.Duration, requests)
	var next atomic.Int64
	var all sync.WaitGroup
	begun := time.Now()
	for range clients {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(requests); i = next.Add(1) - 1 {
				start := time.Now()
				if err := get(client, url); err != nil {
					failed.Add(1)
				}
				took[i] = time.Since(start)
			}
		})
	}
	all.Wait()
	whole := time.Since(begun)
	slices.Sort(took)
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	fmt.Printf("%-34s %8.0f requests/s  p50 %8s  p99 %8s  failed %s  heap in use %d MB  goroutines %d\n", name, float64(requests)/whole.Seconds(),
		took[requests/2].Round(time.Microsecond), took[requests*99/100].Round(time.Microsecond), strconv.FormatInt(failed.Load(), 10), memory.HeapInuse>>20, runtime.NumGoroutine())
}

func get(client *http.Client, url string) error {
	resp, err := client.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s", resp.Status)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
