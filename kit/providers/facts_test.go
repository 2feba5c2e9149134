package providers

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"rein/kit/catalog"
	"rein/kit/script"
	"rein/lab/modelserver"
	"rein/model"
)

// reports answers as a local server with these bodies, by path.
func reports(t *testing.T, bodies map[string]string) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := bodies[r.Method+" "+r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = fmt.Fprint(w, body)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// TestWhatAServerReports opens models of local servers and looks at their limits.
func TestWhatAServerReports(t *testing.T) {
	const tags = `{"models":[{"name":"q:latest"}]}`
	show := func(parameters string) string {
		return `{"parameters":"` + parameters + `","capabilities":["tools","vision"],"model_info":{"q.context_length":131072}}`
	}
	rows := []struct {
		name, variable, ref string
		bodies              map[string]string
		context             int
		textOnly            bool
	}{
		{"ollama: the context of the running model", "OLLAMA_HOST", "ollama/q", map[string]string{"GET /api/tags": tags, "POST /api/show": show(`num_ctx 16384`), "GET /api/ps": `{"models":[{"name":"q:latest","context_length":65536}]}`}, 65536, false},
		{"ollama: a running model with little context is loaded again", "OLLAMA_HOST", "ollama/q", map[string]string{"GET /api/tags": tags, "POST /api/show": show(``), "GET /api/ps": `{"models":[{"name":"q:latest","context_length":4096}]}`}, ollamaAssumed, false},
		{"ollama: num_ctx", "OLLAMA_HOST", "ollama/q", map[string]string{"GET /api/tags": tags, "POST /api/show": show(`top_k 3\nnum_ctx   16384`), "GET /api/ps": `{}`}, 16384, false},
		{"ollama: neither", "OLLAMA_HOST", "ollama/q", map[string]string{"GET /api/tags": tags, "POST /api/show": show(``)}, ollamaAssumed, false},
		{"ollama: the usual context", "OLLAMA_HOST", "ollama/q", map[string]string{"GET /api/tags": tags, "POST /api/show": show(``), "OLLAMA_CONTEXT_LENGTH": "16384"}, 16384, false},
		{"ollama: a setting that is not a number", "OLLAMA_HOST", "ollama/q", map[string]string{"GET /api/tags": tags, "POST /api/show": show(``), "OLLAMA_CONTEXT_LENGTH": "-1"}, ollamaAssumed, false},
		{"ollama: nothing is reported", "OLLAMA_HOST", "ollama/q", map[string]string{"GET /api/tags": tags}, ollamaAssumed, true},
		{"vLLM", "VLLM_BASE_URL", "vllm/q", map[string]string{"GET /v1/models": `{"data":[{"id":"other","max_model_len":1},{"id":"q","max_model_len":40960}]}`}, 40960, true},
		{"LM Studio", "LMSTUDIO_BASE_URL", "lmstudio/q", map[string]string{"GET /v1/models": `{"data":[{"id":"q","max_context_length":131072,"loaded_context_length":8192}]}`}, 8192, true},
		{"llama.cpp", "LLAMACPP_BASE_URL", "llamacpp/q", map[string]string{"GET /v1/models": `{"data":[{"id":"q","meta":{"n_ctx_train":40960}}]}`}, 40960, true},
		{"something else", "VLLM_BASE_URL", "vllm/q", map[string]string{"GET /v1/models": `<html>`}, catalog.AssumedContext, true},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			base := reports(t, row.bodies)
			if row.variable != "OLLAMA_HOST" {
				base += "/v1"
			}
			var warned []string
			m, err := Open(t.Context(), row.ref, &Options{Patience: time.Minute, Getenv: env(row.variable, base, "OLLAMA_CONTEXT_LENGTH", row.bodies["OLLAMA_CONTEXT_LENGTH"]), Warn: func(line string) { warned = append(warned, line) }})
			if err != nil {
				t.Fatal(err)
			}
			if info := m.Info(); info.Context != row.context || info.TextOnly != row.textOnly {
				t.Errorf("got %+v", info)
			}
			if assumed := strings.Contains(row.name, "nothing") || strings.Contains(row.name, "something"); len(warned) > 1 || (len(warned) == 1) != assumed {
				t.Errorf("warned %q", warned)
			}
		})
	}
}

// TestOllamaIsAskedForItsContext: the request has the context that rein reckons with, and thinking only for a model that can.
func TestOllamaIsAskedForItsContext(t *testing.T) {
	for _, row := range []struct{ name, show, want, lacks string }{
		{"a model that thinks", `"capabilities":["tools","thinking"],"model_info":{"general.architecture":"qwen3","qwen3.context_length":131072}`, `"options":{"num_ctx":32768},"think":true`, "stream_options"},
		{"one with levels", `"capabilities":["tools","thinking"],"model_info":{"general.architecture":"gptoss","gptoss.context_length":4096}`, `"options":{"num_ctx":4096},"think":"medium"`, "true,\"think"},
		{"one that does not think", `"capabilities":["tools"],"parameters":"num_ctx 2048"`, `"options":{"num_ctx":2048}`, "think"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := script.Parse([]byte("turns: [{text: Hello.}]"))
			if err != nil {
				t.Fatal(err)
			}
			var sent string
			server := &modelserver.Server{Script: s, Heard: func(_ string, body []byte) { sent = string(body) }}
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/api/show" {
					_, _ = w.Write([]byte("{" + row.show + "}"))
					return
				}
				server.ServeHTTP(w, r)
			}))
			defer srv.Close()
			m, err := Open(t.Context(), "ollama", &Options{Patience: time.Minute, Getenv: env("OLLAMA_HOST", srv.URL)})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := model.Ask(t.Context(), m, &model.Request{Effort: "medium", Messages: []*model.Message{model.UserText("hi")}}); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(sent, row.want) || strings.Contains(sent, row.lacks) {
				t.Errorf("want %s and not %s: %s", row.want, row.lacks, sent)
			}
		})
	}
}

// TestTheUsersFactsComeFirst sets the limits and the price of a model that the catalogue has.
func TestTheUsersFactsComeFirst(t *testing.T) {
	srv := httptest.NewServer(&modelserver.Server{Script: &script.Script{Turns: []script.Turn{{Text: "hi", Usage: script.Usage{Input: 1000, Output: 100}}}}})
	defer srv.Close()
	o := &Options{Patience: time.Minute, Getenv: env("OPENAI_API_KEY", "k", "OPENAI_BASE_URL", srv.URL+"/v1"), Models: map[string]catalog.Model{
		"openai/gpt-5": {Limit: catalog.Limit{Context: 10_000}, Cost: &catalog.Cost{Input: 1000, Output: 10_000}},
	}}
	m, err := Open(t.Context(), "openai/gpt-5", o)
	if err != nil {
		t.Fatal(err)
	}
	done, err := model.Ask(t.Context(), m, &model.Request{Messages: []*model.Message{model.UserText("hi")}})
	if info := m.Info(); err != nil || info.Context != 10_000 || info.MaxOutput != 10_000 || done.Usage.Cost != 2 {
		t.Errorf("got %+v, %+v, %v", info, done.Usage, err)
	}
}

// TestAvailable lists what can be asked with one key and one local server.
func TestAvailable(t *testing.T) {
	base := reports(t, map[string]string{"GET /v1/models": `{"data":[{"id":"q","max_model_len":4096},{"id":"text-embed","max_model_len":1}]}`})
	o := &Options{Patience: time.Minute, Getenv: env("ANTHROPIC_API_KEY", "k", "VLLM_BASE_URL", base+"/v1", "OLLAMA_HOST", nobody, "LMSTUDIO_BASE_URL", nobody, "LLAMACPP_BASE_URL", nobody),
		Addresses: map[string]Address{"mine": {BaseURL: base + "/v1"}},
		Models:    map[string]catalog.Model{"mine/z": {Limit: catalog.Limit{Context: 7}}, "nobody/z": {}}}
	all := o.Available(t.Context()) // a busy machine answers later than rein waits
	for end := time.Now().Add(time.Minute); time.Now().Before(end) && !slices.ContainsFunc(all, func(m catalog.Model) bool { return m.Provider == "vllm" }); {
		all = o.Available(t.Context())
	}
	count := map[string]int{}
	for _, m := range all {
		count[m.Provider]++
		if m.Provider == "mine" && m.ID == "z" && (m.Limit.Context != 7 || m.Source != catalog.Settings) {
			t.Errorf("got %+v", m)
		}
	}
	if count["anthropic"] < 10 || count["vllm"] != 1 || count["mine"] != 2 || // one that the server has, and one of the settings
		len(count) != 3 {
		t.Errorf("got %v", count)
	}
}
