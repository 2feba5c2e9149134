package providers

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// local answers as a local server does: a status and a body for each path.
func local(t *testing.T, status int, body string) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := r.URL.Path; p != "/api/tags" && p != "/v1/models" && p != "/api/show" && p != "/api/ps" {
			t.Errorf("asked for %s", r.URL.Path)
		}
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, body)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestTheModelOfAnOllama(t *testing.T) {
	const two = `{"models":[{"name":"old:7b","modified_at":"2025-01-01T00:00:00Z"},{"name":"qwen3:latest","modified_at":"2026-01-01T00:00:00Z"},{"name":"nomic-embed-text:latest","modified_at":"2026-06-01T00:00:00Z"}]}`
	rows := []struct {
		name, ref string
		status    int
		body      string
		want      string
	}{
		{"none is named: the newest that is not for embeddings", "", 200, two, "ollama/qwen3:latest"},
		{"only the provider is named", "ollama", 200, two, "ollama/qwen3:latest"},
		{"by its name", "ollama/old:7b", 200, two, "ollama/old:7b"},
		{"without its tag", "ollama/qwen3", 200, two, "ollama/qwen3"},
		{"misspelt", "ollama/qwen3:latst", 200, two, `no model "qwen3:latst"; did you mean qwen3:latest? (it has nomic-embed-text:latest, qwen3:latest, old:7b; to get it: ollama pull qwen3:latst)`},
		{"no models", "ollama/qwen3", 200, `{"models":[]}`, `has no models: get one with "ollama pull qwen3"`},
		{"no models and none is named", "ollama", 200, `{"models":[]}`, `has no models: get one with "ollama pull NAME"`},
		{"another program", "ollama", 404, `<html>`, "something else answers there (HTTP status 404); name the model: --model ollama/NAME"},
		{"only models for embeddings", "ollama", 200, `{"models":[{"name":"nomic-embed-text"}]}`, "has only models for embeddings"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			m, err := Open(t.Context(), row.ref, &Options{Patience: time.Minute, Getenv: env("OLLAMA_HOST", local(t, row.status, row.body))})
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

func TestServers(t *testing.T) {
	list := local(t, 200, `{"data":[{"id":"text-embedding-x"},{"id":"qwen3-4b"}]}`)
	o := &Options{Patience: time.Minute, Getenv: env("OLLAMA_HOST", nobody, "LMSTUDIO_BASE_URL", list+"/v1", "LLAMACPP_BASE_URL", local(t, 500, "")+"/v1", "VLLM_BASE_URL", local(t, 200, `{"data":[]}`)+"/v1")}
	var got []string
	for _, s := range Servers(t.Context(), o) {
		got = append(got, fmt.Sprintf("%s %v %v", s.Title, s.Models, s.Err))
	}
	want := "Ollama [] not running\nLM Studio [text-embedding-x qwen3-4b] <nil>\nllama.cpp [] something else answers there (HTTP status 500)\nvLLM [] runs, but has no models"
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	// A server at a port that anybody may use is named by NoModel, and not used.
	if _, err := Open(t.Context(), "", o); err == nil || strings.Contains(err.Error(), "qwen3-4b") {
		t.Errorf("got %v", err)
	}
	if m, err := Open(t.Context(), "lmstudio", o); err != nil || m.Info().String() != "lmstudio/qwen3-4b" {
		t.Errorf("got %v, %v", m, err)
	}
}
