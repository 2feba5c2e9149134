package openai

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// giver returns tokens that name who asked, for an hour each.
func giver(t *testing.T, now time.Time) (address string, given *int) {
	t.Helper()
	given = new(int)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		*given++
		switch f := r.Form; {
		case r.Method == http.MethodPost && (r.URL.Path != "/tenant/oauth2/v2.0/token" || f.Get("grant_type") != "client_credentials" || f.Get("scope") != "https://cognitiveservices.azure.com/.default"):
			t.Errorf("got %s %v", r.URL, f)
		case f.Get("client_secret") == "SECRET" && f.Get("client_id") == "app":
			fmt.Fprintf(w, `{"token_type":"Bearer","expires_in":3600,"access_token":"SECRET-%d"}`, *given)
		case f.Get("client_assertion") == "CLUSTER" && strings.HasSuffix(f.Get("client_assertion_type"), ":jwt-bearer"):
			fmt.Fprintf(w, `{"expires_in":3600,"access_token":"CLUSTER-%d"}`, *given)
		case f.Get("client_secret") != "":
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error":"invalid_client","error_description":"AADSTS7000215: Invalid client secret provided.\r\nTrace ID: 1"}`)
		case f.Get("resource") != "https://cognitiveservices.azure.com" || r.Header.Get("Metadata") != "true":
			t.Errorf("got %s %v", r.URL, r.Header)
		case r.URL.Path == "/msi" && r.Header.Get("X-Identity-Header") == "H" && f.Get("api-version") == "2019-08-01":
			fmt.Fprintf(w, `{"expires_on":"%d","access_token":"APP-%d"}`, now.Add(time.Hour).Unix(), *given)
		case r.URL.Path == "/metadata/identity/oauth2/token" && f.Get("api-version") == "2018-02-01":
			fmt.Fprintf(w, `{"expires_in":"3600","expires_on":"%d","access_token":"MACHINE%s-%d"}`, now.Add(time.Hour).Unix(), f.Get("client_id"), *given)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL, given
}

func TestToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("CLUSTER\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, want string
		env        map[string]string
	}{
		{"the secret of an application", "SECRET-", map[string]string{"AZURE_TENANT_ID": "tenant", "AZURE_CLIENT_ID": "app", "AZURE_CLIENT_SECRET": "SECRET"}},
		{"the token of a cluster", "CLUSTER-", map[string]string{"AZURE_TENANT_ID": "tenant", "AZURE_CLIENT_ID": "app", "AZURE_FEDERATED_TOKEN_FILE": file}},
		{"an app service", "APP-", map[string]string{"IDENTITY_ENDPOINT": "BASE/msi", "IDENTITY_HEADER": "H"}},
		{"a machine", "MACHINE-", nil},
		{"one of the identities of a machine", "MACHINEapp-", map[string]string{"AZURE_CLIENT_ID": "app"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
			base, given := giver(t, now)
			s := &AzureSource{Metadata: base, Now: func() time.Time { return now }, Getenv: func(name string) string {
				if name == "AZURE_AUTHORITY_HOST" {
					return base + "/"
				}
				return strings.Replace(row.env[name], "BASE", base, 1)
			}}
			for i, after := range []time.Duration{0, 57 * time.Minute, 2 * time.Minute} {
				now = now.Add(after)
				want := fmt.Sprint(row.want, 1+i/2) // the third comes two minutes before the end of the first token
				if got, err := s.Token(t.Context()); got != want || err != nil {
					t.Errorf("after %s: %q, %v, want %q", after, got, err, want)
				}
			}
			if *given != 2 {
				t.Errorf("%d tokens were given", *given)
			}
		})
	}
}

func TestTokenFails(t *testing.T) {
	base, _ := giver(t, time.Now())
	wrong := map[string]string{"AZURE_AUTHORITY_HOST": base, "AZURE_TENANT_ID": "tenant", "AZURE_CLIENT_ID": "app", "AZURE_CLIENT_SECRET": "wrong-secret"}
	_, err := (&AzureSource{Getenv: func(name string) string { return wrong[name] }}).Token(t.Context())
	if err == nil || !strings.Contains(err.Error(), "401 invalid_client AADSTS7000215: Invalid client secret provided.") || strings.Contains(err.Error(), "wrong-secret") || strings.Contains(err.Error(), "Trace") {
		t.Errorf("got %v", err)
	}
	_, err = (&AzureSource{Getenv: func(string) string { return "" }, Metadata: "http://127.0.0.1:1"}).Token(t.Context())
	if !errors.Is(err, ErrNoAzureCredentials) {
		t.Errorf("got %v", err)
	}
}

// Tokens of the clouds for governments and for China are for the models there.
func TestResource(t *testing.T) {
	for host, want := range map[string]string{
		"": "https://cognitiveservices.azure.com", "https://login.microsoftonline.us/": "https://cognitiveservices.azure.us",
		"https://login.chinacloudapi.cn": "https://cognitiveservices.azure.cn",
	} {
		s := &AzureSource{Getenv: func(string) string { return host }}
		if got := s.resource(); got != want {
			t.Errorf("%s: %s", host, got)
		}
	}
}
