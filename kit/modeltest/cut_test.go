package modeltest_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"rein/kit/script"
	"rein/lab/modelserver"
)

// direct answers by a server without a network.
type direct struct{ server http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	d.server.ServeHTTP(w, r)
	return w.Result(), nil
}

// keeping keeps the body of an answer while it passes.
type keeping struct {
	next http.RoundTripper
	kind string
	body []byte
}

func (k *keeping) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := k.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	k.kind = answer.Header.Get("Content-Type")
	k.body, err = io.ReadAll(answer.Body)
	answer.Body = io.NopCloser(bytes.NewReader(k.body))
	return answer, err
}

// pieces gives a body in pieces of random lengths.
type pieces struct {
	replay
	random *rand.Rand
}

func (p pieces) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := p.replay.RoundTrip(r)
	if err == nil {
		answer.Body = io.NopCloser(&pieceReader{answer.Body, p.random})
	}
	return answer, err
}

type pieceReader struct {
	io.Reader
	random *rand.Rand
}

func (p *pieceReader) Read(b []byte) (int, error) {
	return p.Reader.Read(b[:min(len(b), 1+p.random.IntN(40))])
}

// An answer reads the same in pieces of any length, and one that breaks off anywhere is an error, or all of it had come.
// So no call runs with half of its arguments, and none alone of two that belong together.
func TestAnswersInPiecesAndCut(t *testing.T) {
	const story = `{delta: 5, turns: [{think: "hm, two files", text: "I write both. {\"a\": 1}", calls: [
		{name: write_file, args: {path: "a {b}.txt", text: "one\n\"two\" </invoke> é😀", more: {list: ["x", 12345678901234567890], on: true}}},
		{name: write_file, args: {path: "c", text: ""}}], usage: {input: 10, output: 20}}]}`
	for _, p := range protocols {
		for _, quirk := range append([]string{"", "usage-beside", "no-done", "whole-calls"}, oddities[p.name]...) {
			s, err := script.Parse([]byte(story))
			if err != nil {
				t.Fatal(err)
			}
			quirks := modelserver.Quirks{}
			for _, q := range strings.Fields(quirk) {
				quirks[q] = true
			}
			kept := &keeping{next: direct{&modelserver.Server{Script: s, Quirks: quirks}}}
			_, whole := answerOf(p.open, kept)
			if strings.Count(whole, "write_file[") != 2 || !strings.HasSuffix(whole, " | calls") {
				t.Fatalf("%s %s: %s", p.name, quirk, whole)
			}
			random := rand.New(rand.NewPCG(1, uint64(len(kept.body))))
			if _, got := answerOf(p.open, pieces{replay{kept.kind, kept.body}, random}); got != whole {
				t.Errorf("%s %s, in pieces:\ngot  %s\nwant %s", p.name, quirk, got, whole)
			}
			for i := range 40 {
				at := len(kept.body) - 1 - i // the last bytes are the hardest
				if i >= 20 {
					at = random.IntN(len(kept.body))
				}
				done, got := answerOf(p.open, pieces{replay{kept.kind, kept.body[:at]}, random})
				if done.Message != nil && got != whole || done.Message == nil && !strings.HasPrefix(got, "error") {
					t.Errorf("%s %s, cut at byte %d of %d: %s\nafter %q", p.name, quirk, at, len(kept.body), got, kept.body[max(0, at-80):at])
				}
			}
		}
	}
}
