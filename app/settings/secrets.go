package settings

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// Secret is a named value for http_request: where it comes from, and the hosts that it may go to.
type Secret struct {
	Env   string   `json:"env,omitempty"`   // the environment variable that holds it
	File  string   `json:"file,omitempty"`  // the file that holds it, absolute or below ~
	Value string   `json:"value,omitempty"` // itself
	Hosts []string `json:"hosts"`           // as in network.allow; none means nowhere
}

// Resolve returns the secret itself. It fails where the secret cannot be read.
func (s Secret) Resolve() (string, error) {
	switch {
	case s.Value != "":
		return s.Value, nil
	case s.Env != "":
		if value := os.Getenv(s.Env); value != "" {
			return value, nil
		}
		return "", fmt.Errorf("the variable %s is not set", s.Env)
	case s.File != "":
		text, err := os.ReadFile(UnderHome(s.File))
		if value := strings.TrimSpace(string(text)); err != nil || value != "" {
			return value, err
		}
		return "", fmt.Errorf("the file %s is empty", s.File)
	}
	return "", fmt.Errorf("it has none of env, file and value")
}

// NamedSecret is a secret with its value. Its hosts are those of Secret.
type NamedSecret struct {
	Name, Value string
	Hosts       []string
}

// SecretsOf reads the named values of all layers; a later layer replaces an earlier one. A secret without a value on
// this machine is left out with a warning.
func SecretsOf(layers []Layer, warn func(string)) ([]NamedSecret, error) {
	named := map[string]Secret{}
	for _, l := range layers {
		if len(l.Secrets) == 0 {
			continue
		}
		if err := json.Unmarshal(l.Secrets, &named); err != nil {
			return nil, Error{Err: fmt.Errorf("%s: secrets: %w", l.Path, WrongKind(err))}
		}
	}
	var all []NamedSecret
	for _, name := range slices.Sorted(maps.Keys(named)) {
		s := named[name]
		value, err := s.Resolve()
		if err != nil {
			warn(fmt.Sprintf("settings: the secret %s is left out: %v", name, err))
			continue
		}
		all = append(all, NamedSecret{Name: name, Value: value, Hosts: s.Hosts})
	}
	return all, nil
}
