package settings

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"rein/harness/notify"
)

// Server is what rein serve does beside serving. Only the user's own settings count, never those of a project.
type Server struct {
	URL      string    `json:"url,omitempty"` // by which people reach the page, for links: https://rein.example.org/
	Webhooks []Webhook `json:"webhooks,omitempty"`
	OIDC     OIDC      `json:"oidc,omitzero"`
}

// Webhook is an address that gets what happens, as JSON.
type Webhook struct {
	URL    string   `json:"url"`              // https, or this machine
	On     []string `json:"on,omitempty"`     // request, answered, end (default: all)
	Dirs   []string `json:"dirs,omitempty"`   // workspaces (default: all)
	KeyEnv string   `json:"keyEnv,omitempty"` // environment variable with the key of the signature
}

// OIDC is the sign-in of a team at its own provider. The zero value is off.
type OIDC struct {
	Issuer    string            `json:"issuer,omitempty"`   // https://accounts.example.org
	ClientID  string            `json:"clientId,omitempty"` // of rein, at the issuer
	SecretEnv string            `json:"secretEnv,omitempty"`
	Scopes    []string          `json:"scopes,omitempty"`     // beside openid; default: profile, email
	Claim     string            `json:"claim,omitempty"`      // whose values say the role; default: groups
	Roles     map[string]string `json:"roles,omitempty"`      // value of the claim → viewer, approver, operator; "*" is everybody
	NameClaim string            `json:"nameClaim,omitempty"`  // default: email, when it is verified, else sub
	Dirs      map[string]string `json:"workspaces,omitempty"` // value of the claim → a workspace that its people see; none: all
}

// kindsOfMessages are those that webhooks of the server get.
func kindsOfMessages() []string { return []string{"request", "answered", "end"} }

// Check refuses values that no setting may have.
func (s Server) Check() error {
	for _, w := range s.Webhooks {
		if err := notify.CheckWebhook(w.URL); err != nil {
			return fmt.Errorf("server.webhooks: %w", err)
		}
		for _, kind := range w.On {
			if !slices.Contains(kindsOfMessages(), kind) {
				return fmt.Errorf("server.webhooks: on: no such kind: %q (want %s)", kind, strings.Join(kindsOfMessages(), ", "))
			}
		}
	}
	if s.URL != "" {
		if u, err := url.Parse(s.URL); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return fmt.Errorf("server.url: %q: want an address such as https://rein.example.org/", s.URL)
		}
	}
	return s.OIDC.check()
}

func (o OIDC) check() error {
	if o.Issuer == "" {
		return nil
	}
	if err := notify.CheckWebhook(o.Issuer); err != nil {
		return fmt.Errorf("server.oidc: issuer: %q: want an address with https, or http on this machine", o.Issuer)
	}
	for value, role := range o.Roles {
		if !slices.Contains([]string{"viewer", "approver", "operator"}, role) {
			return fmt.Errorf("server.oidc: roles: %s is %q: want viewer, approver or operator", value, role)
		}
	}
	return nil
}
