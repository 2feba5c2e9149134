package openai

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
	"strings"
	"sync"
	"time"
)

// ErrNoAzureCredentials means that no source has credentials.
var ErrNoAzureCredentials = errors.New("no key and no credentials were found: set AZURE_OPENAI_API_KEY, or AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET, or AZURE_OPENAI_AD_TOKEN (az account get-access-token --resource https://cognitiveservices.azure.com)")

const (
	early         = 2 * time.Minute // how long before its end a token is replaced
	asking        = 20 * time.Second
	askingMachine = 2 * time.Second // the service of a machine that is none of Azure's does not answer
	mostBytes     = 1 << 20         // of an answer
)

// AzureSource gives tokens of Entra for Azure's models: by the secret of an application, by the token of a cluster (workload
// identity), or from the service of the machine (managed identity). It keeps tokens them until two minutes before they expire. It must not be copied.
type AzureSource struct {
	Getenv func(string) string
	HTTP   http.RoundTripper // reaches the servers that give tokens; nil: the default one
	Now    func() time.Time  // nil: time.Now

	// Metadata is the address of the machine's service; "" is the usual one.
	Metadata string

	mu      sync.Mutex
	token   string
	expires time.Time
}

// Token returns a token that is valid.
func (s *AzureSource) Token(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token != "" && s.now().Before(s.expires.Add(-early)) {
		return s.token, nil
	}
	given, err := s.ask(ctx)
	if err != nil {
		return "", err
	}
	seconds, _ := given.Seconds.Int64()
	s.token, s.expires = given.Token, s.now().Add(time.Duration(seconds)*time.Second)
	if at, err := given.Until.Int64(); err == nil && at > 0 {
		s.expires = time.Unix(at, 0)
	}
	return s.token, nil
}

func (s *AzureSource) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

// granted is the answer of a server that gives tokens. The services of machines write numbers as texts.
type granted struct {
	Token   string      `json:"access_token"`
	Seconds json.Number `json:"expires_in"`
	Until   json.Number `json:"expires_on"` // seconds since 1970, where a service gives them
	Fault   string      `json:"error"`
	Text    string      `json:"error_description"`
}

// ask gets a new token from the first source that is configured.
func (s *AzureSource) ask(ctx context.Context) (granted, error) {
	tenant, client := s.Getenv("AZURE_TENANT_ID"), s.Getenv("AZURE_CLIENT_ID")
	if secret := s.Getenv("AZURE_CLIENT_SECRET"); tenant != "" && client != "" && secret != "" {
		return s.application(ctx, tenant, url.Values{"client_id": {client}, "client_secret": {secret}})
	}
	if file := s.Getenv("AZURE_FEDERATED_TOKEN_FILE"); tenant != "" && client != "" && file != "" {
		token, err := os.ReadFile(file)
		if err != nil {
			return granted{}, fmt.Errorf("token of Entra: %w", err)
		}
		return s.application(ctx, tenant, url.Values{"client_id": {client}, "client_assertion": {strings.TrimSpace(string(token))},
			"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}})
	}
	given, err := s.machine(ctx, client)
	if err != nil && s.Getenv("IDENTITY_ENDPOINT") == "" {
		err = fmt.Errorf("%w (this machine gives none: %w)", ErrNoAzureCredentials, err)
	}
	return given, err
}

// application asks Entra for a token of an application.
func (s *AzureSource) application(ctx context.Context, tenant string, form url.Values) (granted, error) {
	form.Set("grant_type", "client_credentials")
	form.Set("scope", s.resource()+"/.default")
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	address := s.authority() + "/" + url.PathEscape(tenant) + "/oauth2/v2.0/token"
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return granted{}, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return s.send(r)
}

// machine asks the service of the machine (or of the app service) for a token. client chooses one of several identities.
func (s *AzureSource) machine(ctx context.Context, client string) (granted, error) {
	ctx, cancel := context.WithTimeout(ctx, askingMachine)
	defer cancel()
	address, version := cmp.Or(s.Metadata, "http://169.254.169.254")+"/metadata/identity/oauth2/token", "2018-02-01"
	if own := s.Getenv("IDENTITY_ENDPOINT"); own != "" {
		address, version = own, "2019-08-01"
	}
	query := url.Values{"api-version": {version}, "resource": {s.resource()}}
	if client != "" {
		query.Set("client_id", client)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"?"+query.Encode(), nil)
	if err != nil {
		return granted{}, err
	}
	r.Header.Set("Metadata", "true")
	if header := s.Getenv("IDENTITY_HEADER"); header != "" && s.Getenv("IDENTITY_ENDPOINT") != "" {
		r.Header.Set("X-Identity-Header", header)
	}
	return s.send(r)
}

// authority is where applications get tokens.
func (s *AzureSource) authority() string {
	return strings.TrimSuffix(cmp.Or(s.Getenv("AZURE_AUTHORITY_HOST"), "https://login.microsoftonline.com"), "/")
}

// resource is what the tokens are for: models in the cloud of the authority.
func (s *AzureSource) resource() string {
	for suffix, resource := range map[string]string{".us": "https://cognitiveservices.azure.us", ".cn": "https://cognitiveservices.azure.cn"} {
		if strings.HasSuffix(s.authority(), suffix) {
			return resource
		}
	}
	return "https://cognitiveservices.azure.com"
}

func (s *AzureSource) send(r *http.Request) (granted, error) {
	client := http.Client{Transport: s.HTTP}
	answer, err := client.Do(r)
	if err != nil {
		return granted{}, fmt.Errorf("token of Entra: %w", err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, mostBytes))
	if err != nil {
		return granted{}, fmt.Errorf("token of Entra: %w", err)
	}
	var given granted
	if json.Unmarshal(body, &given) != nil || answer.StatusCode != http.StatusOK || given.Token == "" {
		reason, _, _ := strings.Cut(strings.TrimSpace(given.Fault+" "+given.Text), "\n")
		return granted{}, fmt.Errorf("token of Entra: %s answered %d %s", r.URL.Host, answer.StatusCode, cmp.Or(strings.TrimSpace(reason), http.StatusText(answer.StatusCode)))
	}
	return given, nil
}
