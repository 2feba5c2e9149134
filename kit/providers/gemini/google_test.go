package gemini

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// giver is a server that gives tokens: T1, T2, … for an hour each.
type giver struct {
	t     *testing.T
	key   *rsa.PublicKey
	given int
	body  string // answered instead, with status 400
}

func (g *giver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if g.body != "" {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, g.body)
		return
	}
	if strings.HasSuffix(r.URL.Path, ":generateAccessToken") {
		text, _ := io.ReadAll(r.Body)
		if r.Header.Get("Authorization") != "Bearer T1" || !strings.Contains(string(text), `"lifetime":"3600s"`) {
			g.t.Errorf("%v: %s", r.Header, text)
		}
		fmt.Fprintf(w, `{"accessToken":"OF-THE-ACCOUNT","expireTime":%q}`, time.Now().Add(time.Hour).Format(time.RFC3339))
		return
	}
	_ = r.ParseForm()
	switch {
	case strings.HasSuffix(r.URL.Path, "/project/project-id"):
		fmt.Fprint(w, "of-the-machine")
		return
	case r.URL.Path == "/subject":
		if r.Header.Get("X-Who") != "me" {
			g.t.Errorf("got %v", r.Header)
		}
		fmt.Fprint(w, `{"token":"SUBJECT"}`)
		return
	case r.Form.Get("grant_type") == "urn:ietf:params:oauth:grant-type:token-exchange":
		if r.Form.Get("subject_token") != "SUBJECT" || r.Form.Get("audience") != "//iam/pool" || r.Form.Get("scope") != scope || r.Form.Get("subject_token_type") != "jwt" {
			g.t.Errorf("got %v", r.Form)
		}
	case strings.HasSuffix(r.URL.Path, "/service-accounts/default/token"):
		if r.Header.Get("Metadata-Flavor") != "Google" {
			g.t.Error("no Metadata-Flavor")
		}
	case r.Form.Get("grant_type") == "refresh_token":
		if r.Form.Get("refresh_token") != "R" || r.Form.Get("client_id") != "C" || r.Form.Get("client_secret") != "S" {
			g.t.Errorf("got %v", r.Form)
		}
	default:
		g.checkAssertion(r.Form.Get("assertion"), "http://"+r.Host+"/token")
	}
	g.given++
	fmt.Fprintf(w, `{"access_token":"T%d","expires_in":3600,"token_type":"Bearer"}`, g.given)
}

// checkAssertion reads a JWT as Google does.
func (g *giver) checkAssertion(jwt, aud string) {
	parts := strings.Split(jwt, ".")
	if len(parts) != 3 {
		g.t.Fatalf("not a JWT: %q", jwt)
	}
	signature, _ := base64.RawURLEncoding.DecodeString(parts[2])
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err := rsa.VerifyPKCS1v15(g.key, crypto.SHA256, sum[:], signature); err != nil {
		g.t.Error(err)
	}
	var claims struct {
		Iss, Scope, Aud string
		Iat, Exp        int64
	}
	text, _ := base64.RawURLEncoding.DecodeString(parts[1])
	if err := json.Unmarshal(text, &claims); err != nil || claims.Iss != "a@p.iam" || claims.Aud != aud || claims.Scope != scope || claims.Exp-claims.Iat != 3600 {
		g.t.Errorf("%v, %s", err, text)
	}
}

// TestTokens gets tokens from each source, keeps them, and replaces them before they expire.
func TestTokens(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, _ := x509.MarshalPKCS8PrivateKey(key)
	pems := map[string]string{
		"PKCS8": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})),
		"PKCS1": string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})),
	}
	for _, row := range []struct {
		name, where string // the file's place below the home; "": the variable names it
		file        map[string]string
	}{
		{"a service account, PKCS8", "", map[string]string{"type": "service_account", "client_email": "a@p.iam", "private_key": pems["PKCS8"]}},
		{"a service account, PKCS1", "", map[string]string{"type": "service_account", "client_email": "a@p.iam", "private_key": pems["PKCS1"]}},
		{"a user of gcloud", ".config/gcloud", map[string]string{"type": "authorized_user", "client_id": "C", "client_secret": "S", "refresh_token": "R"}},
		{"the machine", "", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := &giver{t: t, key: &key.PublicKey}
			srv := httptest.NewServer(g)
			defer srv.Close()
			home := t.TempDir()
			vars := map[string]string{"GCE_METADATA_HOST": strings.TrimPrefix(srv.URL, "http://")}
			if row.file != nil {
				row.file["token_uri"] = srv.URL + "/token"
				path := write(t, filepath.Join(home, row.where), row.file)
				if row.where == "" {
					vars["GOOGLE_APPLICATION_CREDENTIALS"] = path
				}
			}
			if got := (&GoogleSource{Getenv: func(n string) string { return vars[n] }}).MachineProject(t.Context()); got != "of-the-machine" {
				t.Errorf("the project is %q", got)
			}
			now := time.Now()
			s := &GoogleSource{Getenv: func(n string) string { return vars[n] }, Home: home, Now: func() time.Time { return now }}
			for i, want := range []string{"T1", "T1", "T2"} {
				if i == 2 {
					now = now.Add(59 * time.Minute)
				}
				if got, err := s.Token(t.Context()); err != nil || got != want {
					t.Errorf("%s, %v, want %s", got, err, want)
				}
			}
		})
	}
}

// TestTokensOfOthers: an external account, by a file and by an address, and a service account that another may act for.
func TestTokensOfOthers(t *testing.T) {
	subject := filepath.Join(t.TempDir(), "subject")
	if err := os.WriteFile(subject, []byte("SUBJECT\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	external := func(base string, source map[string]any) map[string]any {
		return map[string]any{"type": "external_account", "audience": "//iam/pool", "subject_token_type": "jwt", "token_url": base + "/token", "credential_source": source}
	}
	asJSON := map[string]any{"type": "json", "subject_token_field_name": "token"}
	for _, row := range []struct {
		name, want string
		file       func(base string) map[string]any
	}{
		{"a file", "T1", func(base string) map[string]any { return external(base, map[string]any{"file": subject}) }},
		{"an address", "T1", func(base string) map[string]any {
			return external(base, map[string]any{"url": base + "/subject", "headers": map[string]string{"X-Who": "me"}, "format": asJSON})
		}},
		{"an account that it acts for", "OF-THE-ACCOUNT", func(base string) map[string]any {
			f := external(base, map[string]any{"file": subject})
			f["service_account_impersonation_url"] = base + "/a@p.iam:generateAccessToken"
			return f
		}},
		{"a user that acts for one", "OF-THE-ACCOUNT", func(base string) map[string]any {
			return map[string]any{"type": "impersonated_service_account", "service_account_impersonation_url": base + "/a@p.iam:generateAccessToken",
				"source_credentials": map[string]string{"type": "authorized_user", "client_id": "C", "client_secret": "S", "refresh_token": "R", "token_uri": base + "/token"}}
		}},
		{"a machine of Amazon that this is not", "", func(base string) map[string]any {
			return external(base, map[string]any{"environment_id": "aws1", "url": "http://127.0.0.1:1/"})
		}},
		{"a missing field", "", func(base string) map[string]any {
			return external(base, map[string]any{"url": base + "/subject", "headers": map[string]string{"X-Who": "me"}, "format": map[string]any{"type": "json", "subject_token_field_name": "other"}})
		}},
		{"itself", "", func(base string) map[string]any {
			return map[string]any{"type": "impersonated_service_account", "source_credentials": map[string]string{"type": "impersonated_service_account"}}
		}},
	} {
		g := &giver{t: t}
		srv := httptest.NewServer(g)
		home := t.TempDir()
		write(t, filepath.Join(home, ".config/gcloud"), row.file(srv.URL))
		s := &GoogleSource{Getenv: func(string) string { return "" }, Home: home}
		got, err := s.Token(t.Context())
		if got != row.want || (err == nil) != (row.want != "") {
			t.Errorf("%s: %q, %v", row.name, got, err)
		}
		if again, _ := s.Token(t.Context()); again != got || row.want != "" && time.Until(s.expires).Round(time.Minute) != time.Hour {
			t.Errorf("%s: again %q, until %v", row.name, again, s.expires)
		}
		srv.Close()
	}
}

func write(t *testing.T, dir string, file any) string {
	t.Helper()
	text, _ := json.Marshal(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "application_default_credentials.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestNoToken: what is reported where no token is given; nothing secret is in it.
func TestNoToken(t *testing.T) {
	g := &giver{t: t, body: `{"error":"invalid_grant","error_description":"Token has been revoked."}`}
	srv := httptest.NewServer(g)
	defer srv.Close()
	user := func(kind, url string) map[string]string {
		return map[string]string{"type": kind, "client_id": "C", "client_secret": "secret-S", "refresh_token": "secret-R", "private_key": "secret-K", "client_email": "a@p.iam", "token_uri": url}
	}
	for name, row := range map[string]struct {
		file map[string]string
		want string
	}{
		"revoked":          {user("authorized_user", srv.URL), "revoked.; sign in again: gcloud auth application-default login"},
		"another type":     {user("gdch_service_account", srv.URL), `"gdch_service_account" is not supported`},
		"a broken key":     {user("service_account", srv.URL), "key of the service account a@p.iam: not in the form PEM"},
		"nobody answers":   {user("authorized_user", "http://127.0.0.1:1/token"), "token of Google"},
		"no file, no host": {nil, "no credentials were found"},
	} {
		home := t.TempDir()
		if row.file != nil {
			write(t, filepath.Join(home, ".config/gcloud"), row.file)
		}
		s := &GoogleSource{Getenv: func(n string) string { return map[string]string{"GCE_METADATA_HOST": "127.0.0.1:1"}[n] }, Home: home}
		_, err := s.Token(t.Context())
		if err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
		if (row.file == nil) != errors.Is(err, ErrNoGoogleCredentials) {
			t.Errorf("%s: ErrNoCredentials in %v", name, err)
		}
	}
	s := &GoogleSource{Getenv: func(string) string { return "/nowhere" }}
	if _, err := s.Token(t.Context()); err == nil || errors.Is(err, ErrNoGoogleCredentials) {
		t.Errorf("a named file that is missing: %v", err)
	}
}
