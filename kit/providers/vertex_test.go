package providers

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/kit/script"
	"rein/lab/modelserver"
	"rein/model"
)

// TestVertex asks a model of each protocol twice, with a call between, with the credentials of a user of gcloud.
func TestVertex(t *testing.T) {
	for ref, want := range map[string][2]string{ // a text that is in every body, and one that is in none
		"vertex/claude-sonnet-4-5@20250929": {`"anthropic_version":"vertex-2023-10-16"`, `"model"`},
		"vertex/anthropic/claude-opus-4-1":  {`"stream":true`, `"model"`},
		"vertex/google/gemini-2.5-pro":      {`"contents"`, `"anthropic_version"`},
	} {
		t.Run(ref, func(t *testing.T) {
			s, err := script.Parse([]byte("turns: [{calls: [{name: look, args: {path: a}}]}, {expect: {contains: found}, text: Done.}]"))
			if err != nil {
				t.Fatal(err)
			}
			tokens := 0
			server := &modelserver.Server{Script: s, Heard: func(path string, body []byte) {
				if !strings.Contains(string(body), want[0]) || strings.Contains(string(body), want[1]) {
					t.Errorf("%s: %s", path, body)
				}
			}}
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/token" {
					tokens++
					w.Header().Set("Content-Type", "application/json")
					fmt.Fprint(w, `{"access_token":"T","expires_in":3600}`)
					return
				}
				if r.Header.Get("Authorization") != "Bearer T" || r.Header.Get("X-Goog-User-Project") != "q" {
					t.Errorf("got %v", r.Header)
				}
				server.ServeHTTP(w, r)
			}))
			defer srv.Close()
			file := filepath.Join(t.TempDir(), "adc.json")
			text, _ := json.Marshal(map[string]string{"type": "authorized_user", "client_id": "C", "client_secret": "S", "refresh_token": "R", "token_uri": srv.URL + "/token", "quota_project_id": "q"})
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
			m, err := Open(t.Context(), ref, &Options{Getenv: env("GOOGLE_APPLICATION_CREDENTIALS", file, "GOOGLE_VERTEX_BASE_URL", srv.URL), Transport: noTokens{t}})
			if err != nil {
				t.Fatal(err)
			}
			messages := []*model.Message{model.UserText("look")}
			tools := []model.ToolSpec{{Name: "look", Schema: []byte(`{"type":"object"}`)}}
			done, err := model.Ask(t.Context(), m, &model.Request{Messages: messages, Tools: tools})
			if err != nil || len(done.Message.Calls()) != 1 {
				t.Fatalf("%v, %+v", err, done)
			}
			messages = append(messages, done.Message, model.Answer(done.Message, model.Result(done.Message.Calls()[0].ID, "found", false)))
			done, err = model.Ask(t.Context(), m, &model.Request{Messages: messages, Tools: tools})
			if err != nil || done.Message.Text() != "Done." || tokens != 1 {
				t.Errorf("%v, %+v, %d tokens", err, done, tokens)
			}
		})
	}
}

// noTokens reports requests for tokens: what records requests must not see them.
type noTokens struct{ t *testing.T }

func (n noTokens) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == "/token" {
		n.t.Error("the transport saw the credentials")
	}
	return http.DefaultTransport.RoundTrip(r)
}

// TestVertexHosts: where each kind of location is reached.
func TestVertexHosts(t *testing.T) {
	for location, want := range map[string]string{
		"global": "https://aiplatform.googleapis.com", "eu": "https://aiplatform.eu.rep.googleapis.com", "us-east5": "https://us-east5-aiplatform.googleapis.com",
	} {
		if got := vertexHost(location); got != want {
			t.Errorf("%s: %s, want %s", location, got, want)
		}
	}
}

// TestVertexWithoutCredentials: the error says what to do, and is not tried again.
func TestVertexWithoutCredentials(t *testing.T) {
	m, err := Open(t.Context(), "vertex/gemini-2.5-pro", &Options{Getenv: env("GOOGLE_CLOUD_PROJECT", "p", "CLOUDSDK_CONFIG", "/nowhere", "GCE_METADATA_HOST", "127.0.0.1:1")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = model.Ask(t.Context(), m, &model.Request{Messages: []*model.Message{model.UserText("hi")}})
	e, ok := errors.AsType[*model.Error](err)
	if !ok || e.Kind != model.Auth || !strings.Contains(e.Text, "gcloud auth application-default login") {
		t.Errorf("got %v", err)
	}
}
