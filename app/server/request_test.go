package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// deadlineWriter is a writer that remembers until when the request must be there.
type deadlineWriter struct {
	*httptest.ResponseRecorder
	end time.Time
}

func (d *deadlineWriter) SetReadDeadline(end time.Time) error { d.end = end; return nil }

// A client has a bounded time for the body of its request, else a few slow ones hold the server.
func TestABodyMustComeInTime(t *testing.T) {
	checks := requestChecks{Hosts: []string{"example.com"}, Limits: func() requestLimits { return requestLimits{Body: 100} }}
	handler := checks.Secure(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	w := &deadlineWriter{ResponseRecorder: httptest.NewRecorder()}
	handler.ServeHTTP(w, httptest.NewRequest("POST", "/v1/sessions", strings.NewReader("{}")))
	if left := time.Until(w.end); left <= 0 || left > bodyTime {
		t.Error("the time for the body is", left)
	}
}

// What a client writes about its address never counts: only the last address is the proxy's, and only where a proxy is trusted.
func TestAddress(t *testing.T) {
	for _, row := range []struct {
		trust bool
		lines []string
		want  string
	}{
		{false, []string{"6.6.6.6"}, "192.0.2.1"},
		{true, nil, "192.0.2.1"},
		{true, []string{"1.2.3.4"}, "1.2.3.4"},
		{true, []string{"6.6.6.6, 1.2.3.4"}, "1.2.3.4"},
		{true, []string{"6.6.6.6", "1.2.3.4"}, "1.2.3.4"},
	} {
		r := httptest.NewRequest("GET", "/", nil) // from 192.0.2.1
		r.Header["X-Forwarded-For"] = row.lines
		if got := (&requestChecks{TrustProxy: row.trust}).Address(r); got != row.want {
			t.Errorf("%v %q: %s, want %s", row.trust, row.lines, got, row.want)
		}
	}
}
