// Package google gets access tokens for Google's clouds from the application default credentials: the file of a service
// account, the file that gcloud writes for a user, or the metadata server of a machine.
package google

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// ErrNoCredentials means that no source has credentials.
var ErrNoCredentials = errors.New("no credentials were found: run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS to the file of a service account")

// scope is what the tokens of service accounts are for.
const scope = "https://www.googleapis.com/auth/cloud-platform"

// early is how long before its end a token is replaced.
const early = 2 * time.Minute

// Requests for tokens take this long at most. The metadata server of a machine that has none does not answer.
const (
	asking         = 20 * time.Second
	askingMetadata = 2 * time.Second
)

// Source gives tokens and keeps them until two minutes before they expire. It must not be copied.
type Source struct {
	Getenv func(string) string
	Home   string            // of the user
	HTTP   http.RoundTripper // reaches the servers that give tokens; nil: the default one
	Now    func() time.Time  // nil: time.Now

	mu      sync.Mutex
	token   string
	expires time.Time
}

// File is what a file of credentials holds.
type File struct {
	Type         string // "service_account" or "authorized_user"
	Project      string `json:"project_id"`       // of a service account
	QuotaProject string `json:"quota_project_id"` // that requests of a user are counted for

	Email    string `json:"client_email"`
	KeyID    string `json:"private_key_id"`
	Key      string `json:"private_key"` // PEM
	TokenURL string `json:"token_uri"`

	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	Refresh      string `json:"refresh_token"`
}

// File reads the file that GOOGLE_APPLICATION_CREDENTIALS names, else that of gcloud; nil when there is none.
func (s *Source) File() (*File, error) {
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
	f := &File{}
	if json.Unmarshal(text, f) != nil { // its error may quote the file
		return nil, fmt.Errorf("credentials of Google: %s is not a file of credentials", path)
	}
	return f, nil
}

// gcloud is the directory of gcloud's settings.
func (s *Source) gcloud() string {
	if dir := s.Getenv("CLOUDSDK_CONFIG"); dir != "" {
		return dir
	}
	if dir := s.Getenv("APPDATA"); dir != "" {
		return filepath.Join(dir, "gcloud")
	}
	return filepath.Join(s.Home, ".config", "gcloud")
}

// Token gives a token that is valid.
func (s *Source) Token(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token != "" && s.now().Before(s.expires.Add(-early)) {
		return s.token, nil
	}
	f, err := s.File()
	if err != nil {
		return "", err
	}
	var given granted
	switch {
	case f == nil:
		given, err = s.machine(ctx)
	case f.Type == "service_account":
		given, err = s.account(ctx, f)
	case f.Type == "authorized_user":
		given, err = s.grant(ctx, f, url.Values{"grant_type": {"refresh_token"}, "client_id": {f.ClientID}, "client_secret": {f.ClientSecret}, "refresh_token": {f.Refresh}})
	default:
		err = fmt.Errorf("credentials of Google: the type %q is not supported (service_account and authorized_user are)", f.Type)
	}
	if err != nil {
		return "", err
	}
	s.token, s.expires = given.Token, s.now().Add(time.Duration(given.Seconds)*time.Second)
	return s.token, nil
}

func (s *Source) now() time.Time {
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
func (s *Source) account(ctx context.Context, f *File) (granted, error) {
	signed, err := assertion(f, s.now())
	if err != nil {
		return granted{}, err
	}
	return s.grant(ctx, f, url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {signed}})
}

// tokenURL is where tokens are given when the file names no address.
const tokenURL = "https://oauth2.googleapis.com/token"

func (s *Source) grant(ctx context.Context, f *File, form url.Values) (granted, error) {
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, cmp.Or(f.TokenURL, tokenURL), strings.NewReader(form.Encode()))
	if err != nil {
		return granted{}, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return s.ask(r)
}

// machine asks the metadata server.
func (s *Source) machine(ctx context.Context) (granted, error) {
	ctx, cancel := context.WithTimeout(ctx, askingMetadata)
	defer cancel()
	host := cmp.Or(s.Getenv("GCE_METADATA_HOST"), "169.254.169.254")
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+"/computeMetadata/v1/instance/service-accounts/default/token", nil)
	if err != nil {
		return granted{}, err
	}
	r.Header.Set("Metadata-Flavor", "Google")
	given, err := s.ask(r)
	if err != nil {
		return granted{}, fmt.Errorf("%w (this machine gives none: %w)", ErrNoCredentials, err)
	}
	return given, nil
}

// mostBytes bounds the answer of a server that gives tokens.
const mostBytes = 1 << 20

func (s *Source) ask(r *http.Request) (granted, error) {
	client := http.Client{Transport: s.HTTP}
	answer, err := client.Do(r)
	if err != nil {
		return granted{}, fmt.Errorf("token of Google: %w", err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, mostBytes))
	if err != nil {
		return granted{}, fmt.Errorf("token of Google: %w", err)
	}
	var given granted
	if json.Unmarshal(body, &given) != nil || answer.StatusCode != http.StatusOK || given.Token == "" {
		reason := strings.TrimSpace(given.Fault + " " + given.Text)
		if given.Fault == "invalid_grant" {
			reason += "; sign in again: gcloud auth application-default login"
		}
		return granted{}, fmt.Errorf("token of Google: %s answered %s %s", r.URL.Host, answer.Status, reason)
	}
	return given, nil
}
