package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func serve(t *testing.T, h http.HandlerFunc) (*client, string) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body) // else the server does not see that the client left
		r.Body = io.NopCloser(bytes.NewReader(b))
		h(w, r)
	}))
	transport := NewTransport()
	c := &client{Transport: transport}
	t.Cleanup(func() { transport.CloseIdleConnections(); srv.Close() })
	return c, srv.URL
}

func TestPostSendsThePieces(t *testing.T) {
	c, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if r.ContentLength != int64(len(b)) || r.Header.Get("X-Key") != "k" {
			t.Errorf("length %d for %d bytes, key %q", r.ContentLength, len(b), r.Header.Get("X-Key"))
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = w.Write(b)
	})
	s, err := c.Post(t.Context(), url, http.Header{"X-Key": {"k"}}, []byte("a"), nil, []byte("bc"), []byte(strings.Repeat("d", 100000)))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := io.ReadAll(s)
	if err != nil || string(got[:3]) != "abc" || len(got) != 100003 || s.Type() != "application/json" {
		t.Errorf("got %d bytes, type %s, %v", len(got), s.Type(), err)
	}
}

func TestPostTellsTheStatus(t *testing.T) {
	c, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(529)
		_, _ = io.WriteString(w, strings.Repeat("busy", 100000))
	})
	_, err := c.Post(t.Context(), url, nil)
	e, ok := errors.AsType[*statusError](err)
	if !ok || e.Status != 529 || e.Header.Get("Retry-After") != "7" || len(e.Body) != maxFault {
		t.Errorf("got %v", err)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	c, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://elsewhere.invalid/", http.StatusTemporaryRedirect)
	})
	_, err := c.Post(t.Context(), url, http.Header{"X-Api-Key": {"secret"}})
	if e, ok := errors.AsType[*statusError](err); !ok || e.Status != 307 {
		t.Errorf("got %v", err)
	}
}

func TestSilenceIsAnError(t *testing.T) {
	rows := []struct {
		name  string
		first string
	}{{"before the head", ""}, {"inside the stream", "data: a\n"}}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			c, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.WriteString(w, row.first)
				if row.first != "" {
					_ = http.NewResponseController(w).Flush()
				}
				<-r.Context().Done()
			})
			c.Idle = 50 * time.Millisecond
			s, err := c.Post(t.Context(), url, nil)
			if err == nil {
				_, err = io.ReadAll(s)
				s.Close()
			}
			if !errors.Is(err, errStalled) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestASlowReaderIsNoSilence(t *testing.T) {
	c, url := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "all at once") })
	c.Idle = 50 * time.Millisecond
	s, err := c.Post(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	time.Sleep(120 * time.Millisecond) // real time: the connection is real
	if got, err := io.ReadAll(s); err != nil || len(got) != 11 {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestTheContextsCauseIsTold(t *testing.T) {
	c, url := serve(t, func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	why := errors.New("the user pressed a key")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
	if _, err := c.Post(ctx, url, nil); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
}

func TestTooMuchIsAnError(t *testing.T) {
	c, url := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, strings.Repeat("x", 5000)) })
	c.MaxBody = 1000
	s, err := c.Post(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := io.ReadAll(s); !errors.Is(err, errTooMuch) {
		t.Errorf("got %v", err)
	}
}

func TestDrainKeepsTheConnection(t *testing.T) {
	var from []string // one more try each time that the machine was too busy for the 100 ms of Drain
	c, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		from = append(from, r.RemoteAddr)
		_, _ = io.WriteString(w, "0123456789")
		_ = http.NewResponseController(w).Flush()
	})
	for n := 0; n < 2 || n < 6 && from[n-1] != from[n-2]; n++ {
		s, err := c.Post(t.Context(), url, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.ReadFull(s, make([]byte, 10))
		s.Drain()
		s.Close()
	}
	if n := len(from); from[n-1] != from[n-2] {
		t.Error("each request came by another connection")
	}
}

func TestDrainWaitsForNobody(t *testing.T) {
	c, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "x")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	s, err := c.Post(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Drain()
	s.Close()
}
