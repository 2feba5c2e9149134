package wire

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"rein/model"
)

// What users read of a connection that failed names the host and what to do, and nothing of Go's packages.
func TestFailuresOfTheNetworkAreInPlainWords(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := closed.Addr().String()
	closed.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	cut := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c, _, _ := w.(http.Hijacker).Hijack()
		c.Close()
	}))
	defer cut.Close()
	host := func(url string) string { _, h, _ := strings.Cut(url, "//"); return h }
	rows := []struct{ name, url, want string }{
		{"nobody listens", "http://" + gone, "nothing listens at " + gone},
		{"an unknown certificate", secure.URL, "the certificate of " + host(secure.URL) + " cannot be trusted; if your own authority signs it, name its file in SSL_CERT_FILE"},
		{"no TLS there", strings.Replace(plain.URL, "http:", "https:", 1), host(plain.URL) + " answers without TLS: write http:// in the base URL"},
		{"closed at once", cut.URL, host(cut.URL) + " closed the connection before the answer was whole"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, row.url, nil)
			_, err := transport.RoundTrip(req)
			if err == nil {
				t.Fatal("it was reached")
			}
			client := &http.Client{Transport: transport}
			if _, err = client.Do(req); err == nil {
				t.Fatal("it was reached")
			}
			got := Failure(t.Context(), "p", "", err).(*model.Error)
			if got.Kind != model.Network || got.Text != row.want {
				t.Errorf("got %s %q", got.Kind, got.Text)
			}
		})
	}
	dns := &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "api.exmple.com", IsNotFound: true}}
	for want, err := range map[string]error{
		"there is no address for the name api.exmple.com":              dns,
		"the server closed the connection before the answer was whole": fmt.Errorf("read: %w", io.ErrUnexpectedEOF),
		"anything else": errors.New("anything else"),
	} {
		if got := Failure(t.Context(), "p", "", err).(*model.Error); got.Text != want {
			t.Errorf("got %q, want %q", got.Text, want)
		}
	}
}

func TestNoAddress(t *testing.T) {
	for _, err := range (&HTTP{}).Stream(t.Context(), func() Post { return Post{} }) {
		if want := "the model: request refused: no address of the server is set (HTTP.Base)"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
