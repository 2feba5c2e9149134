package providers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rein/kit/script"
	"rein/lab/modelserver"
	"rein/model"
)

func env(pairs ...string) func(string) string {
	values := make(map[string]string)
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return values[name] }
}

const nobody = "http://127.0.0.1:1" // nothing listens there

func TestOpen(t *testing.T) {
	rows := []struct {
		name, ref string
		getenv    func(string) string
		want      string // the model, or part of the error
	}{
		{"by name", "openai/gpt-5-mini", env("OPENAI_API_KEY", "k"), "openai/gpt-5-mini"},
		{"names may hold slashes", "openrouter/qwen/qwen3-coder", env("OPENROUTER_API_KEY", "k"), "openrouter/qwen/qwen3-coder"},
		{"a provider alone", "anthropic", env("ANTHROPIC_API_KEY", "k"), "anthropic/claude-sonnet-4-5"},
		{"the first with a key", "", env("GEMINI_API_KEY", "k", "OPENROUTER_API_KEY", "k", "OLLAMA_HOST", nobody), "gemini/gemini-2.5-pro"},
		{"a blank key is none", "", env("OPENAI_API_KEY", " ", "OLLAMA_HOST", nobody), "no model is named"},
		{"no key", "gemini/x", env(), "gemini: not authorised: no key: set GEMINI_API_KEY or GOOGLE_API_KEY"},
		{"another address may need no key", "openai/x", env("OPENAI_BASE_URL", "http://localhost:8080/v1/"), "openai/x"},
		{"nothing at all", "", env("OLLAMA_HOST", nobody), "none of ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, OPENAI_API_KEY, GEMINI_API_KEY, GOOGLE_API_KEY, OPENROUTER_API_KEY is set"},
		{"an unknown provider", "unlisted/x", env(), `no provider "unlisted" (a model is named provider/name; the providers are anthropic, openai, openai-responses, gemini, gemini-interactions, openrouter, ollama, lmstudio, llamacpp, vllm, bedrock, bedrock-invoke, azure, vertex, cerebras, cohere, deepinfra, deepseek, fireworks, github, groq, huggingface, mistral, moonshot, nvidia, qwen, sambanova, siliconflow, together, xai, zai, compatible, script)`},
		{"a company's server", "deepseek/deepseek-v4-pro", env("DEEPSEEK_API_KEY", "k"), "deepseek/deepseek-v4-pro"},
		{"without a key", "zai/glm-4.6", env(), "no key: set ZAI_API_KEY or ZHIPU_API_KEY"},
		{"without a model", "groq", env("GROQ_API_KEY", "k"), "groq: name the model too: --model groq/NAME"},
		{"is not taken without being named", "", env("GITHUB_TOKEN", "k", "OLLAMA_HOST", nobody), "no model is named"},
		{"a misspelt provider", "antropic/x", env(), "did you mean anthropic?"},
		{"a model without its provider", "gpt-5-mini", env(), "did you mean openai/gpt-5-mini?"},
		{"compatible needs an address", "compatible/x", env(), "COMPATIBLE_BASE_URL"},
		{"compatible needs a name", "compatible", env("COMPATIBLE_BASE_URL", "http://h/v1"), "--model compatible/NAME"},
		{"a script needs a file", "script", env(), "script/FILE.yaml"},
		{"no script", "script/none.yaml", env(), "none.yaml"},
		{"no Ollama", "ollama", env("OLLAMA_HOST", nobody), "no Ollama runs at " + nobody + `: start it with "ollama serve"`},
		{"no Ollama for a model", "ollama/x", env("OLLAMA_HOST", nobody), "no Ollama runs at " + nobody},
		{"no LM Studio", "lmstudio", env("LMSTUDIO_BASE_URL", nobody), "LM Studio at " + nobody + ": not running; name the model"},
		{"a server that is named with its model is taken as it is", "lmstudio/x", env("LMSTUDIO_BASE_URL", nobody), "lmstudio/x"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			m, err := Open(t.Context(), row.ref, &Options{Getenv: row.getenv})
			got := fmt.Sprint(err)
			if err == nil {
				got = m.Info().String()
			}
			if !strings.Contains(got, row.want) {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}

func TestAMissingKeyIsAnAuthError(t *testing.T) {
	_, err := Open(t.Context(), "openai", nil)
	if e, ok := errors.AsType[*model.Error](err); !ok || e.Kind != model.Auth {
		t.Errorf("got %v", err)
	}
}

// A key whose variable the settings name is wanted: asked without it, the server would only say no.
func TestAKeyThatTheSettingsNameIsMissed(t *testing.T) {
	o := &Options{Getenv: env(), Addresses: map[string]Address{"groq": {BaseURL: nobody, KeyEnv: "GROQ_API_KEY"}, "near": {BaseURL: nobody}, "openai": {KeyEnv: "MINE"}}}
	for ref, want := range map[string]string{"groq/x": "no key: set GROQ_API_KEY", "near/x": "<nil>", "openai/x": "no key: set MINE or OPENAI_API_KEY"} {
		if _, err := Open(t.Context(), ref, o); !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: got %v, want %s", ref, err, want)
		}
	}
}

func TestOllamaHost(t *testing.T) {
	rows := []struct{ host, want string }{
		{"http://127.0.0.1:11434", "http://127.0.0.1:11434"},
		{"0.0.0.0", "http://127.0.0.1:11434"},
		{"0.0.0.0:9000", "http://127.0.0.1:9000"},
		{"gpu.local", "http://gpu.local:11434"},
		{"https://gpu.example", "https://gpu.example"},
		{"https://gpu.example/ollama/", "https://gpu.example/ollama"},
		{"[::1]:11434", "http://[::1]:11434"},
		{":9000", "http://127.0.0.1:9000"},
	}
	for _, row := range rows {
		if got := ollamaBase(row.host); got != row.want {
			t.Errorf("%s: got %s, want %s", row.host, got, row.want)
		}
	}
}

// Every provider reaches the server with its own protocol, path and key, and no key is seen anywhere else.
func TestEveryProviderAsks(t *testing.T) {
	s := &script.Script{Turns: []script.Turn{{Text: "hello"}}}
	var paths, keys []string
	handler := &modelserver.Server{Script: s, Heard: func(path string, _ []byte) { paths = append(paths, path) }}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name := range r.Header {
			if strings.Contains(r.Header.Get(name), "top-secret") {
				keys = append(keys, name)
			}
		}
		handler.ServeHTTP(w, r)
	}))
	defer srv.Close()
	rows := []struct{ ref, base, path, key string }{
		{"openai/m", "/v1", "/v1/chat/completions", "Authorization"},
		{"openai-responses/m", "/v1", "/v1/responses", "Authorization"},
		{"anthropic/m", "", "/v1/messages", "X-Api-Key"},
		{"anthropic/m", "/v1", "/v1/messages", "X-Api-Key"},
		{"gemini/m", "", "/v1beta/models/m:streamGenerateContent", "X-Goog-Api-Key"},
		{"gemini/m", "/v1beta", "/v1beta/models/m:streamGenerateContent", "X-Goog-Api-Key"},
		{"openrouter/m", "/api/v1", "/api/v1/chat/completions", "Authorization"},
		{"ollama", "", "/api/chat", "Authorization"},
		{"deepseek/m", "/v1", "/v1/chat/completions", "Authorization"},
		{"compatible/m", "/x", "/x/chat/completions", "Authorization"},
		{"mine/m", "/y", "/y/chat/completions", "Authorization"},
	}
	for _, row := range rows {
		t.Run(row.ref+row.base, func(t *testing.T) {
			paths, keys = nil, nil
			name, _, _ := strings.Cut(row.ref, "/")
			m, err := Open(t.Context(), row.ref, &Options{
				Getenv:    env("MY_KEY", "top-secret"),
				Addresses: map[string]Address{name: {BaseURL: srv.URL + row.base, KeyEnv: "MY_KEY"}},
			})
			if err != nil {
				t.Fatal(err)
			}
			done, err := model.Ask(context.Background(), m, &model.Request{Messages: []*model.Message{model.UserText("x")}})
			if err != nil || done.Message.Text() != "hello" {
				t.Fatalf("got %+v, %v", done, err)
			}
			keys = slices.Compact(keys) // Ollama is asked for its models with the key too
			if len(paths) != 1 || paths[0] != row.path || len(keys) != 1 || keys[0] != row.key {
				t.Errorf("asked at %q, key in %q", paths, keys)
			}
			if shown := fmt.Sprintf("%v %+v %#v %s", m, m, m, m); strings.Contains(shown, "top-secret") {
				t.Errorf("the key is shown: %s", shown)
			}
		})
	}
}

func TestATokenGoesIntoItsOwnHeader(t *testing.T) {
	var got string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("Authorization") + r.Header.Get("X-Api-Key")
		http.NotFound(w, r)
	}))
	defer srv.Close()
	m, err := Open(t.Context(), "anthropic/m", &Options{Getenv: env("ANTHROPIC_AUTH_TOKEN", "tok", "ANTHROPIC_BASE_URL", srv.URL)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = model.Ask(t.Context(), m, &model.Request{Messages: []*model.Message{model.UserText("x")}})
	if got != "Bearer tok" || err == nil || !strings.Contains(err.Error(), srv.URL+"/v1/messages for m") {
		t.Errorf("sent %q, got %v", got, err)
	}
}

func TestKeysAreNotRepeated(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(401)
		_, _ = fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s, or %s"}}`, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), "sk-proj-abcdefgh12345678")
	}))
	defer srv.Close()
	m, err := Open(t.Context(), "openai/m", &Options{Getenv: env("OPENAI_BASE_URL", srv.URL, "OPENAI_API_KEY", "top-secret")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = model.Ask(t.Context(), m, &model.Request{Messages: []*model.Message{model.UserText("x")}})
	if err == nil || strings.Contains(err.Error(), "top-secret") || strings.Contains(err.Error(), "abcdefgh") || !strings.Contains(err.Error(), "[key]") {
		t.Errorf("got %v", err)
	}
}

func TestASlowOllamaIsNotWaitedFor(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer srv.Close()
	start := time.Now()
	_, err := Open(t.Context(), "", &Options{Getenv: env("OLLAMA_HOST", srv.URL)})
	none, ok := errors.AsType[*NoModel](err)
	if !ok || none.Servers[0].Err.Error() != "does not answer" || time.Since(start) > 30*time.Second {
		t.Errorf("got %v after %v", err, time.Since(start))
	}
}

func TestScriptIsOpened(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(file, []byte("turns: [{text: hi}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := Open(t.Context(), "script/"+file, nil)
	if err != nil || m.Info().Provider != "script" {
		t.Errorf("got %v, %v", m, err)
	}
}

func TestWithoutAFunctionTheEnvironmentHasTheKeys(t *testing.T) {
	t.Setenv("GROQ_API_KEY", "k")
	for _, o := range []*Options{nil, {}} {
		if _, err := Open(t.Context(), "groq/llama-3.3-70b", o); err != nil {
			t.Error(err)
		}
	}
	if _, err := Open(t.Context(), "unlisted/x", nil); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}
