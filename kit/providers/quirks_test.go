package providers

import (
	"net/http/httptest"
	"strings"
	"testing"

	"rein/kit/catalog"
	"rein/kit/script"
	"rein/lab/modelserver"
	"rein/model"
)

// TestQuirksOfHosts: what the rows of hosts decide of a request.
func TestQuirksOfHosts(t *testing.T) {
	for ref, row := range map[string]struct{ want, lacks string }{
		"mistral/m": {`"stream":true,"messages"`, "stream_options"}, // it refuses the field
		"groq/m":    {`"stream_options":{"include_usage":true}`, "include_obfuscation"},
		"openai/m":  {`"stream_options":{"include_usage":true,"include_obfuscation":false}`, "max_tokens"},
	} {
		var last string
		srv := httptest.NewServer(&modelserver.Server{Script: &script.Script{Turns: []script.Turn{{Text: "Hello."}}}, Heard: func(_ string, body []byte) { last = string(body) }})
		name, _, _ := strings.Cut(ref, "/")
		m, err := Open(t.Context(), ref, &Options{Getenv: env("K", "k"), Addresses: map[string]Address{name: {BaseURL: srv.URL + "/v1", KeyEnv: "K"}}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = model.Ask(t.Context(), m, &model.Request{Messages: []*model.Message{model.UserText("hi")}, MaxTokens: 100})
		srv.Close()
		if err != nil || !strings.Contains(last, row.want) || strings.Contains(last, row.lacks) {
			t.Errorf("%s: %v: want %s and not %s: %s", ref, err, row.want, row.lacks, last)
		}
	}
}

// TestQuirksOfSettings: what the settings say of a compatible server decides what goes to it.
func TestQuirksOfSettings(t *testing.T) {
	for name, row := range map[string]struct {
		address     Address
		want, lacks string // in the second request
	}{
		"usage":         {Address{}, `"stream_options":{"include_usage":true}`, `include_obfuscation`},
		"the defaults":  {Address{}, `"reasoning_content":"proof`, `"thinking"`},
		"another field": {Address{ThinkingFields: []string{"reasoning"}}, `"Hello."`, `proof`},
		"no field":      {Address{ThinkingFields: []string{}}, `"Hello."`, `proof`},
		"no options":    {Address{NoStreamOptions: true}, `"stream":true`, `stream_options`},
		"a switch":      {Address{ThinkingSwitch: true}, `"thinking":{"type":"disabled"}`, `"reasoning_effort"`},
	} {
		t.Run(name, func(t *testing.T) {
			var last string
			server := &modelserver.Server{Lax: true, Script: &script.Script{Turns: []script.Turn{{Think: "Hm.", Text: "Hello.", Repeat: 2}}},
				Heard: func(_ string, body []byte) { last = string(body) }}
			srv := httptest.NewServer(server)
			defer srv.Close()
			row.address.BaseURL = srv.URL + "/v1"
			m, err := Open(t.Context(), "mine/m", &Options{Getenv: env("K", "k"), Addresses: map[string]Address{"mine": row.address}, Models: map[string]catalog.Model{"mine/m": {Limit: catalog.Limit{Context: 9000, Output: 900}, Reasoning: true, Options: []catalog.Option{{Type: "toggle"}}}}})
			if err != nil {
				t.Fatal(err)
			}
			r := &model.Request{Effort: "none", Messages: []*model.Message{model.UserText("hi")}}
			for range 2 {
				done, err := model.Ask(t.Context(), m, r)
				if err != nil {
					t.Fatal(err)
				}
				r.Messages = append(r.Messages, done.Message, model.UserText("more"))
			}
			if !strings.Contains(last, row.want) || strings.Contains(last, row.lacks) {
				t.Errorf("want %s and not %s: %s", row.want, row.lacks, last)
			}
		})
	}
}
