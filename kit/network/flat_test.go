package network

import (
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// ssrf-13: a URL that could carry data out is let through up to a length, and reported as long.
func TestLongURLsAreReported(t *testing.T) {
	w := newWorld(t, ProxyOptions{})
	resp, err := w.client(t).Get("http://good.test:" + w.plainPort + "/?q=" + strings.Repeat("QUJD", 400))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if r := w.last(t); !r.Long || !r.Allowed || strings.Contains(r.Path, "QUJD") {
		t.Errorf("report %+v", r)
	}
}

// Memory stays flat however much passes: a flood through many tunnels at once.
func TestFloodKeepsMemoryFlat(t *testing.T) {
	const tunnels, each = 16, 32 << 20
	source, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	go flood(source, each)
	port := source.Addr().String()[strings.LastIndexByte(source.Addr().String(), ':')+1:]
	w := newWorld(t, ProxyOptions{Send: func(Target) bool { return true }}, "unused.test")
	w.proxy.options.Policy = openPolicy(t, "127.0.0.1:"+port)
	var before, peak runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var all sync.WaitGroup
	for range tunnels {
		conn := w.connect(t, "127.0.0.1:"+port)
		all.Go(func() {
			defer conn.Close()
			fmt.Fprint(conn, "go")
			if n, err := io.Copy(io.Discard, conn); n != each || err != nil {
				t.Errorf("%d bytes, %v", n, err)
			}
		})
	}
	all.Wait()
	runtime.ReadMemStats(&peak)
	if grown := int64(peak.HeapAlloc) - int64(before.HeapAlloc); grown > 16<<20 {
		t.Errorf("the heap grew by %d MiB while %d MiB passed", grown>>20, tunnels*each>>20)
	}
}

func flood(source net.Listener, bytes int64) {
	for {
		conn, err := source.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			conn.SetDeadline(time.Now().Add(time.Minute))
			conn.Read(make([]byte, 2))
			io.CopyN(conn, zeros{}, bytes)
		}()
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
