package providers

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"rein/kit/providers/anthropic"
	"rein/kit/providers/wire"
	"rein/model"
)

// TestSampling opens a model of each protocol: what it takes is in its request, where its protocol has it, and what it does not take is an
// error before anything is sent.
func TestSampling(t *testing.T) {
	cold, most, seed := 0.25, 0.5, int64(7)
	all := model.Sampling{Temperature: &cold, TopP: &most, Seed: &seed, Stop: []string{"END"}, Extra: map[string]json.RawMessage{"top_k": json.RawMessage("40")}}
	without := func(change func(*model.Sampling)) model.Sampling {
		s := all
		change(&s)
		return s
	}
	noSeed := func(s *model.Sampling) { s.Seed = nil }
	for _, row := range []struct {
		ref  string
		s    model.Sampling
		want string // in the request; "": it is refused
		says string
	}{
		{"openai/x", all, `"temperature":0.25,"top_p":0.5,"seed":7,"stop":["END"],"top_k":40`, ""},
		{"mine/x", all, `"temperature":0.25,"top_p":0.5,"seed":7,"stop":["END"],"top_k":40`, ""},
		{"openai-responses/x", all, "", "openai-responses does not take seed, stop"},
		{"openai-responses/x", without(func(s *model.Sampling) { s.Seed, s.Stop = nil, nil }), `"temperature":0.25,"top_p":0.5,"top_k":40`, ""},
		{"anthropic/x", all, "", "anthropic does not take seed"},
		{"anthropic/x", without(noSeed), `"temperature":0.25,"top_p":0.5,"stop_sequences":["END"],"top_k":40`, ""},
		{"gemini/x", all, `"temperature":0.25,"topP":0.5,"seed":7,"stopSequences":["END"],"top_k":40`, ""},
		{"cohere/x", all, `"temperature":0.25,"p":0.5,"seed":7,"stop_sequences":["END"],"top_k":40`, ""},
		{"ollama/x", all, `"temperature":0.25,"top_p":0.5,"seed":7,"stop":["END"],"top_k":40`, ""},
		{"bedrock/x", without(noSeed), "", "bedrock does not take extra"},
		{"bedrock/x", without(func(s *model.Sampling) { s.Seed, s.Extra = nil, nil }), `"temperature":0.25,"topP":0.5,"stopSequences":["END"]`, ""},
		{"openai/x", without(func(s *model.Sampling) { s.Extra = map[string]json.RawMessage{"messages": json.RawMessage("[]")} }), "", `"messages" is one that rein writes itself`},
	} {
		sent := ""
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if body, _ := io.ReadAll(r.Body); r.Method == http.MethodPost && strings.Contains(string(body), "hello") {
				sent = string(body)
			}
			http.Error(w, "no", http.StatusBadRequest)
		}))
		name, _, _ := strings.Cut(row.ref, "/")
		o := &Options{Getenv: env("KEY", "k", "AWS_REGION", "eu-west-1", "AWS_BEARER_TOKEN_BEDROCK", "k"), Addresses: map[string]Address{name: {BaseURL: server.URL, KeyEnv: "KEY"}},
			Sampling: map[string]model.Sampling{row.ref: row.s, "*": {Stop: []string{"never used"}}}}
		if row.s.Stop == nil {
			o.Sampling["*"] = model.Sampling{}
		}
		m, err := Open(t.Context(), row.ref, o)
		if row.want == "" {
			if err == nil || !strings.Contains(err.Error(), row.says) {
				t.Errorf("%s: %v, want %q", row.ref, err, row.says)
			}
			server.Close()
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", row.ref, err)
			server.Close()
			continue
		}
		_, _ = model.Ask(t.Context(), m, &model.Request{Messages: []*model.Message{model.UserText("hello")}})
		server.Close()
		if !strings.Contains(strings.ReplaceAll(sent, " ", ""), row.want) || !json.Valid([]byte(sent)) {
			t.Errorf("%s sent %s\nwant %s", row.ref, sent, row.want)
		}
	}
}

// TestSamplingOfARequest: what a request asks for is laid over what holds for the model, and refused before it is sent where the protocol does not have
// it, also without Open.
func TestSamplingOfARequest(t *testing.T) {
	bodies := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- string(body)
		http.Error(w, "no", http.StatusBadRequest)
	}))
	defer server.Close()
	warm, cold, seed := 1.5, 0.25, int64(7)
	o := &Options{Getenv: env("KEY", "k"), Addresses: map[string]Address{"openai": {BaseURL: server.URL, KeyEnv: "KEY"}}, Run: model.Sampling{Temperature: &warm, Seed: &seed}}
	m, err := Open(t.Context(), "openai/x", o)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = model.Ask(t.Context(), m, &model.Request{Messages: []*model.Message{model.UserText("hello")}, Sampling: model.Sampling{Temperature: &cold}})
	if body := <-bodies; !strings.Contains(body, `"temperature":0.25,"seed":7`) {
		t.Error(body)
	}
	direct := &anthropic.Messages{HTTP: wire.HTTP{Who: model.Info{Provider: "anthropic", Name: "x"}, Base: server.URL}}
	_, err = model.Ask(t.Context(), direct, &model.Request{Messages: []*model.Message{model.UserText("hello")}, Sampling: model.Sampling{Seed: &seed}})
	if wrong, ok := errors.AsType[*model.Error](err); !ok || wrong.Kind != model.BadRequest || !strings.Contains(wrong.Text, "anthropic does not take seed") || len(bodies) > 0 {
		t.Error(err)
	}
}

// TestSamplingOfARun comes before that of the model, and that before what holds for all.
func TestSamplingOfARun(t *testing.T) {
	number := func(v float64) *float64 { return &v }
	o := &Options{Run: model.Sampling{Temperature: number(0.1)}, Sampling: map[string]model.Sampling{
		"a/x": {Temperature: number(0.2), TopP: number(0.3), Extra: map[string]json.RawMessage{"k": json.RawMessage("1")}},
		"*":   {Temperature: number(0.4), TopP: number(0.5), Stop: []string{"s"}, Extra: map[string]json.RawMessage{"k": json.RawMessage("2"), "l": json.RawMessage("3")}}}}
	got, _ := json.Marshal(o.sampling("a/x"))
	if want := `{"temperature":0.1,"top_p":0.3,"stop":["s"],"extra":{"k":1,"l":3}}`; string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}
