package modeltest_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"rein/kit/providers/wire"
	"rein/kit/script"
	"rein/lab/modelserver"
	"rein/model"
)

// oddities are the ways in which servers differ, by protocol. Each must give the same answer and take the same history.
var oddities = map[string][]string{
	"chat": {
		"no-index", "same-index", "repeat-names", "repeat-names same-index", "empty-ids", "no-ids whole-calls same-index",
		"no-ids", "same-ids", "same-ids whole-calls", "same-ids whole-calls same-index", "no-index whole-calls", "no-index no-ids whole-calls",
		"whole-calls", "whole-calls same-index", "null-args", "object-args", "content-list", "always-stop", "usage-beside", "details", "no-done", "comments", "crlf", "json",
	},
	"responses": {"only-done", "data-first", "same-ids", "comments", "crlf", "json"},
	"messages":  {"whole-input", "data-first", "same-ids", "comments", "crlf", "json"},
	"cohere":    {"data-first", "same-ids", "no-ids", "comments", "crlf", "json"},
	"ollama":    {"same-ids", "no-ids", "json"},
	"gemini":    {"partial-args", "spread", "comments", "crlf", "json"},
}

const twice = `{delta: 3, turns: [
	{think: "hm", text: "I look.", calls: [{name: read_file, args: {path: "a {b}", more: {list: ["x", "yz"], n: 3, b: true}}}, {name: read_file, args: {path: "é😀"}}, {name: list_dir}]},
	{expect: [{call: 1, equals: one}, {call: 2, equals: two}, {call: 3, equals: three}], calls: [{name: read_file, args: {path: c}}]},
	{expect: {equals: four}, text: "Done."}]}`

func TestOddStreams(t *testing.T) {
	for _, p := range protocols {
		for _, odd := range oddities[p.name] {
			t.Run(p.name+"/"+odd, func(t *testing.T) {
				quirks := modelserver.Quirks{}
				for _, q := range strings.Fields(odd) {
					quirks[q] = true
				}
				s, err := script.Parse([]byte(twice))
				if err != nil {
					t.Fatal(err)
				}
				open := p.open
				if odd == "details" {
					open = openRouter
				}
				tellTwice(t, serve(t, open, &modelserver.Server{Script: s, Quirks: quirks}))
			})
		}
	}
}

func tellTwice(t *testing.T, m model.Model) {
	t.Helper()
	r := &model.Request{Messages: []*model.Message{model.UserText("go")}}
	want := [][]string{{`{"path":"a {b}","more":{"list":["x","yz"],"n":3,"b":true}}`, `{"path":"é😀"}`, `{}`}, {`{"path":"c"}`}, nil}
	results := []string{"one", "two", "three", "four"}
	for turn, want := range want {
		done, err := model.Ask(t.Context(), m, r)
		if err != nil {
			t.Fatalf("turn %d: %v", turn+1, err)
		}
		var got []string
		var parts []model.Part
		for i, c := range done.Message.Calls() {
			got = append(got, c.Args)
			parts = append(parts, model.Result(c.ID, results[turn*3+i], false))
		}
		if !sameObjects(got, want) {
			t.Fatalf("turn %d: got %q, want %q", turn+1, got, want)
		}
		r.Messages = append(slices.Clone(r.Messages), done.Message, model.Answer(done.Message, parts...))
	}
	ids := map[string]bool{}
	for _, m := range r.Messages {
		for _, c := range m.Calls() {
			if id := c.WireID(true); ids[id] {
				t.Errorf("the id %q goes back twice", id)
			} else {
				ids[id] = true
			}
		}
	}
	if text := r.Messages[5].Text(); text != "Done." {
		t.Errorf("the last answer is %q", text)
	}
}

// sameObjects compares objects whose fields may be in another order.
func sameObjects(got, want []string) bool {
	return slices.EqualFunc(got, want, func(a, b string) bool { return sorted(a) == sorted(b) })
}

func sorted(s string) string {
	b := []byte(s)
	slices.Sort(b)
	return string(b)
}

func TestBrokenStreams(t *testing.T) {
	rows := []struct {
		quirk string
		want  model.ErrorKind
	}{
		{"fault", model.Overloaded}, {"cut", model.Network}, {"stall", model.Stalled}, {"silent", model.Stalled}, {"garbage", model.Garbage},
	}
	for _, p := range protocols {
		for _, row := range rows {
			t.Run(p.name+"/"+row.quirk, func(t *testing.T) {
				s := &script.Script{Delta: 4, Turns: []script.Turn{{Text: "I write.", Calls: []script.Call{{Name: "write_file", Args: `{"path":"a","text":"half of it is missing"}`}}}}}
				idle := 30 * time.Second
				if row.want == model.Stalled {
					idle = 100 * time.Millisecond
				}
				m := serve(t, func(h wire.HTTP) model.Model { h.Idle = idle; return p.open(h) }, &modelserver.Server{Script: s, Quirks: modelserver.Quirks{row.quirk: true}})
				_, err := model.Ask(t.Context(), m, &model.Request{Messages: []*model.Message{model.UserText("go")}})
				e, ok := errors.AsType[*model.Error](err)
				if !ok || e.Kind != row.want || !e.Retryable() {
					t.Errorf("got %v, want %s", err, row.want)
				}
				if strings.Contains(err.Error(), "sk-secret") {
					t.Errorf("the error shows the key: %v", err)
				}
			})
		}
	}
}

// A session needs one connection: each answer is read to its end. The end of a whole answer is waited for 100 ms at most, so a
// machine that is busy may need another try.
func TestASessionKeepsItsConnection(t *testing.T) {
	for _, p := range protocols {
		n := int32(0)
		for try := 0; try < 5 && n != 1; try++ {
			n = connections(t, p.open)
		}
		if n != 1 {
			t.Errorf("%s: %d connections for 3 requests", p.name, n)
		}
	}
}

// connections plays a story and returns how many connections it took.
func connections(t *testing.T, open func(wire.HTTP) model.Model) int32 {
	t.Helper()
	s, err := script.Parse([]byte(twice))
	if err != nil {
		t.Fatal(err)
	}
	var opened atomic.Int32
	srv := httptest.NewUnstartedServer(&modelserver.Server{Script: s})
	srv.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	srv.Start()
	defer srv.Close()
	transport := wire.NewTransport()
	h := wire.HTTP{Who: model.Info{Provider: "test", Name: "scripted"}, Base: srv.URL, Transport: transport}
	defer transport.CloseIdleConnections()
	tellTwice(t, open(h))
	return opened.Load()
}

// However the network cuts an answer, what is read of it is the same.
func TestAnswersMayComeByteByByte(t *testing.T) {
	for _, p := range protocols {
		s, err := script.Parse([]byte(twice))
		if err != nil {
			t.Fatal(err)
		}
		srv := serveBytes(t, &modelserver.Server{Script: s})
		tellTwice(t, p.open(srv))
	}
}

// serveBytes returns how to reach a server whose answers are read byte by byte.
func serveBytes(t *testing.T, server *modelserver.Server) (h wire.HTTP) {
	t.Helper()
	serve(t, func(to wire.HTTP) model.Model { h = to; return nil }, server)
	h.Transport = oneByte{h.Transport}
	return h
}

type oneByte struct{ http.RoundTripper }

func (o oneByte) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := o.RoundTripper.RoundTrip(req)
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{iotest.OneByteReader(res.Body), res.Body}
	}
	return res, err
}

func (o oneByte) CloseIdleConnections() { o.RoundTripper.(*http.Transport).CloseIdleConnections() }

// A fault that passes is tried again, and the answer comes whole.
func TestRetriesOverHTTP(t *testing.T) {
	for _, p := range protocols {
		s, err := script.Parse([]byte("turns: [{text: hi, error: {status: 529, text: busy, times: 2}}]"))
		if err != nil {
			t.Fatal(err)
		}
		m := model.Retry(serve(t, p.open, &modelserver.Server{Script: s}), &model.RetryOptions{First: time.Millisecond})
		notices := 0
		for c, err := range m.Stream(t.Context(), &model.Request{Messages: []*model.Message{model.UserText("go")}}) {
			if err != nil {
				t.Fatalf("%s: %v", p.name, err)
			}
			if c.Kind == model.Notice {
				notices++
			}
		}
		if notices != 2 {
			t.Errorf("%s: %d notices", p.name, notices)
		}
	}
}

// What one provider's model wrote is sent to another's, and back.
func TestTheModelMayChange(t *testing.T) {
	for _, first := range protocols {
		for _, second := range protocols {
			s, err := script.Parse([]byte(twice))
			if err != nil {
				t.Fatal(err)
			}
			ask := func(open func(wire.HTTP) model.Model, name string, r *model.Request) (model.Chunk, error) {
				h := func(h wire.HTTP) model.Model { h.Who.Provider = name; return open(h) }
				return model.Ask(context.Background(), serve(t, h, &modelserver.Server{Script: s, Lax: true}), r)
			}
			r := &model.Request{Messages: []*model.Message{model.UserText("go")}}
			done, err := ask(first.open, first.name, r)
			if err != nil {
				t.Fatal(err)
			}
			var parts []model.Part
			for i, c := range done.Message.Calls() {
				parts = append(parts, model.Result(c.ID, []string{"one", "two", "three"}[i], false))
			}
			r.Messages = append(r.Messages, done.Message, model.Answer(done.Message, parts...))
			if _, err = ask(second.open, second.name, r); err != nil {
				t.Errorf("%s then %s: %v", first.name, second.name, err)
			}
			if _, err = ask(first.open, first.name, r); err != nil {
				t.Errorf("%s, %s and back: %v", first.name, second.name, err)
			}
		}
	}
}
