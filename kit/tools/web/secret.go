package web

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"rein/kit/network"
	"rein/tool"
)

// Secret is a value that http_request inserts into a request by its name. The model knows the name only.
type Secret struct {
	Name  string   // letters, digits, '_', '-' and '.'
	Value string   // not empty
	Hosts []string // where it may be sent, as host rules of netpolicy; empty: to no host
}

// placeholder is how a model names a secret in a header or a body.
var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{\s*secret:([A-Za-z0-9_.-]{1,64})\s*\}\}`) })

func (s Secret) check() error {
	if !placeholder().MatchString("{{secret:" + s.Name + "}}") {
		return fmt.Errorf("secret %q: expected a name of letters, digits, '_', '-' and '.'", s.Name)
	}
	if s.Value == "" {
		return fmt.Errorf("secret %s has no value", s.Name)
	}
	if slices.Contains(s.Hosts, "*") {
		return fmt.Errorf("secret %s is for every host: name its hosts", s.Name)
	}
	if _, err := network.MatchHost(s.Hosts, network.Target{Host: "x", Port: 443}); err != nil {
		return fmt.Errorf("secret %s: %w", s.Name, err)
	}
	return nil
}

// fill inserts secrets into a text for a target.
func (w *Tools) fill(text string, u *url.URL, t network.Target) (string, error) {
	var failed error
	filled := placeholder().ReplaceAllStringFunc(text, func(match string) string {
		value, err := w.secret(placeholder().FindStringSubmatch(match)[1], u, t)
		if err != nil && failed == nil {
			failed = err
		}
		return value
	})
	if failed != nil {
		return "", failed
	}
	if strings.Contains(filled, "{{secret:") && !strings.Contains(filled, "}}") {
		return "", &tool.Error{Kind: tool.BadArguments, Text: "A placeholder for a secret is not closed.", Hint: "Write {{secret:NAME}}."}
	}
	return filled, nil
}

// secret returns the value of a secret if it may be sent to a target.
func (w *Tools) secret(name string, u *url.URL, t network.Target) (string, error) {
	i := slices.IndexFunc(w.options.Secrets, func(s Secret) bool { return s.Name == name })
	if i < 0 {
		return "", &tool.Error{Kind: tool.BadArguments, Text: fmt.Sprintf("There is no secret named %q.", name), Hint: w.secretHint()}
	}
	s := w.options.Secrets[i]
	if bound, err := network.MatchHost(s.Hosts, t); err != nil || !bound {
		return "", &tool.Error{Kind: tool.Denied, Text: fmt.Sprintf("The secret %s is not for %s.", name, t), Hint: w.secretHint()}
	}
	if u.Scheme != "https" && !isLocal(t) {
		return "", &tool.Error{Kind: tool.Denied, Text: fmt.Sprintf("The secret %s would be sent unencrypted.", name), Hint: "Use https."}
	}
	return s.Value, nil
}

// isLocal reports whether the name or the address of a target is of this machine.
func isLocal(t network.Target) bool {
	return t.Host == "localhost" || t.Addr.IsValid() && network.Classify(t.Addr) == network.Loopback
}

// secretHint lists the names of the secrets, and where they may be sent.
func (w *Tools) secretHint() string {
	var known []string
	for _, s := range w.options.Secrets {
		known = append(known, s.Name+" (for "+strings.Join(s.Hosts, ", ")+")")
	}
	if len(known) == 0 {
		return "There are no secrets; the user can add one to the settings."
	}
	return "Secrets: " + strings.Join(known, "; ") + "."
}
