package testkit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"sync"
)

// cassettePlayer replays a recording in its order. A request that differs from the recorded one is an error that shows the
// difference.
type cassettePlayer struct {
	// Loose: requests are not compared, only counted.
	Loose bool

	mu        sync.Mutex
	exchanges []cassetteExchange
	at        int
}

// readCassette reads a recording.
func readCassette(r io.Reader) (*cassettePlayer, error) {
	in := bufio.NewReader(r)
	p := &cassettePlayer{}
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			var e cassetteExchange
			if err := json.Unmarshal(line, &e); err != nil {
				return nil, fmt.Errorf("line %d of the recording is not an exchange in JSON", n)
			}
			p.exchanges = append(p.exchanges, e)
		}
		if err == io.EOF {
			return p, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// Left returns how many exchanges have not been played.
func (p *cassettePlayer) Left() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.exchanges) - p.at
}

// RoundTrip implements http.RoundTripper.
func (p *cassettePlayer) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		body, err = io.ReadAll(req.Body)
		_ = req.Body.Close()
		if err != nil {
			return nil, err
		}
	}
	e, n, err := p.next()
	if err != nil {
		return nil, err
	}
	if !p.Loose {
		if err := e.differs(req, without(body, secrets(req.Header))); err != nil {
			return nil, fmt.Errorf("request %d differs from the recording: %w", n, err)
		}
	}
	if e.Status == 0 {
		return nil, errors.New(e.Failure)
	}
	return e.response(req), nil
}

func (p *cassettePlayer) next() (cassetteExchange, int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at == len(p.exchanges) {
		return cassetteExchange{}, 0, fmt.Errorf("the recording ends after %d exchanges", p.at)
	}
	p.at++
	return p.exchanges[p.at-1], p.at, nil
}

// ours matches the ids that we make for calls: they differ in each run.
var ours = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"c[0-9A-Za-z]{8}"`) })

func (e *cassetteExchange) differs(req *http.Request, body []byte) error {
	if e.Method != req.Method || e.URL != address(req.URL) {
		return fmt.Errorf("it is %s %s, the recording has %s %s", req.Method, address(req.URL), e.Method, e.URL)
	}
	now, then := ours().ReplaceAll(body, []byte(`"c"`)), ours().ReplaceAll(e.Body, []byte(`"c"`))
	if bytes.Equal(now, then) {
		return nil
	}
	at := 0
	for at < min(len(now), len(then)) && now[at] == then[at] {
		at++
	}
	return fmt.Errorf("at byte %d it has %q, the recording has %q", at, around(now, at), around(then, at))
}

func around(b []byte, at int) []byte { return b[max(0, at-40):min(len(b), at+40)] }

func (e *cassetteExchange) response(req *http.Request) *http.Response {
	res := &http.Response{
		Status: strconv.Itoa(e.Status) + " " + http.StatusText(e.Status), StatusCode: e.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header), ContentLength: -1, Request: req,
	}
	for name, value := range e.Header {
		res.Header.Set(name, value)
	}
	var body io.Reader = bytes.NewReader(e.Answer)
	if e.Failure != "" {
		body = io.MultiReader(body, failing{errors.New(e.Failure)})
	}
	res.Body = io.NopCloser(body)
	return res
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
