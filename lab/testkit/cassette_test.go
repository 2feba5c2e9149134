package testkit

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func post(t *testing.T, transport http.RoundTripper, url, body string) (string, *http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer sk-very-secret")
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return "", nil, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	return string(answer), res, err
}

func TestTheReplayIsWhatWasRecorded(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Set-Cookie", "session=private")
		w.Header().Set("Retry-After", "3")
		if r.URL.Path == "/busy" {
			w.WriteHeader(429)
		}
		_, _ = w.Write(append(append([]byte("you said "), body...), "\xff with sk-very-secret"...))
	}))
	defer srv.Close()
	var file bytes.Buffer
	rec := &Recorder{To: &file}
	urls := []string{"/a?key=sk-other&alt=sse", "/busy"}
	for _, u := range urls {
		if _, _, err := post(t, rec, srv.URL+u, `{"id":"cAAAAAAAA"}`); err != nil {
			t.Fatal(err)
		}
	}
	if rec.Err() != nil || strings.Contains(file.String(), "secret") || strings.Contains(file.String(), "sk-other") || strings.Contains(file.String(), "private") {
		t.Fatalf("the recording holds a secret, or failed: %v\n%s", rec.Err(), file.String())
	}
	p, err := readCassette(&file)
	if err != nil {
		t.Fatal(err)
	}
	for i, u := range urls {
		got, res, err := post(t, p, "http://elsewhere.invalid"+u, `{"id":"cBBBBBBBB"}`)
		if err != nil {
			t.Fatal(err)
		}
		if got != "you said {\"id\":\"cAAAAAAAA\"}\xff with [key]" || res.Header.Get("Retry-After") != "3" || (res.StatusCode == 429) != (i == 1) {
			t.Errorf("%s: %d %q %v", u, res.StatusCode, got, res.Header)
		}
	}
	if _, _, err := post(t, p, "http://elsewhere.invalid/", ""); err == nil || !strings.Contains(err.Error(), "ends after 2") {
		t.Errorf("got %v", err)
	}
}

func TestAnotherRequestIsAnError(t *testing.T) {
	line := `{"method":"POST","url":"/a","body":"one two","status":200,"answer":"x"}` + "\n"
	rows := []struct{ name, url, body, want string }{
		{"another body", "http://h/a", "one three", "at byte 5"},
		{"another address", "http://h/b", "one two", "the recording has POST /a"},
		{"a longer body", "http://h/a", "one two three", "at byte 7"},
	}
	for _, row := range rows {
		p, err := readCassette(strings.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := post(t, p, row.url, row.body); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v", row.name, err)
		}
	}
	p, _ := readCassette(strings.NewReader(line))
	p.Loose = true
	if got, _, err := post(t, p, "http://h/z", "else"); got != "x" || err != nil || p.Left() != 0 {
		t.Errorf("loose: got %q, %v", got, err)
	}
}

type broken struct{ err error }

func (b broken) RoundTrip(req *http.Request) (*http.Response, error) {
	if strings.HasSuffix(req.URL.Path, "never") {
		return nil, b.err
	}
	body := io.MultiReader(strings.NewReader("half"), failing(b))
	return &http.Response{StatusCode: 200, Body: io.NopCloser(body), Request: req}, nil
}

func TestFailuresAreReplayedToo(t *testing.T) {
	var file bytes.Buffer
	rec := &Recorder{To: &file, Next: broken{errors.New("connection reset")}}
	for _, u := range []string{"http://h/half", "http://h/never"} {
		if _, _, err := post(t, rec, u, ""); err == nil {
			t.Error("no error")
		}
	}
	p, err := readCassette(&file)
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := post(t, p, "http://h/half", "")
	if got != "half" || err == nil || !strings.Contains(err.Error(), "connection reset") {
		t.Errorf("got %q, %v", got, err)
	}
	if _, _, err := post(t, p, "http://h/never", ""); err == nil || !strings.Contains(err.Error(), "connection reset") {
		t.Errorf("got %v", err)
	}
}

func TestReadRefuses(t *testing.T) {
	if _, err := readCassette(strings.NewReader("{}\noops\n")); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("got %v", err)
	}
}
