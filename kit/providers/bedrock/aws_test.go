package bedrock

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const exampleSecret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"

// TestSign: the first two rows are of Amazon's public test suite for signatures, the others were made with its SDK for Go.
func TestSign(t *testing.T) {
	at, err := time.Parse(longDate, "20150830T123600Z")
	if err != nil {
		t.Fatal(err)
	}
	host := "https://bedrock-runtime.us-east-1.amazonaws.com"
	for _, row := range []struct{ name, method, url, body, token, service, signed, want string }{
		{"get-vanilla", "GET", "https://example.amazonaws.com/", "", "", "service", "host;x-amz-date", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
		{"get-vanilla-query-order-key", "GET", "https://example.amazonaws.com/?Param2=value2&Param1=value1", "", "", "service", "host;x-amz-date", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
		{"a colon in the path", "POST", host + "/model/anthropic.claude-3-haiku-20240307-v1%3A0/converse-stream", `{"messages":[]}`, "", "bedrock", "content-type;host;x-amz-date", "eda8140c699d98318f9558bd92f920afa8c74f36b5e3ef179d725e20e305e09d"},
		{"a session, an ARN, no ASCII", "POST", host + "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.x/converse", `{"a":"ü b"}`, "SESSION/TOKEN+=", "bedrock", "content-type;host;x-amz-date;x-amz-security-token", "20f56efeada920a1608e17e9032bb3bb3808988d1eacd56bc7f28ffeef72f70a"},
	} {
		r, err := http.NewRequest(row.method, row.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if row.body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		r.Header.Set("Accept", "text/event-stream")
		Signer{Region: "us-east-1", Service: row.service}.Sign(r, []byte(row.body), Credentials{KeyID: "AKIDEXAMPLE", Secret: exampleSecret, Token: row.token}, at)
		want := "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/" + row.service + "/aws4_request, SignedHeaders=" + row.signed + ", Signature=" + row.want
		if got := r.Header.Get("Authorization"); got != want {
			t.Errorf("%s:\n%s, want\n%s", row.name, got, want)
		}
	}
}

// sources is a world with every source of keys.
func sources(t *testing.T) (*httptest.Server, string) {
	t.Helper()
	mux := http.NewServeMux()
	give := func(id string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"AccessKeyId":"`+id+`","SecretAccessKey":"s","Token":"t","Expiration":"2030-01-01T00:00:00Z"}`)
		}
	}
	mux.HandleFunc("PUT /latest/api/token", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "T") })
	mux.HandleFunc("GET /latest/meta-data/iam/security-credentials/{$}", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Aws-Ec2-Metadata-Token") != "T" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		io.WriteString(w, "role\n")
	})
	mux.HandleFunc("GET /latest/meta-data/iam/security-credentials/role", give("MACHINE"))
	mux.HandleFunc("GET /container", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "let me in" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		give("CONTAINER")(w, r)
	})
	mux.HandleFunc("GET /federation/credentials", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Amz-Sso_bearer_token") != "SSO" || r.URL.Query().Get("role_name") != "dev" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		io.WriteString(w, `{"roleCredentials":{"accessKeyId":"SIGNEDIN","secretAccessKey":"s","sessionToken":"t","expiration":1900000000000}}`)
	})
	mux.HandleFunc("POST /{$}", securityTokenService(t))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	home := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(home, ".aws", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write("config", `# comment
[profile role]
role_arn = arn:aws:iam::1:role/r
source_profile = plain
external_id = X
[profile own]
role_arn = arn:aws:iam::1:role/r
source_profile = own
external_id = X
[profile role-of-role]
role_arn = arn:aws:iam::1:role/r
source_profile = role
external_id = X
[profile role-of-environment]
role_arn = arn:aws:iam::1:role/r
credential_source = Environment
[profile role-of-machine]
role_arn = arn:aws:iam::1:role/r
credential_source = Ec2InstanceMetadata
external_id = X
[profile refused-role]
role_arn = arn:aws:iam::1:role/r
source_profile = plain
[profile one]
role_arn = a
source_profile = two
[profile two]
role_arn = a
source_profile = one
[profile device]
role_arn = a
source_profile = plain
mfa_serial = d
[profile program]
credential_process = touch started
[profile plain]
region = eu-west-1
s3 =
  max_concurrent_requests = 20
[profile signed]
sso_session = corp
sso_account_id = 1
sso_role_name = dev
[sso-session corp]
sso_region = us-east-1
sso_start_url = https://corp.example
`)
	write("token", "WEB\n")
	write("credentials", "[own]\naws_access_key_id = OWN\naws_secret_access_key = s\n[plain]\naws_access_key_id = PLAIN\naws_secret_access_key = s\n")
	write("sso/cache/"+hexSHA1("corp")+".json", `{"accessToken":"SSO","expiresAt":"2030-01-01T00:00:00Z"}`)
	return server, home
}

// securityTokenService gives roles: to signed requests with the external id X, and for the token WEB.
func securityTokenService(t *testing.T) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil || r.Form.Get("Version") != "2011-06-15" || r.Form.Get("RoleSessionName") != "rein" {
			t.Errorf("got %v, %v", r.Form, err)
		}
		action, signed := r.Form.Get("Action"), r.Header.Get("Authorization")
		from, _, _ := strings.Cut(strings.TrimPrefix(signed, "AWS4-HMAC-SHA256 Credential="), "/")
		switch {
		case action == "AssumeRole" && strings.Contains(signed, "/eu-west-1/sts/aws4_request") && r.Form.Get("ExternalId") == "X":
		case action == "AssumeRoleWithWebIdentity" && signed == "" && r.Form.Get("WebIdentityToken") == "WEB":
			from = "WEB"
		default:
			w.WriteHeader(http.StatusForbidden)
			io.WriteString(w, `<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>secret</Message></Error></ErrorResponse>`)
			return
		}
		io.WriteString(w, `<`+action+`Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><`+action+`Result><Credentials><AccessKeyId>ROLE-`+from+
			`</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2030-01-01T00:00:00Z</Expiration></Credentials></`+action+`Result></`+action+`Response>`)
	}
}

// TestRoles: the keys of roles. A program that gives keys is not started.
func TestRoles(t *testing.T) {
	server, home := sources(t)
	for _, row := range []struct{ profile, want, fault string }{
		{"role", "ROLE-PLAIN", ""},
		{"own", "ROLE-OWN", ""},
		{"role-of-role", "ROLE-ROLE-PLAIN", ""},
		{"role-of-machine", "ROLE-MACHINE", ""},
		{"role-of-environment", "", "no keys that may assume it"},
		{"refused-role", "", "the role arn:aws:iam::1:role/r was not given: AccessDenied"},
		{"one", "", "name each other"},
		{"device", "", "mfa_serial"},
		{"program", "", "which rein does not start"},
		{"", "ROLE-WEB", ""},
	} {
		env := map[string]string{"AWS_PROFILE": row.profile, "AWS_ENDPOINT_URL_STS": server.URL, "AWS_REGION": "eu-west-1"}
		if row.profile == "" {
			env["AWS_WEB_IDENTITY_TOKEN_FILE"], env["AWS_ROLE_ARN"] = filepath.Join(home, ".aws", "token"), "arn:aws:iam::1:role/r"
		}
		c := &CredentialChain{Getenv: func(name string) string { return env[name] }, Home: home, Metadata: server.URL}
		got, err := c.Get(t.Context())
		if got.KeyID != row.want || (err == nil) != (row.fault == "") || err != nil && (!strings.Contains(err.Error(), row.fault) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s: %q, %v; want %q %q", row.profile, got.KeyID, err, row.want, row.fault)
		}
		if strings.HasPrefix(row.want, "ROLE") && got.Expires.Year() != 2030 || row.want != "" && got.Token != "t" {
			t.Errorf("%s: %q, until %v", row.profile, got.Token, got.Expires)
		}
	}
}

func TestChain(t *testing.T) {
	server, home := sources(t)
	for _, row := range []struct {
		name, want string
		env        map[string]string
	}{
		{"environment", "ENV", map[string]string{"AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "s", "AWS_PROFILE": "plain"}},
		{"profile", "PLAIN", map[string]string{"AWS_PROFILE": "plain"}},
		{"sign-in", "SIGNEDIN", map[string]string{"AWS_PROFILE": "signed", "AWS_ENDPOINT_URL_SSO": server.URL}},
		{"container", "CONTAINER", map[string]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI": server.URL + "/container", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "let me in"}},
		{"machine", "MACHINE", nil},
		{"a container of a stranger", "", map[string]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://example.org/keys"}},
		{"a profile without keys", "", map[string]string{"AWS_PROFILE": "none"}},
		{"no machine", "", map[string]string{"AWS_EC2_METADATA_DISABLED": "true"}},
	} {
		c := &CredentialChain{Getenv: func(name string) string { return row.env[name] }, Home: home, Metadata: server.URL}
		got, err := c.Get(t.Context())
		if got.KeyID != row.want || (err == nil) != (row.want != "") {
			t.Errorf("%s: %q, %v; want %q", row.name, got.KeyID, err, row.want)
		}
		if again, _ := c.Get(context.Background()); again != got {
			t.Errorf("%s: the second time %+v", row.name, again)
		}
	}
	late := &CredentialChain{Getenv: func(name string) string { return map[string]string{"AWS_PROFILE": "signed"}[name] }, Home: home, Now: func() time.Time { return time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC) }}
	if _, err := late.Get(t.Context()); err == nil || !strings.Contains(err.Error(), "aws sso login") {
		t.Errorf("a sign-in that has ended: %v", err)
	}
	region := &CredentialChain{Getenv: func(name string) string { return map[string]string{"AWS_PROFILE": "plain"}[name] }, Home: home}
	if got := region.Region(); got != "eu-west-1" {
		t.Errorf("the region is %q", got)
	}
}
