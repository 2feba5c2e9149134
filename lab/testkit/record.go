package testkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
)

// Recorder sends requests on and writes each exchange as a line when its answer has ended. The answer is passed on while it
// comes. It may be used from many goroutines; lines are whole, in the order in which answers end.
type Recorder struct {
	Next http.RoundTripper // where requests go; nil: http.DefaultTransport
	To   io.Writer

	mu  sync.Mutex
	err error
}

// Err returns the first error of writing the recording. An answer is never lost because it cannot be recorded.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// RoundTrip implements http.RoundTripper.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	next := r.Next
	if next == nil {
		next = http.DefaultTransport
	}
	secret := secrets(req.Header)
	e := cassetteExchange{Method: req.Method, URL: address(req.URL)}
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		_ = req.Body.Close()
		if err != nil {
			return nil, err
		}
		e.Body = without(body, secret)
		req = req.Clone(req.Context())
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	res, err := next.RoundTrip(req)
	if err != nil {
		e.Failure = string(without([]byte(err.Error()), secret))
		r.write(e)
		return nil, err
	}
	e.Status, e.Header = res.StatusCode, make(map[string]string)
	for _, name := range kept {
		if value := res.Header.Get(name); value != "" {
			e.Header[name] = value
		}
	}
	res.Body = &tee{ReadCloser: res.Body, recorder: r, exchange: e, secrets: secret}
	return res, nil
}

// write writes one line.
func (r *Recorder) write(e cassetteExchange) {
	line, err := json.Marshal(e)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		_, err = r.To.Write(append(line, '\n'))
	}
	if r.err == nil {
		r.err = err
	}
}

// tee keeps what is read of an answer.
type tee struct {
	io.ReadCloser
	recorder *Recorder
	exchange cassetteExchange
	secrets  []string
	answer   bytes.Buffer
	once     sync.Once
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.answer.Write(p[:n])
	if err != nil {
		t.end(err)
	}
	return n, err
}

func (t *tee) Close() error {
	t.end(errors.New("the reader left"))
	return t.ReadCloser.Close()
}

func (t *tee) end(err error) {
	t.once.Do(func() {
		if err != io.EOF {
			t.exchange.Failure = string(without([]byte(err.Error()), t.secrets))
		}
		t.exchange.Answer = without(t.answer.Bytes(), t.secrets)
		t.recorder.write(t.exchange)
	})
}
