package gemini

// This part gets access tokens for Google's clouds from the application default credentials: the file of a service
// account or of an external account, the file that gcloud writes for a user, or the metadata server of a machine.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// ErrNoGoogleCredentials means that no source has credentials.
var ErrNoGoogleCredentials = errors.New("no credentials were found: run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS to the file of a service account")

// scope is what the tokens of service accounts are for.
const scope = "https://www.googleapis.com/auth/cloud-platform"

// early is how long before its end a token is replaced.
const early = 2 * time.Minute

// Requests for tokens take this long at most. The metadata server of a machine that has none does not answer.
const (
	asking         = 20 * time.Second
	askingMetadata = 2 * time.Second
)

// GoogleSource gives tokens and keeps them until two minutes before they expire. It must not be copied.
type GoogleSource struct {
	Getenv func(string) string
	Home   string            // of the user
	HTTP   http.RoundTripper // reaches the servers that give tokens; nil: the default one
	Now    func() time.Time  // nil: time.Now

	mu      sync.Mutex
	token   string
	expires time.Time
}

// GoogleFile is what a file of credentials holds.
type GoogleFile struct {
	Type         string // "service_account", "authorized_user", "external_account" or "impersonated_service_account"
	Project      string `json:"project_id"`       // of a service account
	QuotaProject string `json:"quota_project_id"` // that requests of a user are counted for

	Email    string `json:"client_email"`
	KeyID    string `json:"private_key_id"`
	Key      string `json:"private_key"` // PEM
	TokenURL string `json:"token_uri"`   // of an account or a user

	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	Refresh      string `json:"refresh_token"`

	Audience         string  `json:"audience"` // of an external account, as all that follows
	ExchangeURL      string  `json:"token_url"`
	SubjectType      string  `json:"subject_token_type"`
	Subject          Subject `json:"credential_source"`
	WorkforceProject string  `json:"workforce_pool_user_project"`

	ImpersonationURL string `json:"service_account_impersonation_url"` // "": the token is used as it is
	Impersonation    struct {
		Seconds int `json:"token_lifetime_seconds"`
	} `json:"service_account_impersonation"`
	Inner *GoogleFile `json:"source_credentials"` // of an impersonated_service_account
}

// GoogleFile reads the file that GOOGLE_APPLICATION_CREDENTIALS names, else that of gcloud; nil when there is none.
func (s *GoogleSource) File() (*GoogleFile, error) {
	path := s.Getenv("GOOGLE_APPLICATION_CREDENTIALS")
	named := path != ""
	if !named {
		path = filepath.Join(s.gcloud(), "application_default_credentials.json")
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) && !named {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("credentials of Google: %w", err)
	}
	f := &GoogleFile{}
	if json.Unmarshal(text, f) != nil { // its error may quote the file
		return nil, fmt.Errorf("credentials of Google: %s is not a file of credentials", path)
	}
	return f, nil
}

// gcloud is the directory of gcloud's settings.
func (s *GoogleSource) gcloud() string {
	if dir := s.Getenv("CLOUDSDK_CONFIG"); dir != "" {
		return dir
	}
	if dir := s.Getenv("APPDATA"); dir != "" {
		return filepath.Join(dir, "gcloud")
	}
	return filepath.Join(s.Home, ".config", "gcloud")
}

// Token returns a token that is valid.
func (s *GoogleSource) Token(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token != "" && s.now().Before(s.expires.Add(-early)) {
		return s.token, nil
	}
	f, err := s.File()
	if err != nil {
		return "", err
	}
	given, err := s.ask(ctx, f)
	if err != nil {
		return "", err
	}
	s.token, s.expires = given.Token, s.now().Add(time.Duration(given.Seconds)*time.Second)
	return s.token, nil
}

// ask gets a new token by the credentials in a file; nil: by those of the machine.
func (s *GoogleSource) ask(ctx context.Context, f *GoogleFile) (given granted, err error) {
	switch {
	case f == nil:
		return s.machine(ctx)
	case f.Type == "service_account":
		return s.account(ctx, f)
	case f.Type == "authorized_user":
		return s.grant(ctx, f, url.Values{"grant_type": {"refresh_token"}, "client_id": {f.ClientID}, "client_secret": {f.ClientSecret}, "refresh_token": {f.Refresh}})
	case f.Type == "external_account":
		given, err = s.external(ctx, f)
	case f.Type == "impersonated_service_account" && f.Inner != nil && f.Inner.Type != f.Type:
		given, err = s.ask(ctx, f.Inner)
	default:
		return granted{}, fmt.Errorf("credentials of Google: the type %q is not supported", f.Type)
	}
	if err != nil || f.ImpersonationURL == "" {
		return given, err
	}
	return s.impersonated(ctx, f, given)
}

func (s *GoogleSource) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

// granted is the answer of a server that gives tokens.
type granted struct {
	Token   string `json:"access_token"`
	Seconds int64  `json:"expires_in"`
	Fault   string `json:"error"`
	Text    string `json:"error_description"`
}

// account exchanges a statement that the service account signed for a token.
func (s *GoogleSource) account(ctx context.Context, f *GoogleFile) (granted, error) {
	signed, err := assertion(f, s.now())
	if err != nil {
		return granted{}, err
	}
	return s.grant(ctx, f, url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {signed}})
}

// tokenURL is where tokens are given when the file names no address.
const tokenURL = "https://oauth2.googleapis.com/token"

func (s *GoogleSource) grant(ctx context.Context, f *GoogleFile, form url.Values) (granted, error) {
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, cmp.Or(f.TokenURL, tokenURL), strings.NewReader(form.Encode()))
	if err != nil {
		return granted{}, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if f.Audience != "" && f.ClientID != "" {
		r.SetBasicAuth(f.ClientID, f.ClientSecret)
	}
	return s.read(r)
}

// machine asks the metadata server for a token.
func (s *GoogleSource) machine(ctx context.Context) (granted, error) {
	ctx, cancel := context.WithTimeout(ctx, askingMetadata)
	defer cancel()
	r, err := s.metadata(ctx, "instance/service-accounts/default/token")
	if err != nil {
		return granted{}, err
	}
	given, err := s.read(r)
	if err != nil {
		return granted{}, fmt.Errorf("%w (this machine gives none: %w)", ErrNoGoogleCredentials, err)
	}
	return given, nil
}

// metadata makes a request to the metadata server of the machine.
func (s *GoogleSource) metadata(ctx context.Context, what string) (*http.Request, error) {
	host := cmp.Or(s.Getenv("GCE_METADATA_HOST"), "169.254.169.254")
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+"/computeMetadata/v1/"+what, nil)
	if err == nil {
		r.Header.Set("Metadata-Flavor", "Google")
	}
	return r, err
}

// MachineProject asks the metadata server for the project of the machine, for two seconds at most; "" where there is none.
func (s *GoogleSource) MachineProject(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, askingMetadata)
	defer cancel()
	r, err := s.metadata(ctx, "project/project-id")
	if err != nil {
		return ""
	}
	status, text, err := s.send(r)
	if err != nil || status != http.StatusOK {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// mostBytes bounds the answer of a server that gives tokens.
const mostBytes = 1 << 20

// read sends a request for a token.
func (s *GoogleSource) read(r *http.Request) (granted, error) {
	status, body, err := s.send(r)
	if err != nil {
		return granted{}, err
	}
	var given granted
	if json.Unmarshal(body, &given) != nil || status != http.StatusOK || given.Token == "" {
		reason := strings.TrimSpace(given.Fault + " " + given.Text)
		if given.Fault == "invalid_grant" {
			reason += "; sign in again: gcloud auth application-default login"
		}
		return granted{}, fmt.Errorf("token of Google: %s answered %d %s", r.URL.Host, status, cmp.Or(reason, http.StatusText(status)))
	}
	return given, nil
}
