package providers

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"

	"rein/model"
)

// TestSearch asks the search tools of the providers. Their answers are written by hand after the documented structure of each.
func TestSearch(t *testing.T) {
	redirect := "https://vertexaisearch.cloud.google.com/grounding-api-redirect/"
	for _, row := range []struct {
		ref, file string
		domains   []string
		asked     string // what the request holds
		want      []model.Source
	}{
		{"anthropic/claude-haiku-4-5", "anthropic.sse", []string{"go.dev", "x.example"}, `"tools":[{"type":"web_search_20250305","name":"web_search","max_uses":3,"allowed_domains":["go.dev","x.example"]}]`, []model.Source{
			{Title: "Go maps in action", URL: "https://go.dev/blog/maps", Text: "A map is a hash table.", Date: "February 6, 2013"}, {Title: "Other page", URL: "https://other.example/"}}},
		{"anthropic/claude-haiku-4-5", "anthropic.sse", nil, `"max_uses":3,"blocked_domains":["bad.example"]}]`, nil},
		{"openai-responses/gpt-5-mini", "openai.sse", []string{"go.dev"}, `"tools":[{"type":"web_search","filters":{"allowed_domains":["go.dev"]}}]`, []model.Source{
			{Title: "Go maps in action", URL: "https://go.dev/blog/maps"}, {URL: "https://other.example/"}}},
		{"openai-responses/gpt-5-mini", "openai.sse", nil, `"include":["web_search_call.action.sources","reasoning.encrypted_content"]`, nil},
		{"gemini/gemini-2.5-flash", "gemini.sse", nil, `"tools":[{"googleSearch":{}}]`, []model.Source{
			{Title: "go.dev", URL: redirect + "B2", Text: "Maps are hash tables."}, {Title: "other.example", URL: redirect + "A1"}}},
	} {
		t.Run(row.ref, func(t *testing.T) {
			answer, err := os.ReadFile("testdata/search/" + row.file)
			if err != nil {
				t.Fatal(err)
			}
			done, asked, err := search(t, row.ref, string(answer), &model.Search{Domains: row.domains, Not: []string{"bad.example"}})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(asked, row.asked) {
				t.Errorf("asked %s", asked)
			}
			if row.want != nil && !reflect.DeepEqual(done.Sources, row.want) {
				t.Errorf("got %+v", done.Sources)
			}
			if text := done.Message.Text(); text != "Maps are hash tables." {
				t.Errorf("the text is %q", text)
			}
		})
	}
}

// search asks a model whose server gives this answer, and returns what the server read.
func search(t *testing.T, ref, answer string, s *model.Search) (done model.Chunk, asked string, err error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		asked = string(text)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, answer)
	}))
	defer server.Close()
	provider, _, _ := strings.Cut(ref, "/")
	m, err := Open(t.Context(), ref, &Options{Getenv: func(string) string { return "key" }, Addresses: map[string]Address{provider: {BaseURL: server.URL}},
		Retry: &model.RetryOptions{Tries: -1}})
	if err != nil {
		t.Fatal(err)
	}
	done, err = model.Ask(t.Context(), m, &model.Request{Messages: []*model.Message{model.UserText("go maps")}, Search: s})
	return done, asked, err
}

// A search that failed is an error of its kind, unless another one of the same answer found pages.
func TestSearchFails(t *testing.T) {
	answer := func(code string) string {
		return `{"type":"message","role":"assistant","content":[{"type":"web_search_tool_result","tool_use_id":"s","content":{"type":"web_search_tool_result_error","error_code":"` + code +
			`"}},{"type":"text","text":"I could not search."}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`
	}
	for code, kind := range map[string]model.ErrorKind{"too_many_requests": model.Rate, "unavailable": model.Overloaded, "invalid_input": model.BadRequest} {
		_, _, err := search(t, "anthropic/claude-haiku-4-5", "data: "+answer(code)+"\n\n", &model.Search{})
		if e, ok := err.(*model.Error); !ok || e.Kind != kind || !strings.Contains(e.Text, code) {
			t.Errorf("%s: %v", code, err)
		}
	}
}
