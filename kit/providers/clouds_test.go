package providers

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"rein/kit/script"
	"rein/lab/modelserver"
	"rein/model"
)

// asked is a server of a scripted model that keeps its requests.
func asked(t *testing.T) (base string, requests *[]*http.Request) {
	t.Helper()
	s, err := script.Parse([]byte("turns: [{text: Hello.}]"))
	if err != nil {
		t.Fatal(err)
	}
	requests = &[]*http.Request{}
	server := &modelserver.Server{Script: s}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/t/oauth2/v2.0/token" {
			fmt.Fprintf(w, `{"access_token":"ENTRA-%s","expires_in":3600}`, r.FormValue("client_id"))
			return
		}
		*requests = append(*requests, r)
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, requests
}

// TestClouds: how the clouds are reached, with each kind of key.
func TestClouds(t *testing.T) {
	for _, row := range []struct {
		name, ref string
		env       []string // BASE is replaced by the address of the server
		path      string
		header    map[string]string // how the value begins
	}{
		{"bedrock with keys", "bedrock/anthropic.claude-sonnet-4-5-v1:0", []string{"AWS_ACCESS_KEY_ID", "AKID", "AWS_SECRET_ACCESS_KEY", "s", "AWS_SESSION_TOKEN", "T", "AWS_REGION", "eu-west-1", "AWS_BEDROCK_BASE_URL", "BASE"},
			"/model/anthropic.claude-sonnet-4-5-v1%3A0/converse-stream", map[string]string{"Authorization": "AWS4-HMAC-SHA256 Credential=AKID/", "X-Amz-Security-Token": "T"}},
		{"bedrock with a bearer key", "bedrock/amazon.nova-pro-v1:0", []string{"AWS_BEARER_TOKEN_BEDROCK", "K", "AWS_REGION", "us-east-1", "AWS_BEDROCK_BASE_URL", "BASE"},
			"/model/amazon.nova-pro-v1%3A0/converse-stream", map[string]string{"Authorization": "Bearer K", "X-Amz-Date": ""}},
		{"bedrock, the model's own protocol", "bedrock-invoke/anthropic.claude-sonnet-4-5-v1:0", []string{"AWS_ACCESS_KEY_ID", "AKID", "AWS_SECRET_ACCESS_KEY", "s", "AWS_REGION", "eu-west-1", "AWS_BEDROCK_BASE_URL", "BASE"},
			"/model/anthropic.claude-sonnet-4-5-v1%3A0/invoke-with-response-stream", map[string]string{"Authorization": "AWS4-HMAC-SHA256 Credential=AKID/"}},
		{"azure", "azure/gpt-5", []string{"AZURE_OPENAI_API_KEY", "K", "AZURE_OPENAI_ENDPOINT", "BASE"},
			"/openai/v1/chat/completions", map[string]string{"Api-Key": "K", "Authorization": ""}},
		{"azure with a deployment", "azure/mine", []string{"AZURE_OPENAI_API_KEY", "K", "AZURE_OPENAI_ENDPOINT", "BASE/", "AZURE_OPENAI_API_VERSION", "2024-10-21"},
			"/openai/deployments/mine/chat/completions?api-version=2024-10-21", map[string]string{"Api-Key": "K"}},
		{"azure with a token", "azure/gpt-5", []string{"AZURE_OPENAI_AD_TOKEN", "E", "AZURE_OPENAI_ENDPOINT", "BASE"},
			"/openai/v1/chat/completions", map[string]string{"Authorization": "Bearer E", "Api-Key": ""}},
		{"azure as an application", "azure/gpt-5", []string{"AZURE_OPENAI_ENDPOINT", "BASE", "AZURE_TENANT_ID", "t", "AZURE_CLIENT_ID", "app", "AZURE_CLIENT_SECRET", "s", "AZURE_AUTHORITY_HOST", "BASE"},
			"/openai/v1/chat/completions", map[string]string{"Authorization": "Bearer ENTRA-app", "Api-Key": ""}},
		{"vertex: gemini", "vertex/gemini-3-pro-preview", []string{"CLOUDSDK_AUTH_ACCESS_TOKEN", "T", "GOOGLE_CLOUD_PROJECT", "p", "GOOGLE_VERTEX_BASE_URL", "BASE"},
			"/v1/projects/p/locations/global/publishers/google/models/gemini-3-pro-preview:streamGenerateContent?alt=sse", map[string]string{"Authorization": "Bearer T", "X-Goog-Api-Key": ""}},
		{"vertex: claude", "vertex/claude-sonnet-4-5@20250929", []string{"CLOUDSDK_AUTH_ACCESS_TOKEN", "T", "ANTHROPIC_VERTEX_PROJECT_ID", "p", "CLOUD_ML_REGION", "europe-west1", "GOOGLE_VERTEX_BASE_URL", "BASE/v1"},
			"/v1/projects/p/locations/europe-west1/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict", map[string]string{"Authorization": "Bearer T", "X-Api-Key": ""}},
		{"vertex: another publisher", "vertex/meta/llama-4-maverick", []string{"CLOUDSDK_AUTH_ACCESS_TOKEN", "T", "GOOGLE_CLOUD_PROJECT", "p", "GOOGLE_VERTEX_BASE_URL", "BASE"},
			"/v1/projects/p/locations/global/endpoints/openapi/chat/completions", map[string]string{"Authorization": "Bearer T"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			base, requests := asked(t)
			vars := append([]string{}, row.env...)
			for i := range vars {
				vars[i] = strings.ReplaceAll(vars[i], "BASE", base)
			}
			for i, v := range row.env {
				if i%2 == 0 {
					vars[i] = v
				}
			}
			m, err := Open(t.Context(), row.ref, &Options{Getenv: env(vars...)})
			if err != nil {
				t.Fatal(err)
			}
			done, err := model.Ask(t.Context(), m, &model.Request{Messages: []*model.Message{model.UserText("hi")}})
			if err != nil || done.Message.Text() != "Hello." {
				t.Fatalf("%v, %+v", err, done)
			}
			r := (*requests)[0]
			if got := r.URL.RequestURI(); got != row.path {
				t.Errorf("the path is %s, want %s", got, row.path)
			}
			for name, want := range row.header {
				if got := r.Header.Get(name); !strings.HasPrefix(got, want) || want == "" && got != "" {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
		})
	}
	for ref, want := range map[string]string{"bedrock/x": "AWS_REGION", "azure/x": "AZURE_OPENAI_ENDPOINT", "vertex/x": "GOOGLE_CLOUD_PROJECT"} {
		_, err := Open(t.Context(), ref, &Options{Getenv: env("AWS_CONFIG_FILE", "/nowhere", "AWS_SHARED_CREDENTIALS_FILE", "/nowhere", "CLOUDSDK_CONFIG", "/nowhere", "GCE_METADATA_HOST", "127.0.0.1:1")})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", ref, err)
		}
	}
}

// Keys that are missing are no broken connection: nothing is asked again.
func TestMissingKeysOfACloudAreAnAuthError(t *testing.T) {
	nowhere := []string{"AWS_CONFIG_FILE", "/nowhere", "AWS_SHARED_CREDENTIALS_FILE", "/nowhere", "AWS_EC2_METADATA_DISABLED", "true", "AWS_REGION", "us-east-1",
		"GOOGLE_CLOUD_PROJECT", "p", "CLOUDSDK_CONFIG", "/nowhere", "GCE_METADATA_HOST", "127.0.0.1:1",
		"AZURE_OPENAI_ENDPOINT", "http://127.0.0.1:1", "AZURE_TENANT_ID", "t", "AZURE_CLIENT_ID", "c", "AZURE_FEDERATED_TOKEN_FILE", "/nowhere"}
	for _, ref := range []string{"bedrock/x", "vertex/x", "azure/x"} {
		m, err := Open(t.Context(), ref, &Options{Getenv: env(nowhere...)})
		if err != nil {
			t.Fatal(err)
		}
		done, err := model.Ask(t.Context(), m, &model.Request{Messages: []*model.Message{model.UserText("hi")}})
		if e, ok := errors.AsType[*model.Error](err); !ok || e.Kind != model.Auth || done.Retries > 0 {
			t.Errorf("%s: %v after %d retries", ref, err, done.Retries)
		}
	}
}
