package server

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// A client that asks and takes no answer does not hold the server; one that takes it slowly gets it, where the handler says so.
func TestAClientThatDoesNotReadIsCutOff(t *testing.T) {
	ended := make(chan error, 1)
	part := make([]byte, 1<<20)
	server := httptest.NewServer(boundAnswers(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var err error
		for i := 0; err == nil && i < 64; i++ {
			if r.URL.Path == "/own" {
				err = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Minute))
			}
			if err == nil {
				_, err = w.Write(part)
			}
		}
		ended <- err
	}), 100*time.Millisecond))
	defer server.Close()
	for _, path := range []string{"/", "/own"} {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", path)
		if path == "/own" {
			time.Sleep(300 * time.Millisecond) // longer than the bound of the others
			if n, err := io.Copy(io.Discard, c); n < 64<<20 || err != nil {
				t.Error(n, err)
			}
		}
		select {
		case err = <-ended:
		case <-time.After(time.Minute):
			t.Fatal("the server waits for the client")
		}
		if cut := err != nil; cut != (path == "/") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
