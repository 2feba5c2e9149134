package gemini

import (
	"bytes"
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
	"time"
)

// Subject is where the token of another identity provider comes from, for an external account (workload identity).
type Subject struct {
	File    string            `json:"file"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"` // for URL
	Format  struct {
		Type  string `json:"type"`                     // "text", the default, or "json"
		Field string `json:"subject_token_field_name"` // of a JSON object
	} `json:"format"`
	Environment string `json:"environment_id"` // of Amazon
	Executable  any    `json:"executable"`
	Certificate any    `json:"certificate"`
}

// external exchanges the token of another identity provider for one of Google (RFC 8693).
func (s *GoogleSource) external(ctx context.Context, f *GoogleFile) (granted, error) {
	subject, err := s.subject(ctx, &f.Subject)
	if err != nil {
		return granted{}, fmt.Errorf("credentials of Google: %w", err)
	}
	f.TokenURL = cmp.Or(f.ExchangeURL, "https://sts.googleapis.com/v1/token")
	form := url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:token-exchange"}, "requested_token_type": {"urn:ietf:params:oauth:token-type:access_token"},
		"audience": {f.Audience}, "scope": {scope}, "subject_token": {subject}, "subject_token_type": {f.SubjectType}}
	if f.WorkforceProject != "" && f.ClientID == "" {
		options, err := json.Marshal(map[string]string{"userProject": f.WorkforceProject})
		if err != nil {
			return granted{}, err
		}
		form.Set("options", string(options))
	}
	return s.grant(ctx, f, form)
}

// subject reads the token of the other identity provider.
func (s *GoogleSource) subject(ctx context.Context, from *Subject) (string, error) {
	var text []byte
	var err error
	switch {
	case from.File != "":
		text, err = os.ReadFile(from.File)
	case from.Environment != "" || from.Executable != nil || from.Certificate != nil || from.URL == "":
		return "", errors.New("an external account needs a file or an address in credential_source; Amazon's services, programs and certificates are not supported")
	default:
		text, err = s.fetch(ctx, from)
	}
	if err != nil {
		return "", err
	}
	if from.Format.Type != "json" {
		return strings.TrimSpace(string(text)), nil
	}
	var object map[string]any
	if json.Unmarshal(text, &object) == nil {
		if token, ok := object[from.Format.Field].(string); ok && token != "" {
			return token, nil
		}
	}
	return "", fmt.Errorf("credential_source has no text %q", from.Format.Field)
}

// fetch asks the address of a credential_source.
func (s *GoogleSource) fetch(ctx context.Context, from *Subject) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from.URL, nil)
	if err != nil {
		return nil, err
	}
	for name, value := range from.Headers {
		r.Header.Set(name, value)
	}
	status, text, err := s.send(r)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s answered %d %s", r.URL.Host, status, http.StatusText(status))
	}
	return text, err
}

// impersonated exchanges a token for one of a service account.
func (s *GoogleSource) impersonated(ctx context.Context, f *GoogleFile, own granted) (granted, error) {
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	lifetime := time.Duration(f.Impersonation.Seconds) * time.Second
	body, err := json.Marshal(map[string]any{"scope": []string{scope}, "lifetime": fmt.Sprintf("%ds", int(cmp.Or(lifetime, lasting).Seconds()))})
	if err != nil {
		return granted{}, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.ImpersonationURL, bytes.NewReader(body))
	if err != nil {
		return granted{}, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+own.Token)
	status, text, err := s.send(r)
	if err != nil {
		return granted{}, err
	}
	var answer struct {
		Token   string    `json:"accessToken"`
		Expires time.Time `json:"expireTime"`
	}
	if json.Unmarshal(text, &answer) != nil || status != http.StatusOK || answer.Token == "" {
		return granted{}, fmt.Errorf("token of Google: %s gave no token of the service account: %d %s", r.URL.Host, status, http.StatusText(status))
	}
	return granted{Token: answer.Token, Seconds: int64(answer.Expires.Sub(s.now()).Seconds())}, nil
}

// send sends a request and reads the answer.
func (s *GoogleSource) send(r *http.Request) (status int, text []byte, err error) {
	client := http.Client{Transport: s.HTTP}
	answer, err := client.Do(r)
	if err != nil {
		return 0, nil, fmt.Errorf("token of Google: %w", err)
	}
	defer answer.Body.Close()
	if text, err = io.ReadAll(io.LimitReader(answer.Body, mostBytes)); err != nil {
		err = fmt.Errorf("token of Google: %w", err)
	}
	return answer.StatusCode, text, err
}
