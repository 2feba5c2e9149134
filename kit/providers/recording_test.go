package providers

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/kit/script"
	"rein/lab/modelserver"
	"rein/lab/testkit"
	"rein/model"
)

// The secrets of the test. Each is in the answer of a service that gives keys, or in the settings of the user.
const (
	secretKey     = "SECRET+key/0123456789abcdef"
	secretSession = "SECRET+session/0123456789ab"
	secretToken   = "SECRET.token-0123456789abcd"
)

// keyServices answer requests for keys, and requests to models. The first request to a model is refused with all of its
// headers in the answer, as Amazon does when a signature is wrong.
func keyServices(t *testing.T) *httptest.Server {
	t.Helper()
	s, err := script.Parse([]byte("turns: [{text: Hello.}]"))
	if err != nil {
		t.Fatal(err)
	}
	models := &modelserver.Server{Script: s}
	mux := http.NewServeMux()
	give := func(path, text string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
	}
	keys := `{"AccessKeyId":"AKID","SecretAccessKey":"` + secretKey + `","Token":"` + secretSession + `","Expiration":"2099-01-01T00:00:00Z"}`
	give("PUT /latest/api/token", "SECRET-metadata-token")
	give("GET /latest/meta-data/iam/security-credentials/{$}", "role")
	give("GET /latest/meta-data/iam/security-credentials/role", keys)
	give("GET /container", keys)
	give("GET /federation/credentials", `{"roleCredentials":{"accessKeyId":"AKID","secretAccessKey":"`+secretKey+`","sessionToken":"`+secretSession+`","expiration":4070908800000}}`)
	give("POST /token", `{"access_token":"`+secretToken+`","expires_in":3600}`)
	refused := false
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if refused {
			models.ServeHTTP(w, r)
			return
		}
		refused = true
		w.WriteHeader(http.StatusServiceUnavailable)
		var quoted strings.Builder
		for name, values := range r.Header {
			fmt.Fprintf(&quoted, "%s:%s;", strings.ToLower(name), strings.Join(values, ","))
		}
		_, _ = fmt.Fprintf(w, `{"error":{"message":%q},"message":%q}`, quoted.String(), quoted.String())
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv
}

// privateKey makes a key, in PKCS #8.
func privateKey(t *testing.T) []byte {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// account writes the file of a service account, and returns its path and a piece of its key.
func account(t *testing.T, base string, der []byte) (file, secret string) {
	t.Helper()
	private := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	text, err := json.Marshal(map[string]string{"type": "service_account", "project_id": "p", "client_email": "e", "private_key": private, "token_uri": base + "/token"})
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "account.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file, private[100:140]
}

// TestRecordingsHoldNoSecrets: the recording of a whole run, with a refusal that quotes the request, holds neither keys nor
// tokens, and no request for keys.
func TestRecordingsHoldNoSecrets(t *testing.T) {
	rows := []struct {
		name, ref string
		env       []string // BASE is the address of the server, FILE a file of an account, CONFIG a directory with an sso profile
	}{
		{"bedrock: keys", "bedrock/m", []string{"AWS_ACCESS_KEY_ID", "AKID", "AWS_SECRET_ACCESS_KEY", secretKey, "AWS_SESSION_TOKEN", secretSession}},
		{"bedrock: machine", "bedrock/m", []string{"AWS_EC2_METADATA_SERVICE_ENDPOINT", "BASE"}},
		{"bedrock: container", "bedrock/m", []string{"AWS_CONTAINER_CREDENTIALS_FULL_URI", "BASE/container", "AWS_CONTAINER_AUTHORIZATION_TOKEN", secretToken}},
		{"bedrock: sso", "bedrock/m", []string{"AWS_PROFILE", "dev", "AWS_CONFIG_FILE", "CONFIG/config", "AWS_ENDPOINT_URL_SSO", "BASE"}},
		{"bedrock: bearer key", "bedrock/m", []string{"AWS_BEARER_TOKEN_BEDROCK", secretToken}},
		{"azure: key", "azure/m", []string{"AZURE_OPENAI_API_KEY", secretKey}},
		{"azure: token", "azure/m", []string{"AZURE_OPENAI_AD_TOKEN", secretToken}},
		{"vertex: account, gemini", "vertex/gemini-x", []string{"GOOGLE_APPLICATION_CREDENTIALS", "FILE"}},
		{"vertex: account, claude", "vertex/claude-x", []string{"GOOGLE_APPLICATION_CREDENTIALS", "FILE"}},
		{"vertex: account, others", "vertex/meta/x", []string{"GOOGLE_APPLICATION_CREDENTIALS", "FILE"}},
		{"vertex: token", "vertex/gemini-x", []string{"CLOUDSDK_AUTH_ACCESS_TOKEN", secretToken, "GOOGLE_CLOUD_PROJECT", "p"}},
		{"anthropic", "anthropic/m", []string{"ANTHROPIC_API_KEY", secretKey, "ANTHROPIC_BASE_URL", "BASE"}},
		{"openai", "openai/m", []string{"OPENAI_API_KEY", secretKey, "OPENAI_BASE_URL", "BASE/v1"}},
		{"gemini", "gemini/m", []string{"GEMINI_API_KEY", secretKey, "GOOGLE_GEMINI_BASE_URL", "BASE"}},
	}
	der := privateKey(t)
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			srv := keyServices(t)
			file, private := account(t, srv.URL, der)
			vars := []string{"AWS_REGION", "us-east-1", "AWS_BEDROCK_BASE_URL", srv.URL, "AZURE_OPENAI_ENDPOINT", srv.URL, "GOOGLE_VERTEX_BASE_URL", srv.URL,
				"AWS_CONFIG_FILE", "/nowhere", "AWS_SHARED_CREDENTIALS_FILE", "/nowhere"}
			for _, v := range row.env {
				vars = append(vars, strings.NewReplacer("BASE", srv.URL, "FILE", file, "CONFIG", ssoHome(t)).Replace(v))
			}
			for i := range row.env { // names of variables are not replaced
				if i%2 == 0 {
					vars[len(vars)-len(row.env)+i] = row.env[i]
				}
			}
			var recording bytes.Buffer
			m, err := Open(t.Context(), row.ref, &Options{Getenv: env(vars...), Transport: &testkit.Recorder{To: &recording}, Retry: &model.RetryOptions{First: 1}})
			if err != nil {
				t.Fatal(err)
			}
			done, err := model.Ask(t.Context(), m, &model.Request{Messages: []*model.Message{model.UserText("hi")}})
			if err != nil || done.Message.Text() != "Hello." {
				t.Fatalf("%v, %+v", err, done)
			}
			text := recording.String()
			if n := strings.Count(text, "\n"); n != 2 {
				t.Errorf("the recording has %d lines, want the two requests to the model:\n%s", n, text)
			}
			for _, secret := range []string{"SECRET", private, "Signature=0", "PRIVATE KEY"} {
				if strings.Contains(text, secret) {
					t.Errorf("the recording holds %q:\n%s", secret, text)
				}
			}
			if !strings.Contains(text, "[key]") {
				t.Errorf("the refusal should have quoted a key:\n%s", text)
			}
		})
	}
}

// ssoHome makes a home with a profile for a user who has signed in, and returns the directory of its settings.
func ssoHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	const cached = "d033e22ae348aeb5660fc2140aec35850c4da997.json" // SHA-1 of "admin", the name of the session
	dir := filepath.Join(home, ".aws", "sso", "cache")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	config := "[profile dev]\nsso_session = admin\nsso_account_id = 1\nsso_role_name = dev\n[sso-session admin]\nsso_region = us-east-1\n"
	for path, text := range map[string]string{
		filepath.Join(home, ".aws", "config"): config,
		filepath.Join(dir, cached):            `{"accessToken":"` + secretToken + `","expiresAt":"2099-01-01T00:00:00Z"}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(home, ".aws")
}
