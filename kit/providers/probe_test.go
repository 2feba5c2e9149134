package providers

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"rein/kit/catalog"
	"rein/kit/script"
	"rein/lab/modelserver"
	"rein/model"
)

// able does all that it is asked.
const able = `conversations:
  - {when: ^Reply, turns: [{text: Ready}]}
  - when: ^Find the weather in Oslo with
    turns: [{calls: [{name: weather, args: {city: Oslo}}]}, {expect: {contains: 14.7}, text: It is 14.7 degrees.}]
  - when: ^Find the weather in Oslo, in
    turns:
      - calls: [{name: weather, args: {city: Oslo}}, {name: weather, args: {city: Lima}}, {name: weather, args: {city: Cairo}}]
      - {expect: {contains: 15.7}, text: 14.7 and 14.7 and 15.7.}
  - {when: ^How many, turns: [{think: 7 21 35 49, text: "4"}, {think: 63 77, text: "6"}]}
  - {when: ^Which colour, turns: [{expect: {contains: image/png}, text: Red.}]}
  - {when: ^Write, turns: [{calls: [{name: write, args: '{"text":"1,2,3'}], stop: length}]}
`

// TestSeries runs the series over each protocol, and against models and servers that lack something.
func TestSeries(t *testing.T) {
	change := func(old, new string) string { return strings.Replace(able, old, new, 1) }
	for _, row := range []struct {
		name, provider, script, quirk string
		textOnly                      bool
		want                          string // states, and a part of a detail or note
		detail                        string
	}{
		{"chat", "openai", able, "", false, "works works works works works works", ""},
		{"chat: thinking in its own field", "openrouter", able, "", false, "works works works works works works", ""},
		{"responses", "openai-responses", able, "", false, "works works works works works works", ""},
		{"messages", "anthropic", able, "", false, "works works works works works works", ""},
		{"gemini", "gemini", able, "", false, "works works works works works works", ""},
		{"no calls", "openrouter", change("calls: [{name: weather, args: {city: Oslo}}]}, {expect: {contains: 14.7}, text", "text"), "", false, "works missing works works works works", `"It is 14.7 degrees."`},
		{"a result that is refused", "openrouter", change("{city: Lima}}, {name: weather, args: {city: Cairo}}]", "{city: Oslo}}]\n        expect: {contains: at once}"), "", false, "works works failed works works works", "after the result"},
		{"fewer calls", "openrouter", strings.Replace(change(", {name: weather, args: {city: Lima}}, {name: weather, args: {city: Cairo}}]", "]"), "15.7", "14.7", 1), "", false, "works works missing works works works", "1 of 3 calls"},
		{"arguments that do not follow the schema", "openrouter", change("{city: Oslo}", "{town: Oslo}"), "", false, "works missing works works works works", "does not follow the schema"},
		{"no thinking", "openrouter", change("{think: 7 21 35 49, text: \"4\"}, {think: 63 77, text: \"6\"}", "{text: \"4\"}, {text: \"6\"}"), "", false, "works works works missing works works", "neither text nor tokens"},
		{"a wrong colour", "openrouter", change("Red.", "Blue."), "", false, "works works works works missing works", `"Blue."`},
		{"text only", "openrouter", able, "", true, "works works works works skipped works", "only text"},
		{"not cut", "openrouter", change("stop: length", "stop: end"), "", false, "works works works works works failed", "reported as whole"},
		{"streams that break", "openrouter", able, "cut", false, "failed skipped skipped skipped skipped skipped", "the first request failed"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := script.Parse([]byte(row.script))
			if err != nil {
				t.Fatal(err)
			}
			server := &modelserver.Server{Script: s, Quirks: modelserver.Quirks{row.quirk: true}}
			srv := httptest.NewServer(server)
			defer srv.Close()
			base := srv.URL
			if row.provider != "gemini" && row.provider != "anthropic" {
				base += "/v1"
			}
			input := []string{"text", "image"}
			if row.textOnly {
				input = input[:1]
			}
			facts := catalog.Model{Limit: catalog.Limit{Context: 9000, Output: 900}}
			facts.Modalities.Input = input
			m, err := Open(t.Context(), row.provider+"/m", &Options{
				Getenv:    func(name string) string { return "k" },
				Addresses: map[string]Address{row.provider: {BaseURL: base}},
				Models:    map[string]catalog.Model{row.provider + "/m": facts},
				Retry:     &model.RetryOptions{Tries: -1},
			})
			if err != nil {
				t.Fatal(err)
			}
			var states []string
			seen := ""
			for c := range Probe(t.Context(), m, &ProbeOptions{Timeout: 20 * time.Second}) {
				states = append(states, string(c.State))
				seen += fmt.Sprintln(c.Name, c.State, c.Detail, c.Notes)
			}
			if got := strings.Join(states, " "); got != row.want || !strings.Contains(seen, row.detail) {
				t.Errorf("got %s, want %s and %q:\n%s", got, row.want, row.detail, seen)
			}
		})
	}
}

// TestTimeout: a check that gets no answer ends.
func TestTimeout(t *testing.T) {
	m := &script.Model{Script: &script.Script{Turns: []script.Turn{{Text: "x", Delay: time.Minute}}}, Name: "m"}
	for c := range Probe(t.Context(), m, &ProbeOptions{Timeout: 20 * time.Millisecond}) {
		if c.Name == "text" && (c.State != ProbeFailed || !strings.Contains(c.Detail, "no answer after 20ms")) {
			t.Errorf("got %+v", c)
		}
	}
}
