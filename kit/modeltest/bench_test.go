package modeltest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"rein/kit/providers/wire"
	"rein/kit/script"
	"rein/lab/modelserver"
	"rein/model"
)

// replay is a transport that answers each request with the same bytes.
type replay struct {
	kind string
	body []byte
}

func (r replay) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_, _ = io.Copy(io.Discard, req.Body)
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {r.kind}},
		Body: io.NopCloser(bytes.NewReader(r.body)), Request: req,
	}, nil
}

// long is a script that writes 400 KB in pieces of 16 bytes: as a call's arguments, or as text where calls come whole.
func long(asText bool) *script.Script {
	code := strings.Repeat("if err != nil {\n\treturn fmt.Errorf(\"open %s: %w\", name, err)\n}\n", 400_000/60)[:400_000]
	args, _ := json.Marshal(map[string]string{"path": "a.go", "content": code})
	turn := script.Turn{Calls: []script.Call{{Name: "write_file", Args: script.Arguments(args)}}}
	if asText {
		turn = script.Turn{Text: code}
	}
	return &script.Script{Delta: 16, Turns: []script.Turn{turn}}
}

// BenchmarkLongWrite streams 400 KB in 16-byte deltas (about 27,000 events) through each adapter: what the client costs
// alone, and over a connection with the server's part.
func BenchmarkLongWrite(b *testing.B) {
	for _, p := range protocols {
		server := &modelserver.Server{Script: long(p.name == "gemini"), Batch: true}
		r := &model.Request{Messages: []*model.Message{model.UserText("write")}}
		b.Run(p.name+"/client", func(b *testing.B) {
			body := recorded(b, p.open, server, r)
			h := wire.HTTP{Who: model.Info{Provider: "test", Name: "scripted"}, Base: "http://recorded.invalid"}
			h.Transport = replay{"text/event-stream", body}
			drive(b, p.open(h), r, bytes.Count(body, []byte("\n\n")))
			b.SetBytes(int64(len(body)))
		})
		b.Run(p.name+"/loopback", func(b *testing.B) { drive(b, serve(b, p.open, server), r, 0) })
	}
}

// recorded returns what the server answers.
func recorded(b *testing.B, open func(wire.HTTP) model.Model, server http.Handler, r *model.Request) []byte {
	b.Helper()
	var body []byte
	tap := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		server.ServeHTTP(rec, r)
		body = rec.Body.Bytes()
		_, _ = w.Write(body)
	}))
	defer tap.Close()
	transport := wire.NewTransport()
	h := wire.HTTP{Who: model.Info{Provider: "test", Name: "scripted"}, Base: tap.URL, Transport: transport}
	defer transport.CloseIdleConnections()
	if _, err := model.Ask(b.Context(), open(h), r); err != nil {
		b.Fatal(err)
	}
	return body
}

func drive(b *testing.B, m model.Model, r *model.Request, events int) {
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, err := range m.Stream(b.Context(), r) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n < 25_000 {
			b.Fatalf("%d chunks", n)
		}
	}
	if events > 0 {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(events), "ns/event")
	}
}

// BenchmarkTurn asks once at different places of a long session: one call and one result of 2 KB were added since the last
// request. What grows with the session is only what the request itself carries.
func BenchmarkTurn(b *testing.B) {
	for _, p := range protocols {
		for _, turns := range []int{1, 50, 500} {
			b.Run(fmt.Sprintf("%s/turn%d", p.name, turns), func(b *testing.B) {
				s := &script.Script{Turns: []script.Turn{{Text: "done"}}}
				body := recorded(b, p.open, &modelserver.Server{Script: s}, &model.Request{Messages: []*model.Message{model.UserText("x")}})
				h := wire.HTTP{Who: model.Info{Provider: "test", Name: "scripted"}, Base: "http://recorded.invalid"}
				h.Transport = replay{"text/event-stream", body}
				m := p.open(h)
				messages := session(turns)
				b.ReportAllocs()
				for b.Loop() {
					next := session(1)[1:]
					legal, _ := model.Repair(append(messages[:len(messages):len(messages)], next...))
					if _, err := model.Ask(b.Context(), m, &model.Request{System: "be brief", Messages: legal, Tools: tools(20)}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func session(turns int) []*model.Message {
	messages := []*model.Message{model.UserText("start")}
	for i := range turns {
		id := model.NewID()
		asked := &model.Message{Role: model.Assistant, From: "test/scripted", Parts: []model.Part{
			model.Text("I read the next file."), {Kind: model.CallKind, ID: id, ProviderID: fmt.Sprintf("call_%d", i), Name: "read_file", Args: `{"path":"a.go"}`},
		}}
		messages = append(messages, asked, model.Answer(asked, model.Result(id, strings.Repeat("0123456789abcde\n", 128), false)))
	}
	return messages
}

func tools(n int) []model.ToolSpec {
	specs := make([]model.ToolSpec, n)
	for i := range specs {
		specs[i] = model.ToolSpec{Name: fmt.Sprintf("tool_%d", i), Description: strings.Repeat("What it does. ", 20), Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"` + strings.Repeat("x", 300) + `"}},"required":["path"]}`)}
	}
	return specs
}
