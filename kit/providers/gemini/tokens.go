package gemini

import (
	"cmp"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
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

// GoogleSource gives access tokens for Google's clouds from the application default credentials: the file of a service account
// or of an external account, the file that gcloud writes for a user, or the metadata server of a machine. It keeps tokens them until two minutes before they expire. It must not be copied.
type GoogleSource struct {
	Getenv func(string) string
	Home   string            // of the user
	HTTP   http.RoundTripper // reaches the servers that give tokens; nil: the default one
	Now    func() time.Time  // nil: time.Now

	mu      sync.Mutex
	token   string
	expires time.Time
}

// GoogleFile is what a file of credentials says about itself.
type GoogleFile struct {
	Type         google.CredentialsType
	Project      string `json:"project_id"`       // of a service account
	QuotaProject string `json:"quota_project_id"` // that requests of a user are counted for

	Email string `json:"client_email"` // of a service account
	Key   string `json:"private_key"`  // PEM

	text []byte
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
	f := &GoogleFile{text: text}
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
	now := time.Now
	if s.Now != nil {
		now = s.Now
	}
	if s.token != "" && now().Before(s.expires.Add(-early)) {
		return s.token, nil
	}
	f, err := s.File()
	if err != nil {
		return "", err
	}
	ask := s.machine
	if f != nil {
		ask = func(ctx context.Context) (*oauth2.Token, error) { return s.byFile(ctx, f) }
	}
	given, err := ask(ctx)
	if err != nil {
		return "", err
	}
	s.token, s.expires = given.AccessToken, given.Expiry
	return s.token, nil
}

// byFile gets a new token by the credentials in a file.
func (s *GoogleSource) byFile(ctx context.Context, f *GoogleFile) (*oauth2.Token, error) {
	switch f.Type {
	case google.ServiceAccount:
		if block, _ := pem.Decode([]byte(f.Key)); block == nil {
			return nil, fmt.Errorf("key of the service account %s: not in the form PEM", f.Email)
		}
	case google.AuthorizedUser, google.ExternalAccount, google.ImpersonatedServiceAccount:
	default:
		return nil, fmt.Errorf("credentials of Google: the type %q is not supported", f.Type)
	}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, &http.Client{Transport: s.HTTP, Timeout: asking})
	credentials, err := google.CredentialsFromJSONWithType(ctx, f.text, f.Type, scope)
	if err != nil {
		return nil, fmt.Errorf("credentials of Google: %w", err)
	}
	given, err := credentials.TokenSource.Token()
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok { // its text may have the whole answer
		reason := strings.TrimSpace(refused.ErrorCode + " " + refused.ErrorDescription)
		if refused.ErrorCode == "invalid_grant" {
			reason += "; sign in again: gcloud auth application-default login"
		}
		err = fmt.Errorf("%s answered %s", refused.Response.Request.URL.Host, cmp.Or(reason, refused.Response.Status))
	}
	if err != nil {
		return nil, fmt.Errorf("token of Google: %w", err)
	}
	return given, nil
}

// machine asks the metadata server for a token.
func (s *GoogleSource) machine(ctx context.Context) (*oauth2.Token, error) {
	text, err := s.metadata(ctx, "instance/service-accounts/default/token")
	given := &oauth2.Token{}
	if err == nil {
		err = json.Unmarshal(text, given)
	}
	if err == nil && given.AccessToken == "" {
		err = errors.New("its answer has no token")
	}
	if err != nil {
		return nil, fmt.Errorf("%w (this machine gives none: %w)", ErrNoGoogleCredentials, err)
	}
	given.Expiry = time.Now().Add(time.Duration(given.ExpiresIn) * time.Second)
	return given, nil
}

// MachineProject asks the metadata server for the project of the machine, for two seconds at most; "" where there is none.
func (s *GoogleSource) MachineProject(ctx context.Context) string {
	text, err := s.metadata(ctx, "project/project-id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// mostBytes bounds the answer of the metadata server.
const mostBytes = 1 << 20

// metadata asks the metadata server of the machine.
func (s *GoogleSource) metadata(ctx context.Context, what string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, askingMetadata)
	defer cancel()
	host := cmp.Or(s.Getenv("GCE_METADATA_HOST"), "169.254.169.254")
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+"/computeMetadata/v1/"+what, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Metadata-Flavor", "Google")
	client := http.Client{Transport: s.HTTP}
	answer, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostBytes))
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answered %s", host, answer.Status)
	}
	return text, err
}
