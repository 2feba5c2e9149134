package signin

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// deadlined is a writer that remembers until when the request must be there.
type deadlined struct {
	*httptest.ResponseRecorder
	end time.Time
}

func (d *deadlined) SetReadDeadline(end time.Time) error { d.end = end; return nil }

// A client has a bounded time for the body of its request, else a few slow ones hold the server.
func TestABodyMustComeInTime(t *testing.T) {
	checks := Checks{Hosts: []string{"example.com"}, Limits: func() Limits { return Limits{Body: 100} }}
	handler := checks.Secure(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	w := &deadlined{ResponseRecorder: httptest.NewRecorder()}
	handler.ServeHTTP(w, httptest.NewRequest("POST", "/v1/sessions", strings.NewReader("{}")))
	if left := time.Until(w.end); left <= 0 || left > bodyTime {
		t.Error("the time for the body is", left)
	}
}
